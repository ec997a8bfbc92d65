import assert from 'node:assert/strict';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { basic, checkError, type Client, confidentialClient, extension } from './support.ts';

/** Every case is sent to the device authorization endpoint; all endpoints read their parameters in the same way. */
describe('parameters of the OAuth endpoints', () => {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    client = confidentialClient(server);
  });
  after(() => server.close());

  const id = extension.client_id;
  const form = (body: string, query = '', headers: Record<string, string> = {}): Promise<TestResponse> =>
    server.request('POST', `/oauth/authorize_device${query}`, { form: body, headers });
  /** Returns status and error for a body of any content type; bytes without a type are sent without one. */
  const sendAs = async (type: string | undefined, body: string): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${server.origin}/oauth/authorize_device`, {
      method: 'POST',
      body: new TextEncoder().encode(body),
      ...(type === undefined ? {} : { headers: { 'Content-Type': type } }),
    });
    const { error } = (await response.json()) as { error?: unknown };
    return [response.status, error];
  };

  it('OAuth parameters are read from a form, and nonsecret ones from the query', async () => {
    assert.equal((await form(`client_id=${id}&scope=api+read_user`)).status, 200);
    assert.equal((await form(`client_id=${id}&scope=api%20read_user&unknown=x`)).status, 200);
    assert.equal((await form('', `?client_id=${id}`)).status, 200);
  });

  it('OAuth parameters are read from a JSON body', async () => {
    const json = { client_id: id, scope: 'api', unknown: 5, missing: null };
    assert.equal((await server.request('POST', '/oauth/authorize_device', { json })).status, 200);
  });

  it('OAuth parameters are read from a multipart form', async () => {
    const body = new FormData();
    body.set('client_id', id);
    const response = await fetch(`${server.origin}/oauth/authorize_device`, { method: 'POST', body });
    assert.equal(response.status, 200, await response.text());
  });

  it('blank OAuth parameters are ignored', async () => {
    assert.equal((await form(`client_id=${id}&client_secret=&scope=`)).status, 200);
  });

  it('an OAuth parameter that is sent twice, in body, query or both, is refused', async () => {
    const refused = [
      await form(`client_id=${id}&client_id=${id}`),
      await form(`client_id=${id}&scope=api&scope=api`),
      await form(`client_id=${id}`, `?client_id=${id}`),
      await form('', `?client_id=${id}&client_id=other`),
    ];
    for (const response of refused) {
      checkError(response, 400, 'invalid_request');
      assert.match(response.text, /more than once/);
      assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'parameters.single');
    }
  });

  it('an OAuth parameter that is an array or a hash is refused', async () => {
    for (const body of [`client_id=${id}&scope[]=api`, `client_id=${id}&scope%5Ba%5D=api`, `client_id[]=${id}`]) {
      checkError(await form(body), 400, 'invalid_request');
    }
    for (const json of [{ client_id: id, scope: ['api'] }, { client_id: { a: id } }, [id]]) {
      checkError(await server.request('POST', '/oauth/authorize_device', { json }), 400, 'invalid_request');
    }
  });

  it('secret OAuth parameters in the URL are refused and not logged', async () => {
    const secret = 'very-secret-value';
    for (const name of ['client_secret', 'code', 'code_verifier', 'device_code', 'password', 'refresh_token', 'token']) {
      for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/authorize_device']) {
        const response = await server.request('POST', `${path}?${name}=${secret}`, { form: { ...extension } });
        checkError(response, 400, 'invalid_request');
        assert.match(response.text, /in the body and not in the URL/);
      }
    }
    assert.ok(!JSON.stringify(server.platform.requestLog.list(100)).includes(secret));
  });

  it('unreadable OAuth parameters are refused', async () => {
    checkError(await form(`client_id=%zz`), 400, 'invalid_request');
    for (const [type, body] of [
      ['application/json', '{"client_id":'],
      ['application/json', '"text"'],
      ['text/plain', `client_id=${id}`],
      ['multipart/form-data', '--no boundary'],
      ['multipart/form-data; boundary=a', '--a\r\nnonsense'],
    ] as const) {
      assert.deepEqual(await sendAs(type, body), [400, 'invalid_request'], `${type}: ${body}`);
    }
    checkError(await form(`client_id=${'x'.repeat(70_000)}`), 413, 'invalid_request');
  });

  it('text of OAuth parameters is never copied into a header', async () => {
    const response = await form('a%0d%0ab=1&a%0d%0ab=2');
    checkError(response, 400, 'invalid_request');
    assert.ok(!response.text.includes('\\r'));
  });

  it('a body without a content type is read as a form', async () => {
    assert.deepEqual(await sendAs(undefined, `client_id=${id}`), [200, undefined]);
  });

  describe('with HTTP Basic', () => {
    it('HTTP Basic credentials are form-decoded, and the scheme is case-insensitive', async () => {
      const [uid, secret] = [client.client_id, client.client_secret ?? ''];
      const encoded = Buffer.from(`${uid.replace(/^./, escaped)}:${secret.replace('-', '%2D')}`).toString('base64');
      for (const scheme of ['Basic', 'basic', 'BASIC']) {
        const response = await form('scope=api', '', { Authorization: `${scheme} ${encoded}` });
        assert.equal(response.status, 200, response.text);
      }
    });

    it('HTTP Basic and the body may name the same client, but not two clients', async () => {
      assert.equal((await form(`client_id=${client.client_id}`, '', basic(client))).status, 200);
      checkError(await form(`client_id=${id}`, '', basic(client)), 400, 'invalid_request');
    });

    it('HTTP Basic and the body may not both contain the secret', async () => {
      const body = `client_id=${client.client_id}&client_secret=${client.client_secret}`;
      checkError(await form(body, '', basic(client)), 400, 'invalid_request');
    });

    it('unreadable HTTP Basic credentials are refused as an unknown client', async () => {
      for (const value of ['Basic', 'Basic ???', `Basic ${btoa('no colon')}`, `Basic ${btoa('%zz:secret')}`]) {
        checkError(await form('scope=api', '', { Authorization: value }), 401, 'invalid_client');
      }
    });

    it('OAuth client authentication ignores other Authorization schemes', async () => {
      assert.equal((await form(`client_id=${id}`, '', { Authorization: 'Bearer something' })).status, 200);
    });
  });
});

function escaped(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
