import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createApplication, type NewApplication } from '../../../server/features/oauth/applications.ts';
import { PageClient } from '../../support/pages.ts';
import type { TestResponse, TestServer } from '../../support/server.ts';
import { type Client, clientOf, token } from './support.ts';

// Helpers for the authorization code grant, from the point of view of a client and of a user with a browser.

export const CALLBACK = 'https://lamps.example/callback';
/** Redirect URI of a client that cannot receive redirects. */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';
export const VERIFIER = 'Az09-._~'.repeat(6);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Returns a new client with the redirect URI CALLBACK. */
export function codeClient(server: TestServer, input: Partial<NewApplication> = {}): Client {
  const defaults = { name: 'Lamp board', scopes: ['api', 'read_user'], confidential: false, redirectUris: [CALLBACK] };
  return clientOf(createApplication(server.platform, { ...defaults, ...input }));
}

/** Returns a valid authorization request of a client; undefined members are omitted. */
export function requestOf(
  client: Client,
  more: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string>> {
  const all = {
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'api',
    state: 'xyz',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

export function addressOf(request: Readonly<Record<string, string>>): string {
  return `/oauth/authorize?${new URLSearchParams(request)}`;
}

/** Returns the parameters that were sent to the client's redirect URI. */
export function returned(response: TestResponse, mark: '?' | '#' = '?'): Readonly<Record<string, string>> {
  assert.equal(response.status, 303, response.text);
  const location = response.headers.get('location') ?? '';
  return Object.fromEntries(new URLSearchParams(location.slice(location.indexOf(mark) + 1)));
}

/** Returns the browser of a signed-in user. */
export async function person(server: TestServer, username = 'root'): Promise<PageClient> {
  const client = new PageClient(server);
  await client.signIn(username);
  return client;
}

/** Approves or denies a request on the page. */
export async function decideOn(
  browser: PageClient,
  request: Readonly<Record<string, string>>,
  decision: 'approve' | 'deny' = 'approve',
): Promise<TestResponse> {
  const page = await browser.open(addressOf(request));
  assert.equal(page.status, 200, page.text);
  return browser.submit(page, '/oauth/authorize', decision === 'deny' ? { _method: 'delete' } : {});
}

/** Returns the target of a page that redirects without consent; blank for any other page. */
export function leadsTo(page: TestResponse): string {
  return /<meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
}

/** Returns a code that root approves, or has approved before. */
export async function codeFor(server: TestServer, request: Readonly<Record<string, string>>): Promise<string> {
  const browser = await person(server);
  const location = leadsTo(await browser.open(addressOf(request)));
  const granted = URL.canParse(location)
    ? new URL(location).searchParams.get('code')
    : returned(await decideOn(browser, request))['code'];
  assert.ok(granted);
  return granted;
}

export function exchangeCode(server: TestServer, code: string, client: Client, more: Readonly<Record<string, string>> = {}) {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...client };
  return token(server, { ...form, ...(client.client_secret === undefined ? { code_verifier: VERIFIER } : {}), ...more });
}

/** Returns the rule and reason of the latest refusal. */
export function refusalOf(server: TestServer): { readonly rule: string; readonly reason: string } {
  return server.platform.requestLog.list(1)[0]?.refusal ?? { rule: '', reason: '' };
}
