import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { DeprecationId } from '../../src/contract/deprecations.ts';
import type { Profile } from '../core/profile.ts';
import { deprecationHeaders } from './deprecationHeaders.ts';
import type { AreaRules } from './refusal.ts';
import type { HttpResponse } from './requestContext.ts';
import type { RequestState } from './requestState.ts';

/** Complete response, except for the headers that Node adds. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | Readable | undefined;
}

/** Returns a response with the headers of its area. */
export function replyOf(request: IncomingMessage, state: RequestState, rules: AreaRules, response: HttpResponse): Reply {
  const { status, body, stream } = response;
  const headers: Record<string, string | readonly string[]> = {
    ...state.limitHeaders,
    'X-Request-Id': state.id,
    ...rules.headers,
    ...response.headers,
  };
  if (stream === undefined && body === undefined) return { status, headers, body };
  headers['Content-Type'] = response.type ?? 'application/octet-stream';
  if (stream !== undefined || !rules.conditional) return { status, headers, body: stream ?? body };
  if (status !== 200 && status !== 201) {
    headers['Cache-Control'] = 'no-cache';
    return { status, headers, body };
  }
  const tag = `W/"${hash('md5', body ?? '')}"`;
  headers['ETag'] = tag;
  headers['Cache-Control'] = 'max-age=0, private, must-revalidate';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && matchesTag(request.headers['if-none-match'], tag)
    ? { status: 304, headers, body: undefined }
    : { status, headers, body };
}

/** Returns true if `If-None-Match` contains the tag, by weak comparison (RFC 9110 §13.1.2). */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined || header === '') return false;
  const plain = tag.slice(2);
  return header.split(',').some((candidate) => {
    const text = candidate.trim();
    return text === '*' || text === tag || text === plain;
  });
}

/** Returns headers with those of deprecated calls. A header `Link` for pagination is kept. */
export function withDeprecations(
  headers: Reply['headers'],
  ids: ReadonlySet<DeprecationId>,
  profile: Profile,
  baseUrl: string,
): Reply['headers'] {
  const { Link: link, ...others } = deprecationHeaders(ids, profile, baseUrl);
  if (link === undefined) return headers;
  const links = [headers['Link'] ?? [], link].flat();
  return { ...headers, ...others, Link: links.join(', ') };
}

/** Sends the response to a request that bypasses the middleware, which is neither HEAD nor of a script of another origin. */
export function sendReply(response: ServerResponse, { status, headers, body }: Reply): void {
  if (body === undefined) {
    const { 'Content-Type': _, ...others } = headers;
    response.writeHead(status, { ...others, Vary: 'Origin', ...(isEmpty(status) ? {} : { 'Content-Length': 0 }) });
    response.end();
  } else if (body instanceof Readable) {
    response.writeHead(status, { ...headers, Vary: 'Origin' });
    // An error destroys both streams, so that the client sees that the response is incomplete.
    pipeline(body, response, () => undefined);
  } else {
    response.writeHead(status, { ...headers, Vary: 'Origin', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  }
}

/** Returns true for a status whose responses have no content (RFC 9110 §6.4.1). */
function isEmpty(status: number): boolean {
  return status === 204 || status === 304;
}
