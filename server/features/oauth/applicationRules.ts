import { isThisMachine } from '../../../src/contract/hosts.ts';
import { hasForbiddenScheme, isPossibleRedirect } from './checks/redirectUri.ts';
import { isScope } from '../../../src/contract/scopes.ts';

export interface ApplicationInput {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

const MAX_NAME_LENGTH = 255;

/** Returns the distinct redirect URIs of a text, in which white space separates them. */
export function redirectUrisOf(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((uri) => uri !== ''))];
}

/** Returns the validation errors of a new application by field, with the messages of the API; an empty object if it is valid. */
export function applicationErrors({ name, redirectUris, scopes }: ApplicationInput): Readonly<Record<string, readonly string[]>> {
  const uriProblem = redirectUris.map(redirectUriProblem).find((problem) => problem !== undefined);
  return {
    ...(name.trim() === '' ? { name: ["can't be blank"] } : {}),
    ...(name.length > MAX_NAME_LENGTH ? { name: [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] } : {}),
    ...(uriProblem === undefined ? {} : { redirect_uri: [uriProblem] }),
    ...(scopes.every((scope) => isScope(scope)) ? {} : { scopes: ["doesn't match configured on the server."] }),
  };
}

/**
 * Returns the reason that a redirect URI cannot be registered (RFC 6749 §3.1.2, docs/interface.md#oauth-applications); undefined if it
 * can.
 */
export function redirectUriProblem(text: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'must be an absolute URI.';
  if (hasForbiddenScheme(text)) return 'is forbidden by the server.';
  if (text.includes('#')) return 'cannot contain a fragment.';
  if (scheme === 'localhost') return 'must specify a scheme.';
  const isWeb = scheme === 'http' || scheme === 'https';
  const isWellFormed = isPossibleRedirect(text) && !/["<>\\^`{|}]/.test(text);
  return !isWellFormed || (isWeb && !/^https?:\/\/[^/?]/i.test(text)) ? 'must be a valid URI.' : undefined;
}

/**
 * Returns true if codes sent to this URI cross a network in plain text. Such URIs are accepted with a warning
 * (docs/interface.md#oauth-applications).
 */
export function isUnencryptedRedirect(redirectUri: string): boolean {
  if (!/^http:/i.test(redirectUri) || !URL.canParse(redirectUri)) return false;
  return !isThisMachine(new URL(redirectUri).hostname);
}
