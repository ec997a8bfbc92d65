import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('the emulated platform of a running server', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  const change = async (profile: Readonly<Record<string, string>>) =>
    server.request('PUT', '/_local/profile', { token: server.adminToken, json: profile });

  it('another release, tier and dialect apply to the next request, and omitted ones stay', async () => {
    const grants = async (): Promise<unknown> => (await server.request('GET', '/.well-known/openid-configuration')).json();
    assert.match(JSON.stringify(await grants()), /device_code/);
    const changed = await change({ release: '17.0', tier: 'free' });
    assert.deepEqual(changed.json(), { release: '17.0', tier: 'free', offering: 'self-managed', dialect: 'documented' });
    assert.doesNotMatch(JSON.stringify(await grants()), /device_code/);
    assert.equal((await server.request('POST', '/oauth/authorize_device')).status, 404);
    const version = await server.request('GET', '/api/v4/version', { token: server.adminToken });
    assert.equal((version.json() as { version: string }).version, '17.0.0-ee');
    await change({ release: '18.11', dialect: 'observed' });
    assert.equal(server.platform.dialect.tokenType, 'Bearer');
    assert.notEqual((await server.request('POST', '/oauth/authorize_device')).status, 404);
  });

  it('data and streams survive a change', async () => {
    const created = await server.request('POST', '/api/v4/projects', { token: server.adminToken, json: { name: 'Lamps' } });
    const { id } = created.json() as { id: number };
    const stream = await fetch(`${server.origin}/_local/stream`, {
      headers: { Authorization: `Bearer ${server.adminToken}`, Accept: 'text/event-stream' },
    });
    assert.equal(stream.status, 200);
    await change({ release: '16.0' });
    assert.equal((await server.request('GET', `/api/v4/projects/${id}`, { token: server.adminToken })).status, 200);
    const reader = stream.body?.getReader();
    assert.equal((await reader?.read())?.done, false);
    await reader?.cancel();
  });

  it('an unknown release is refused with its name, and nothing changes', async () => {
    const refused = await change({ release: '21.0', tier: 'free' });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json(), { error: 'release does not have a valid value' });
    assert.equal(server.platform.profile.tier, 'ultimate');
  });
});
