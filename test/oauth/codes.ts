import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createApplication, type NewApplication } from '../../server/oauth/oauth.ts';
import { PageClient } from '../support/pages.ts';
import type { TestResponse, TestServer } from '../support/server.ts';
import { type Client, clientOf, token } from './support.ts';

// The authorization code grant as a client and a person with a browser go through it.

export const CALLBACK = 'https://lamps.example/callback';
/** For a program that no browser can be sent back to. */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';
export const VERIFIER = 'Az09-._~'.repeat(6);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** A client that may have its codes sent to CALLBACK. */
export function codeClient(server: TestServer, input: Partial<NewApplication> = {}): Client {
  const defaults = { name: 'Lamp board', scopes: ['api', 'read_user'], confidential: false, redirectUris: [CALLBACK] };
  return clientOf(createApplication(server.platform, { ...defaults, ...input }));
}

/** A good authorization request of a client; an undefined member is left out. */
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

/** What came back to the client's address. */
export function returned(response: TestResponse, mark: '?' | '#' = '?'): Readonly<Record<string, string>> {
  assert.equal(response.status, 303, response.text);
  const location = response.headers.get('location') ?? '';
  return Object.fromEntries(new URLSearchParams(location.slice(location.indexOf(mark) + 1)));
}

/** A person who is signed in. */
export async function person(server: TestServer, username = 'root'): Promise<PageClient> {
  const client = new PageClient(server);
  await client.signIn(username);
  return client;
}

/** Lets a person approve or deny a request on the page. */
export async function decideOn(
  browser: PageClient,
  request: Readonly<Record<string, string>>,
  decision: 'approve' | 'deny' = 'approve',
): Promise<TestResponse> {
  const page = await browser.open(addressOf(request));
  assert.equal(page.status, 200, page.text);
  return browser.submit(page, '/oauth/authorize', decision === 'deny' ? { _method: 'delete' } : {});
}

/** Where a page leads that asks nobody; blank for any other page. */
export function leadsTo(page: TestResponse): string {
  return /<meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
}

/** A code that root granted, now or before. */
export async function codeFor(server: TestServer, request: Readonly<Record<string, string>>): Promise<string> {
  const browser = await person(server);
  const location = leadsTo(await browser.open(addressOf(request)));
  const granted = URL.canParse(location)
    ? new URL(location).searchParams.get('code')
    : returned(await decideOn(browser, request))['code'];
  assert.ok(granted);
  return granted;
}

export function context(server: TestServer, code: string, client: Client, more: Readonly<Record<string, string>> = {}) {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...client };
  return token(server, { ...form, ...(client.client_secret === undefined ? { code_verifier: VERIFIER } : {}), ...more });
}

/** Rule and reason of the latest refusal. */
export function refusalOf(server: TestServer): { readonly rule: string; readonly reason: string } {
  return server.platform.requestLog.list(1)[0]?.refusal ?? { rule: '', reason: '' };
}
