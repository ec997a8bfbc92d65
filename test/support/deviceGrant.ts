// Performs a device grant of the extension's own application against a server in another process, approved on its pages as a person would.
import assert from 'node:assert/strict';
import { DEVICE_CODE_GRANT, readDeviceAuthorization, readTokenResponse, type TokenResponse } from '../../src/contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../../src/contract/product.ts';
import { readSignInLink } from '../../src/contract/control.ts';
import { formsOf } from './html.ts';

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
  decision: 'approve' | 'deny',
): Promise<void> {
  const cookies = new Map<string, string>();
  const visit = async (path: string, fields?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(new URL(path, origin), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
  const submit = async (page: Response, action: string, fields: Readonly<Record<string, string>>): Promise<Response> => {
    const form = formsOf(await page.text()).find((candidate) => candidate.action === action);
    assert.ok(form, `no form for ${action} on ${page.url}`);
    return visit(action, { ...form.fields, ...fields });
  };
  const link = readSignInLink(
    await (
      await fetch(`${origin}/_local/sign-in-links`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ username, return_to: '/' }),
      })
    ).json(),
  );
  assert.ok(link !== undefined);
  assert.equal((await visit(link.url)).status, 303);
  const consent = await submit(await visit('/oauth/device'), '/oauth/device', { user_code: userCode });
  assert.equal((await submit(consent, '/oauth/device/confirm', { decision })).status, 303);
}
