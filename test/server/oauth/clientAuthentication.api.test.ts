import assert from 'node:assert/strict';
import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { CALLBACK, codeClient, codeFor, exchangeCode, refusalOf, requestOf } from './codes.ts';
import { basic, checkError, type Client, deviceCodes, decide, signedIn } from './support.ts';

/** A request of a confidential client, without its credentials. */
interface Case {
  readonly name: string;
  readonly path: string;
  readonly form: () => Promise<Readonly<Record<string, string>>>;
}

describe('client authentication', () => {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    client = codeClient(server, { confidential: true });
  });
  after(() => server.close());

  const cases: readonly Case[] = [
    {
      name: 'a code exchange',
      path: '/oauth/token',
      form: async () => {
        const request = requestOf(client, { code_challenge: undefined, code_challenge_method: undefined });
        return { grant_type: 'authorization_code', redirect_uri: CALLBACK, code: await codeFor(server, request) };
      },
    },
    {
      name: 'a refresh',
      path: '/oauth/token',
      form: async () => ({ grant_type: 'refresh_token', refresh_token: (await signedIn(server, client)).refresh_token }),
    },
    {
      name: 'a device code poll',
      path: '/oauth/token',
      form: async () => {
        const codes = await deviceCodes(server, client);
        await decide(server, codes);
        return { grant_type: DEVICE_CODE_GRANT, device_code: codes.device_code };
      },
    },
    { name: 'client credentials', path: '/oauth/token', form: async () => ({ grant_type: 'client_credentials' }) },
    { name: 'a device authorization', path: '/oauth/authorize_device', form: async () => ({ scope: 'api' }) },
    {
      name: 'a revocation',
      path: '/oauth/revoke',
      form: async () => ({ token: (await signedIn(server, client)).access_token }),
    },
  ];

  for (const { name, path, form } of cases) {
    describe(`for ${name}`, () => {
      const send = (sent: Readonly<Record<string, string>>, headers: Record<string, string> = {}, query = '') =>
        server.request('POST', `${path}${query}`, { form: sent, headers });
      const good = (response: TestResponse): void => assert.equal(response.status, 200, response.text);

      it(`the client secret is accepted in the body for ${name}`, async () => good(await send({ ...(await form()), ...client })));
      it(`the client secret is accepted by HTTP Basic for ${name}`, async () => good(await send(await form(), basic(client))));

      it(`client authentication by HTTP Basic is form-encoded, and its scheme is case-insensitive, for ${name}`, async () => {
        const { client_id, client_secret = '' } = client;
        const pair = `%${client_id.charCodeAt(0).toString(16)}${client_id.slice(1)}:${client_secret.replace('-', '%2d')}`;
        const sent = await form();
        good(await send(sent, { Authorization: `bAsIc ${Buffer.from(pair).toString('base64')}` }));
      });

      it(`client authentication with a wrong or missing secret returns 401 with a challenge in the same scheme for ${name}`, async () => {
        const sent = await form();
        const wrong = { ...client, client_secret: 'wrong' };
        for (const [response, scheme] of [
          [await send(sent, basic(wrong)), /^Basic realm="Doorkeeper", error="invalid_client"/],
          [await send({ ...sent, ...wrong }), /^Bearer realm="Doorkeeper", error="invalid_client"/],
          [await send({ ...sent, client_id: client.client_id }), /^Bearer /],
          [await send({ ...sent, client_id: 'nobody' }), /^Bearer /],
        ] as const) {
          checkError(response, 401, 'invalid_client');
          assert.match(response.headers.get('www-authenticate') ?? '', scheme);
        }
        good(await send({ ...sent, ...client }));
      });

      it(`client authentication in two ways at once or with the secret in the URL is refused for ${name}`, async () => {
        const sent = await form();
        const { client_id, client_secret = '' } = client;
        const twice = await send({ ...sent, ...client }, basic(client));
        checkError(twice, 400, 'invalid_request');
        assert.equal(twice.headers.get('www-authenticate'), null);
        assert.match(refusalOf(server).reason, /two ways at once/);
        checkError(await send(sent, {}, `?client_id=${client_id}&client_secret=${client_secret}`), 400, 'invalid_request');
        assert.match(refusalOf(server).reason, /in the body and not in the URL/);
        assert.ok(!JSON.stringify(server.platform.requestLog.list(5)).includes(client_secret));
        good(await send({ ...sent, client_id }, basic(client)));
      });

      it(`a client parameter that is sent twice or as a list is refused for ${name}`, async () => {
        const sent = { ...(await form()), ...client };
        const text = new URLSearchParams(sent).toString();
        for (const more of [
          `client_id=${client.client_id}`,
          'client_secret=other',
          'scope=api&scope=api',
          'scope[]=api',
          'client_id[a]=b',
        ]) {
          const response = await server.request('POST', path, { form: `${text}&${more}` });
          checkError(response, 400, 'invalid_request');
          assert.equal(response.headers.get('www-authenticate'), null, 'a 400 has no challenge');
        }
        const list = await server.request('POST', path, { json: { ...sent, client_id: [client.client_id] } });
        checkError(list, 400, 'invalid_request');
        good(await send(sent));
      });

      it(`an endpoint with client authentication accepts only POST for ${name}`, async () => {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
          const response = await server.request(method, `${path}?client_id=${client.client_id}`);
          assert.equal(response.status, 404, method);
        }
      });
    });
  }

  it('OAuth responses of success and failure have Cache-Control: no-store', async () => {
    const open = codeClient(server);
    const responses = [
      await exchangeCode(server, await codeFor(server, requestOf(open)), open),
      await exchangeCode(server, 'unknown', open),
    ];
    for (const { headers } of responses) {
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('pragma'), 'no-cache');
    }
  });
});
