import { addressOf, codeClient, decideOn, OUT_OF_BAND, requestOf, returned } from '../../server/oauth/codes.ts';
import { confidentialClient, deviceCodes, extension, publicClient, signedIn } from '../../server/oauth/support.ts';
import { formsOf } from '../pages.ts';
import type { TestServer } from '../server.ts';
import { registerFor } from './applications.ts';
import { browser, formExample, sentForm } from './browser.ts';
import type { Examples } from './example.ts';

async function openIdToken(server: TestServer): Promise<string> {
  return (await signedIn(server, publicClient(server, ['openid']), 'openid')).access_token;
}

export const oauthExamples: Examples = {
  'POST /oauth/authorize_device': ({ server, fresh }) => ({
    asForm: true,
    params: { client_id: registerFor(server, fresh('app')), scope: 'read_user' },
  }),
  'POST /oauth/token': async ({ server }) => {
    const { refresh_token } = await signedIn(server);
    return { asForm: true, params: { ...extension, grant_type: 'refresh_token', refresh_token } };
  },
  'POST /oauth/revoke': async ({ server }) => ({
    asForm: true,
    params: { ...extension, token: (await signedIn(server)).access_token },
  }),
  'POST /oauth/introspect': async ({ server }) => {
    const client = confidentialClient(server);
    return { asForm: true, params: { ...client, token: (await signedIn(server, client)).access_token } };
  },
  'GET /oauth/userinfo': async ({ server }) => ({ token: await openIdToken(server) }),
  'POST /oauth/userinfo': async ({ server }) => ({ asForm: true, params: { access_token: await openIdToken(server) } }),
  'GET /oauth/discovery/keys': () => ({}),
  'GET /.well-known/openid-configuration': () => ({}),
  'GET /.well-known/oauth-authorization-server': () => ({}),
  'GET /.well-known/webfinger': ({ server }) => ({ params: { resource: `${server.origin}/root` } }),
  'GET /oauth/token/info': async ({ server }) => ({ params: { access_token: (await signedIn(server)).access_token } }),
  'GET /oauth/authorize': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    params: requestOf(codeClient(fixture.server)),
  }),
  'POST /oauth/authorize': async (fixture) => {
    const page = addressOf(requestOf(codeClient(fixture.server)));
    return formExample(await browser(fixture), page, '/oauth/authorize');
  },
  'GET /oauth/authorize/native': async (fixture) => {
    const client = await browser(fixture);
    const request = requestOf(codeClient(fixture.server, { redirectUris: [OUT_OF_BAND] }), { redirect_uri: OUT_OF_BAND });
    const { code = '' } = returned(await decideOn(client, request));
    return { headers: { Cookie: client.cookieHeader() }, params: { code } };
  },
  'DELETE /oauth/authorize': async (fixture) => {
    const client = await browser(fixture);
    const request = requestOf(codeClient(fixture.server));
    const page = await client.open(addressOf(request));
    const token = formsOf(page.text)[0]?.fields['authenticity_token'] ?? '';
    return { headers: { Cookie: client.cookieHeader(), 'X-CSRF-Token': token }, params: request };
  },
  'GET /oauth/device': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    params: { user_code: 'ABCD-EFGH' },
  }),
  'POST /oauth/device': async (fixture) => {
    const { user_code } = await deviceCodes(fixture.server, { client_id: registerFor(fixture.server, fixture.fresh('app')) });
    return formExample(await browser(fixture), '/oauth/device', '/oauth/device', { user_code });
  },
  'POST /oauth/device/confirm': async (fixture) => {
    const { user_code } = await deviceCodes(fixture.server, { client_id: registerFor(fixture.server, fixture.fresh('app')) });
    const client = await browser(fixture);
    const consent = await client.submit(await client.open('/oauth/device'), '/oauth/device', { user_code });
    return sentForm(client, consent.text, '/oauth/device/confirm', { decision: 'approve' });
  },
  'GET /oauth/device/approved': () => ({}),
  'GET /oauth/device/denied': () => ({}),
};
