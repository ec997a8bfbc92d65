import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';

export function digestOf(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** A manifest with its blobs. */
export interface Image {
  readonly manifest: Buffer;
  /** Configuration and layers. */
  readonly blobs: readonly Buffer[];
}

/** Returns an image with one layer, an archive with one file. */
export function imageWith(text: string): Image {
  const archive = tarOf('greeting.txt', text);
  const layer = gzipSync(archive);
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: [digestOf(archive)] },
      history: [{ created_by: 'test' }],
    }),
  );
  const described = (mediaType: string, content: Buffer) => ({ mediaType, size: content.length, digest: digestOf(content) });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: described('application/vnd.docker.container.image.v1+json', config),
    layers: [described('application/vnd.docker.image.rootfs.diff.tar.gzip', layer)],
  };
  return { manifest: Buffer.from(JSON.stringify(manifest)), blobs: [config, layer] };
}

/** Returns a tar archive with one file (POSIX ustar). */
function tarOf(name: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(Buffer.byteLength(text), 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  );
  const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
  content.write(text);
  return Buffer.concat([header, content, Buffer.alloc(1024)]);
}

/** A registry that responds over HTTP and asks for anonymous tokens, like Docker Hub. */
export interface UpstreamRegistry extends AsyncDisposable {
  readonly origin: string;
  /** Method and path of each request, oldest first. */
  readonly requests: string[];
  /** Adds an image, or moves a tag to it. */
  push(repository: string, tag: string, image: Image): void;
  /** Responds with this content in place of that with the digest. */
  corrupt(digest: string, content: Buffer): void;
  /** Redirects requests of blobs to this origin. */
  redirectBlobs(origin: string): void;
  /** Stops responding. */
  stop(): Promise<void>;
}

export async function startUpstreamRegistry(): Promise<UpstreamRegistry> {
  const manifests = new Map<string, Buffer>();
  const blobs = new Map<string, Buffer>();
  const requests: string[] = [];
  let blobOrigin: string | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin);
    const path = url.pathname;
    requests.push(`${request.method} ${path}`);
    if (path === '/token') {
      const token = `anonymous:${url.searchParams.get('service')}:${url.searchParams.get('scope')}`;
      response.end(JSON.stringify({ token: Buffer.from(token).toString('base64url') }));
      return;
    }
    const blob = /^\/(?:storage|v2\/.+\/blobs)\/(sha256:[0-9a-f]+)$/.exec(path)?.[1];
    const repository = /^\/v2\/(.+)\/(?:blobs|manifests)\//.exec(path)?.[1];
    const token = Buffer.from(`anonymous:test:repository:${repository}:pull`).toString('base64url');
    if (repository !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.setHeader('WWW-Authenticate', `Bearer realm="${origin}/token",service="test"`);
      response.writeHead(401).end();
      return;
    }
    // A storage behind signed addresses refuses credentials.
    if (repository === undefined && request.headers.authorization !== undefined) {
      response.writeHead(400).end();
      return;
    }
    if (blob !== undefined && repository !== undefined && blobOrigin !== undefined) {
      response.writeHead(307, { Location: `${blobOrigin}/storage/${blob}` }).end();
      return;
    }
    const content = blob === undefined ? manifests.get(path) : blobs.get(blob);
    if (content === undefined) {
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
      return;
    }
    if (blob === undefined) response.setHeader('Docker-Content-Digest', claimed.get(content) ?? digestOf(content));
    response.setHeader('Content-Type', blob === undefined ? MANIFEST_TYPE : 'application/octet-stream');
    response.setHeader('Content-Length', content.length);
    response.end(request.method === 'HEAD' ? undefined : content);
  });
  /** Digests that the registry states for wrong content. */
  const claimed = new Map<Buffer, string>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return {
    origin,
    requests,
    push: (repository, tag, { manifest, blobs: contents }) => {
      for (const reference of [tag, digestOf(manifest)]) manifests.set(`/v2/${repository}/manifests/${reference}`, manifest);
      for (const content of contents) blobs.set(digestOf(content), content);
    },
    corrupt: (digest, content) => {
      if (blobs.has(digest)) blobs.set(digest, content);
      for (const [path, manifest] of manifests) {
        if (digestOf(manifest) !== digest) continue;
        manifests.set(path, content);
        claimed.set(content, digest);
      }
    },
    redirectBlobs: (to) => {
      blobOrigin = to;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
