// Client side of the authorization code grant with PKCE (RFC 6749 §4.1, RFC 7636): builds the URL of the authorization page, reads the
// redirect and exchanges the code. Independent of VS Code.
import { createHash, randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { isLoopback, type WireRequest } from '../api/transport.ts';
import { AUTHORIZATION_CODE_GRANT } from '../contract/oauth.ts';
import { EXTENSION_REDIRECT_URIS, REDIRECT_PATH } from '../contract/product.ts';
import { isSameInstance } from '../instances/instances.ts';
import { formRequest, OAuthFailure } from './tokenEndpoint.ts';

/** The way a redirect takes to the extension: a URI that the desktop passes to the editor, or a local listener. */
export type WayBack = { readonly kind: 'uri'; readonly redirectUri: string } | { readonly kind: 'loopback' };

/** Environment of the editor. */
export interface EditorPlace {
  /** The editor is a desktop application, not a page in a browser. */
  readonly isDesktop: boolean;
  /** Scheme of the URIs that the desktop passes to the editor. */
  readonly scheme: string;
  readonly extensionId: string;
  /** Host and port of an editor in a browser. */
  readonly remoteName: string | undefined;
}

/** The OAuth client that requests a code, and where the code is sent. */
export interface RedirectClient {
  /** Base URL of the instance, without a trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** Secrets of one request. */
export interface RedirectSecrets {
  /** Proves that a redirect belongs to this request. */
  readonly state: string;
  /** Proves that the program that exchanges the code made the request. */
  readonly verifier: string;
}

/** Result that a redirect carries. */
export type RedirectResponse =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'denied' }
  | { readonly kind: 'refused'; readonly failure: OAuthFailure };

/**
 * Returns how the browser can return to this editor; undefined if it cannot. A listener can be reached only by a browser on the same
 * machine: behind a forwarded port, its address would not be a registered redirect URI.
 */
export function wayBack({ isDesktop, scheme, extensionId, remoteName }: EditorPlace): WayBack | undefined {
  const redirectUri = `${scheme}://${extensionId}${REDIRECT_PATH}`;
  if (isDesktop && EXTENSION_REDIRECT_URIS.includes(redirectUri)) return { kind: 'uri', redirectUri };
  const isSameMachine = isDesktop ? remoteName === undefined : isLoopbackHost(remoteName ?? '');
  return isSameMachine ? { kind: 'loopback' } : undefined;
}

function isLoopbackHost(host: string): boolean {
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(url);
}

/** Returns new secrets of 32 random bytes each, which is 43 characters (RFC 7636 §4.1). */
export function createRedirectSecrets(): RedirectSecrets {
  const [state, verifier] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
  return { state: state ?? '', verifier: verifier ?? '' };
}

/** Returns the URL of the authorization page (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export function authorizationAddress(client: RedirectClient, scope: string, { state, verifier }: RedirectSecrets): string {
  const parameters = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${client.baseUrl}/oauth/authorize?${parameters.toString()}`;
}

/** Parameters of an authorization response (RFC 6749 §4.1.2, RFC 9207 §2). */
const members = ['code', 'state', 'iss', 'error', 'error_description'] as const;

/**
 * Reads the redirect of the request with this `state`; undefined if it belongs to another one. `issuer` is the address of the requested
 * instance: a response of another issuer may carry a code that is not for it (RFC 9207 §2.4).
 */
export function readRedirect(parameters: URLSearchParams, state: string, issuer: string): RedirectResponse | undefined {
  const states = parameters.getAll('state');
  if (states.length !== 1 || states[0] !== state) return undefined;
  if (members.some((name) => parameters.getAll(name).length > 1)) {
    return refused('not_oauth', l10n.t('a redirect with a repeated parameter'));
  }
  const iss = parameters.get('iss');
  if (iss !== null && iss !== issuer && !(isLoopback(issuer) && isSameInstance(iss, issuer))) {
    const text = l10n.t('a redirect issued by {0}. If that is the same instance, use that address for it.', iss);
    return refused('not_oauth', text);
  }
  const [code, error] = [parameters.get('code') ?? '', parameters.get('error') ?? ''];
  if ((code === '') === (error === ''))
    return refused('not_oauth', l10n.t('a redirect that does not have exactly one of the parameters code and error'));
  if (code !== '') return { kind: 'code', code };
  return error === 'access_denied' ? { kind: 'denied' } : refused(error, parameters.get('error_description') || error);
}

function refused(code: string, text: string): RedirectResponse {
  return { kind: 'refused', failure: new OAuthFailure(code, 0, text) };
}

/** Returns the request that exchanges the code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export function codeTokenRequest(client: RedirectClient, code: string, verifier: string): WireRequest {
  return formRequest(`${client.baseUrl}/oauth/token`, {
    grant_type: AUTHORIZATION_CODE_GRANT,
    client_id: client.clientId,
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
  });
}

/** Reads the query of a URI that the editor received. The editor has decoded it already, so `+` and `%` are literal. */
export function parametersOfUri(query: string): URLSearchParams {
  const pairs = query.split('&').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  return new URLSearchParams(pairs);
}
