import { invalidGrant } from '../failures.ts';

/** Schemes whose addresses a browser runs or shows as its own. */
const FORBIDDEN = /^(?:data|javascript|vbscript|blob|file|about|view-source):/i;
/** Loopback by address; the name `localhost` may lead elsewhere and is compared like any other (RFC 8252 §7.3, §8.3). */
const LOOPBACK = /^(http:\/\/(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/i;

/** Whether an address is of a scheme that browsers run or show as their own. */
export function hasForbiddenScheme(uri: string): boolean {
  return FORBIDDEN.test(uri);
}

/** Whether browsers may be led there at all: an absolute address without a fragment, of no scheme that runs (RFC 6749 §3.1.2). */
export function isPossibleRedirect(uri: string): boolean {
  return /^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(uri) && !uri.includes('#') && !hasForbiddenScheme(uri) && URL.canParse(uri);
}

/** Values that lead nowhere: the code is shown to the person, who copies it into a program that no browser can be sent back to. */
const OUT_OF_BAND = new Set(['urn:ietf:wg:oauth:2.0:oob', 'urn:ietf:wg:oauth:2.0:oob:auto']);

export function isOutOfBand(uri: string): boolean {
  return OUT_OF_BAND.has(uri);
}

/**
 * Whether a redirect URI is one of an application's: the same text, apart from the port of a loopback address, which a program only
 * knows when it listens (RFC 9700 §2.1, RFC 8252 §7.3).
 */
export function isRegisteredRedirect(uri: string, registered: readonly string[]): boolean {
  return registered.some((known) => known === uri || (LOOPBACK.test(known) && withoutPort(known) === withoutPort(uri)));
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, '$1');
}

/** Why no registered URI fits, in words: the nearest one and where the two part. */
export function redirectDifference(uri: string, registered: readonly string[]): string {
  const nearest = nearestUri(uri, registered);
  if (nearest === undefined) return 'the application has no registered redirect URI';
  const at = commonLength(nearest, uri);
  const shown = (text: string): string => (at < text.length ? `"${text[at]}"` : 'the end of the text');
  return `redirect_uri "${uri}" differs from "${nearest}" at character ${at + 1}: ${shown(uri)} was sent, ${shown(nearest)} was expected`;
}

/** The one that shares the longest beginning with an address. */
export function nearestUri(uri: string, registered: readonly string[]): string | undefined {
  return registered.toSorted((a, b) => commonLength(b, uri) - commonLength(a, uri))[0];
}

export function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** `redirect_uri` of the exchange of a code: the very text of the authorization request (RFC 6749 §4.1.3). */
export function checkExchangedRedirect(sent: string, original: string): void {
  if (sent !== original) throw invalidGrant('redirect_uri', redirectDifference(sent, [original]));
}

/**
 * `redirect_uri` of a refresh: when it is sent it must equal the one of the authorization request
 * (docs/interface.md#token-endpoint). A grant that had none, such as the device grant, has nothing to compare.
 */
export function checkRedirectUri(sent: string | undefined, original: string | null): void {
  if (sent === undefined || original === null || sent === original) return;
  throw invalidGrant('redirect_uri', `${redirectDifference(sent, [original])}; or leave redirect_uri out`);
}
