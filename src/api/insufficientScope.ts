import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { EXTENSION_SCOPE } from '../contract/scopes.ts';
import type { WireResponse } from './transport.ts';

/** Says that a token lacks a scope (RFC 6750 §3.1). GitLab has another code for tokens whose permissions are not scopes. */
const CODE = /\binsufficient_(?:granular_)?scope\b/i;

/** A parameter of a challenge, whose value is a token or a quoted string (RFC 9110 §11.2). */
const PARAMETER = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/**
 * Returns the scope to sign in with if a response says that the token lacks one, in a body of REST or in a challenge. Undefined for every
 * other response.
 */
export function missingScope(response: Pick<WireResponse, 'status' | 'headers'> & Partial<WireResponse>): string | undefined {
  const { status, headers, body = '' } = response;
  if (status !== 401 && status !== 403) return undefined;
  const accepted = acceptedByBody(parseJson(body)) ?? acceptedByChallenge(headers.get('www-authenticate') ?? '');
  return accepted === undefined ? undefined : scopeToAskFor(accepted);
}

/** Same for an error of a GraphQL response. */
export function missingScopeOfGraphql(error: unknown): string | undefined {
  if (!isJsonObject(error)) return undefined;
  const extensions = isJsonObject(error.extensions) ? error.extensions : {};
  const isMissing = [error.message, extensions.code].some((text) => typeof text === 'string' && CODE.test(text));
  return isMissing ? scopeToAskFor(stringMember(extensions, 'scope') ?? '') : undefined;
}

/** Returns the accepted scopes, of which a body may name none; undefined if the body says something else. */
function acceptedByBody(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const isMissing = [body.error, body.message].some((text) => typeof text === 'string' && CODE.test(text));
  return isMissing ? (stringMember(body, 'scope') ?? '') : undefined;
}

/** Same for the challenges of `WWW-Authenticate`. */
function acceptedByChallenge(challenges: string): string | undefined {
  const parameters = [...challenges.matchAll(PARAMETER)].map(([, name = '', quoted, token = '']) => ({
    name: name.toLowerCase(),
    value: quoted?.replace(/\\(.)/g, '$1') ?? token,
  }));
  if (!parameters.some(({ name, value }) => name === 'error' && CODE.test(value))) return undefined;
  return parameters.find(({ name }) => name === 'scope')?.value ?? '';
}

/** Returns the one of the accepted scopes to ask for: that of the extension, which covers all its views, if it is accepted. */
function scopeToAskFor(accepted: string): string {
  const scopes = accepted.split(' ').filter(Boolean);
  return scopes.includes(EXTENSION_SCOPE) ? EXTENSION_SCOPE : (scopes[0] ?? EXTENSION_SCOPE);
}
