import assert from 'node:assert/strict';
import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { createApplication, type CreatedApplication } from '../../../server/features/oauth/applications.ts';
import { PageClient } from '../../support/pages.ts';
import type { TestResponse, TestServer } from '../../support/server.ts';

/** Members of a token response that every test reads. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly created_at: number;
}

export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export interface Client {
  readonly client_id: string;
  readonly client_secret?: string;
}

export const extension: Client = { client_id: EXTENSION_CLIENT_ID };

export function clientOf({ application, secret }: CreatedApplication): Client {
  return { client_id: application.uid, ...(secret === undefined ? {} : { client_secret: secret }) };
}

export function confidentialClient(server: TestServer, scopes: readonly string[] = ['api', 'read_user']): Client {
  return clientOf(createApplication(server.platform, { name: 'Confidential', scopes, confidential: true }));
}

export function publicClient(server: TestServer, scopes: readonly string[] = ['api', 'read_user']): Client {
  return clientOf(createApplication(server.platform, { name: 'Public', scopes, confidential: false }));
}

export function basic({ client_id, client_secret = '' }: Client): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` };
}

export function authorizeDevice(server: TestServer, form: Readonly<Record<string, string>>): Promise<TestResponse> {
  return server.request('POST', '/oauth/authorize_device', { form });
}

export async function deviceCodes(server: TestServer, client: Client = extension, scope = 'api'): Promise<DeviceCodes> {
  const response = await authorizeDevice(server, { ...client, scope });
  assert.equal(response.status, 200, response.text);
  return response.json() as DeviceCodes;
}

export function token(server: TestServer, form: Readonly<Record<string, string>>): Promise<TestResponse> {
  return server.request('POST', '/oauth/token', { form });
}

export function poll(server: TestServer, codes: DeviceCodes, client: Client = extension): Promise<TestResponse> {
  return token(server, { grant_type: DEVICE_CODE_GRANT, device_code: codes.device_code, ...client });
}

export function refresh(server: TestServer, refreshToken: string, client: Client, more: Record<string, string> = {}) {
  return token(server, { grant_type: 'refresh_token', refresh_token: refreshToken, ...client, ...more });
}

/** Approves or denies on the device pages. */
export async function decide(
  server: TestServer,
  codes: DeviceCodes,
  decision: 'approve' | 'deny' = 'approve',
  username = 'root',
): Promise<void> {
  const person = new PageClient(server);
  await person.signIn(username);
  const entry = await person.open('/oauth/device');
  const consent = await person.submit(entry, '/oauth/device', { user_code: codes.user_code });
  const done = await person.submit(consent, '/oauth/device/confirm', { decision });
  assert.equal(done.status, 303, done.text);
}

/** Returns tokens of a device grant that root approved. */
export async function signedIn(server: TestServer, client: Client = extension, scope = 'api'): Promise<Tokens> {
  const codes = await deviceCodes(server, client, scope);
  await decide(server, codes);
  const response = await poll(server, codes, client);
  assert.equal(response.status, 200, response.text);
  return response.json() as Tokens;
}

/** Returns the status of `GET /api/v4/user` with a token: 200 if the token is valid. */
export async function userStatus(server: TestServer, accessToken: string): Promise<number> {
  return (await server.request('GET', '/api/v4/user', { token: accessToken })).status;
}

/** Asserts status and code of an OAuth error, and that it must not be cached. */
export function checkError(response: TestResponse, status: number, error: string): void {
  assert.equal(response.status, status, response.text);
  const body = response.json() as { error: string; error_description: string };
  assert.equal(body.error, error, response.text);
  assert.equal(typeof body.error_description, 'string');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('pragma'), 'no-cache');
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
}
