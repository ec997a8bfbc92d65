import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { notFound } from '../core/errors.ts';
import type { Site } from '../http/requestContext.ts';
import type { Route } from '../http/route.ts';

/** Static files with their content types. No other files are served. */
const types = {
  'page.css': 'text/css; charset=utf-8',
  'sendForm.js': 'text/javascript; charset=utf-8',
  'logo.svg': 'image/svg+xml',
} as const;

type Name = keyof typeof types;

interface Asset {
  readonly body: Buffer;
  readonly hash: string;
}

const loaded = new Map<string, Asset>();

function load({ mediaDir }: Pick<Site, 'mediaDir'>, name: Name): Asset {
  const file = path.join(mediaDir, 'pages', name);
  let asset = loaded.get(file);
  if (asset === undefined) {
    const body = readFileSync(file);
    asset = { body, hash: createHash('sha256').update(body).digest('hex').slice(0, 16) };
    loaded.set(file, asset);
  }
  return asset;
}

/** Returns the URL of a static file. It changes with the content, so that browsers can cache the file permanently. */
export function assetPath(site: Pick<Site, 'mediaDir'>, name: Name): string {
  return `/assets/pages/${name}?v=${load(site, name).hash}`;
}

/** Returns the route of static files. */
export function assetRoute(): Route {
  return {
    area: 'page',
    method: 'GET',
    path: '/assets/pages/:file',
    specRef: 'Web addresses',
    status: 'local',
    scopes: [],
    role: 'anyone',
    successStatus: 200,
    handle: async ({ site, pathParameters, query, headers }) => {
      const name = pathParameters['file'];
      if (!isName(name)) throw notFound('File');
      const { body, hash } = load(site, name);
      const stored = {
        'Cache-Control':
          new URLSearchParams(query).get('v') === hash
            ? 'public, max-age=31536000, immutable'
            : 'public, max-age=0, must-revalidate',
        ETag: `"${hash}"`,
      };
      if (headers['if-none-match'] === `"${hash}"`) return { status: 304, headers: stored };
      return { status: 200, type: types[name], body, headers: stored };
    },
  };
}

function isName(text: string | undefined): text is Name {
  return text !== undefined && Object.hasOwn(types, text);
}
