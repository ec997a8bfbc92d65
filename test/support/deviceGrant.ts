// Performs a device grant of the extension's own application against a server in another process, approved on its pages as a person would.
import assert from 'node:assert/strict';
import { DEVICE_CODE_GRANT, readDeviceAuthorization, readTokenResponse, type TokenResponse } from '../../src/contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../../src/contract/product.ts';
import { readSignInLink } from '../../src/contract/control.ts';
import { createPageVisitor, type PageVisitor, type VisitedPage } from './pageVisitor.ts';

/** Returns tokens with scope `api` for a user of the server. */
export async function tokensByDeviceGrant(origin: string, adminToken: string, username: string): Promise<TokenResponse> {
  const form = async (path: string, fields: Readonly<Record<string, string>>): Promise<unknown> =>
    (await fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(fields) })).json();
  const codes = readDeviceAuthorization(await form('/oauth/authorize_device', { client_id: EXTENSION_CLIENT_ID, scope: 'api' }));
  assert.ok(codes !== undefined);
  await decideByPages(origin, adminToken, username, codes.user_code, 'approve');
  const grant = { grant_type: DEVICE_CODE_GRANT, client_id: EXTENSION_CLIENT_ID, device_code: codes.device_code };
  const tokens = readTokenResponse(await form('/oauth/token', grant));
  assert.ok(tokens !== undefined);
  return tokens;
}

/** Signs the user in with a one-time link, and approves or denies the code. */
export async function decideByPages(
  origin: string,
  adminToken: string,
  username: string,
  userCode: string,
  decision: Decision,
): Promise<void> {
  const visitor = await signedInVisitor(origin, adminToken, username);
  await decideCode(visitor, await visitor.open(`${origin}/oauth/device`), userCode, decision);
}

type Decision = 'approve' | 'deny';

/** Returns a browser that is signed in as a user. */
export async function signedInVisitor(origin: string, adminToken: string, username: string): Promise<PageVisitor> {
  const response = await fetch(`${origin}/_local/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username, return_to: '/' }),
  });
  const link = readSignInLink(await response.json());
  assert.ok(link !== undefined);
  const visitor = createPageVisitor();
  assert.equal((await visitor.open(link.url)).status, 200);
  return visitor;
}

/** Approves or denies a code on the device page, which may have the code filled in. */
export async function decideCode(visitor: PageVisitor, page: VisitedPage, userCode: string, decision: Decision): Promise<void> {
  const consent = await visitor.submit(page, '/oauth/device', { user_code: userCode });
  const result = await visitor.submit(consent, '/oauth/device/confirm', { decision });
  assert.match(result.html, decision === 'approve' ? /Access approved/ : /Access denied/);
}
