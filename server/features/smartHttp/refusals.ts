import type { WireFailure } from '../../http/failures.ts';
import type { HttpResponse } from '../../http/requestContext.ts';

/** Headers of all responses to git, which must not be cached. */
export const gitHeaders = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Returns a refusal as plain text, which git shows to the user as `remote:` lines. */
export function gitRefusal({ status, body, headers, reason }: WireFailure): HttpResponse {
  return { status, type: 'text/plain; charset=utf-8', body: `${textOf(body) ?? reason}\n`, headers };
}

function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const text: unknown = 'message' in body ? body.message : 'error' in body ? body.error : undefined;
  return typeof text === 'string' ? text : undefined;
}
