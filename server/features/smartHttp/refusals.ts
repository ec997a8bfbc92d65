import { headersOf, statusOf, textOf } from '../../http/refusalStatus.ts';
import type { Refusal } from '../../http/wireFailure.ts';
import type { HttpResponse } from '../../http/requestContext.ts';

/** Headers of all responses to git, which must not be cached. */
export const gitHeaders = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Returns a refusal as plain text, which git shows to the user as `remote:` lines. */
export function gitRefusal(refusal: Refusal): HttpResponse {
  const body = `${textOf(refusal) ?? refusal.reason}\n`;
  return { status: statusOf(refusal), type: 'text/plain; charset=utf-8', body, headers: headersOf(refusal) };
}
