// The client side of the authorization code grant with PKCE (RFC 6749 §4.1, RFC 7636): the address of the page, the reading of the
// redirect, and the exchange of the code. Nothing here knows the editor.
import { createHash, randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { isLoopback, type WireRequest } from '../api/transport.ts';
import { AUTHORIZATION_CODE_GRANT } from '../contract/oauth.ts';
import { EXTENSION_REDIRECT_URIS, REDIRECT_PATH } from '../contract/product.ts';
import { formRequest, OAuthFailure } from './tokenEndpoint.ts';

/** How the answer of the page comes back: by an address that the desktop hands to the editor, or to a listener of ours. */
export type WayBack = { readonly kind: 'uri'; readonly redirectUri: string } | { readonly kind: 'loopback' };

/** Where the editor runs. */
export interface EditorPlace {
  /** Whether its window is a program of its own, not a page in a browser. */
  readonly isDesktop: boolean;
  /** Scheme of the addresses that the desktop hands to it. */
  readonly scheme: string;
  readonly extensionId: string;
  /** Of an editor in a browser, the host and port that the browser has it from. */
  readonly remoteName: string | undefined;
}

/** Whom a code is for, and where it is to be sent. */
export interface RedirectClient {
  /** Address of the instance, without a slash at its end. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** What only this program knows of one request. */
export interface RedirectSecrets {
  /** Proves that a redirect answers this request. */
  readonly state: string;
  /** Proves that whoever exchanges the code made the request. */
  readonly verifier: string;
}

/** What the platform let the browser bring. */
export type RedirectResponse =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'denied' }
  | { readonly kind: 'refused'; readonly failure: OAuthFailure };

/**
 * How the browser can lead back to this editor; undefined where it cannot. A listener is reached only by a browser of the same machine.
 * Behind a forwarded port it would have an address that no application has registered.
 */
export function wayBack({ isDesktop, scheme, extensionId, remoteName }: EditorPlace): WayBack | undefined {
  const redirectUri = `${scheme}://${extensionId}${REDIRECT_PATH}`;
  if (isDesktop && EXTENSION_REDIRECT_URIS.includes(redirectUri)) return { kind: 'uri', redirectUri };
  const isHere = isDesktop ? remoteName === undefined : isLoopbackHost(remoteName ?? '');
  return isHere ? { kind: 'loopback' } : undefined;
}

function isLoopbackHost(host: string): boolean {
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(url);
}

/** 32 random bytes each, which are the 43 characters of RFC 7636 §4.1. */
export function createRedirectSecrets(): RedirectSecrets {
  const [state, verifier] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
  return { state: state ?? '', verifier: verifier ?? '' };
}

/** The page on which the person decides (RFC 6749 §4.1.1, RFC 7636 §4.3). */
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

/** Members of an authorization answer (RFC 6749 §4.1.2, RFC 9207 §2). */
const members = ['code', 'state', 'iss', 'error', 'error_description'] as const;

/**
 * What a redirect says to the request with this `state`; undefined when it does not answer that one. `issuer` is the address of the
 * platform that was asked: an answer in the name of another one may carry a code that is not for it (RFC 9207 §2.4).
 */
export function readRedirect(parameters: URLSearchParams, state: string, issuer: string): RedirectResponse | undefined {
  const states = parameters.getAll('state');
  if (states.length !== 1 || states[0] !== state) return undefined;
  if (members.some((name) => parameters.getAll(name).length > 1)) {
    return refused('not_oauth', l10n.t('a redirect with a repeated parameter'));
  }
  const iss = parameters.get('iss');
  if (iss !== null && iss !== issuer) {
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

/** RFC 6749 §4.1.3, RFC 7636 §4.5. */
export function codeTokenRequest(client: RedirectClient, code: string, verifier: string): WireRequest {
  return formRequest(`${client.baseUrl}/oauth/token`, {
    grant_type: AUTHORIZATION_CODE_GRANT,
    client_id: client.clientId,
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
  });
}

/** The query of an address that the editor was handed: it has decoded that already, so `+` and `%` stand for themselves. */
export function parametersOfUri(query: string): URLSearchParams {
  const pairs = query.split('&').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  return new URLSearchParams(pairs);
}
