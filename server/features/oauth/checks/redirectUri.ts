import { invalidGrant } from '../failures.ts';
import type { FlowTrace } from '../flowTrace.ts';

/** Schemes of URIs that a browser runs or shows itself. */
const FORBIDDEN = /^(?:data|javascript|vbscript|blob|file|about|view-source):/i;
/** Loopback IP addresses. The name `localhost` may resolve to another machine and is compared like any other name (RFC 8252 §7.3, §8.3). */
const LOOPBACK = /^(http:\/\/(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/i;

/** Returns true if a URI has a scheme that browsers run or show themselves. */
export function hasForbiddenScheme(uri: string): boolean {
  return FORBIDDEN.test(uri);
}

/** Returns true if a browser may be redirected to a URI: it is absolute, has no fragment, and its scheme does not run code (RFC 6749 §3.1.2). */
export function isPossibleRedirect(uri: string): boolean {
  return /^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(uri) && !uri.includes('#') && !hasForbiddenScheme(uri) && URL.canParse(uri);
}

/** Out-of-band values: the code is shown on a page, to be copied into an application that a browser cannot redirect to. */
const OUT_OF_BAND = new Set(['urn:ietf:wg:oauth:2.0:oob', 'urn:ietf:wg:oauth:2.0:oob:auto']);

export function isOutOfBand(uri: string): boolean {
  return OUT_OF_BAND.has(uri);
}

/**
 * Returns true if a redirect URI is registered. The texts must be equal, except for the port of a loopback address, which an application only
 * knows when it listens (RFC 9700 §2.1, RFC 8252 §7.3).
 */
export function isRegisteredRedirect(uri: string, registered: readonly string[]): boolean {
  return registered.some((known) => known === uri || (LOOPBACK.test(known) && withoutPort(known) === withoutPort(uri)));
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, '$1');
}

/** Describes why no registered URI matches: the most similar one and the first difference. */
export function redirectDifference(uri: string, registered: readonly string[]): string {
  const nearest = nearestUri(uri, registered);
  if (nearest === undefined) return 'the application has no registered redirect URI';
  const at = commonLength(nearest, uri);
  const shown = (text: string): string => (at < text.length ? `"${text[at]}"` : 'the end of the text');
  return `redirect_uri "${uri}" differs from "${nearest}" at character ${at + 1}: ${shown(uri)} was sent, ${shown(nearest)} was expected`;
}

/** Returns the registered URI with the longest common prefix. */
export function nearestUri(uri: string, registered: readonly string[]): string | undefined {
  return registered.toSorted((a, b) => commonLength(b, uri) - commonLength(a, uri))[0];
}

export function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** Checks that the `redirect_uri` of a code exchange equals that of the authorization request (RFC 6749 §4.1.3). */
export function checkExchangedRedirect(trace: FlowTrace, sent: string, original: string): void {
  trace.check('redirect_uri matches the authorization request');
  if (sent === original) return;
  trace.refusedRedirect = { uri: sent, expected: [original] };
  throw invalidGrant('redirect_uri', redirectDifference(sent, [original]));
}

/**
 * Checks that the `redirect_uri` of a refresh, if sent, equals that of the authorization request (docs/interface.md#token-endpoint). Grants
 * without one, such as the device grant, are not checked.
 */
export function checkRedirectUri(trace: FlowTrace, sent: string | undefined, original: string | null): void {
  if (sent === undefined || original === null || sent === original) return;
  trace.refusedRedirect = { uri: sent, expected: [original] };
  throw invalidGrant('redirect_uri', `${redirectDifference(sent, [original])}; or leave redirect_uri out`);
}
