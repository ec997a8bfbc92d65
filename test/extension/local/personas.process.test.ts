import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { readPersonalToken, readUserBasic } from '../../../src/contract/identity.ts';
import { controlRequest, createLocalControl } from '../../../src/local/control.ts';
import { type ServerProcess, spawnServer } from '../../support/serverProcess.ts';

const ADMIN_TOKEN = 'fedcba9876543210'.repeat(4);

describe('demo users of the local server', () => {
  let server: ServerProcess;
  const send = createLoopbackSend();
  beforeEach(async () => {
    server = await spawnServer(['serve', '--port', '0', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } });
    assert.equal(server.line['event'], 'listening', server.stderr());
    const amara = { username: 'amara', name: 'Amara Okafor', email: 'amara@example.com', force_random_password: 'true' };
    const created = await send(controlRequest(`${server.origin}/api/v4/users`, ADMIN_TOKEN, amara));
    assert.equal(created.status, 201, created.body);
  });
  afterEach(() => server.stop());

  const control = (token = ADMIN_TOKEN) => createLocalControl(server.origin, token, send, Date.now);
  const clientOf = (token: string) =>
    createClient({
      baseUrl: server.origin,
      send,
      credentials: { token: async () => token, renewed: async () => undefined },
      now: Date.now,
      sleep: async () => undefined,
    });

  it('demo users are listed with their roles', async () => {
    const users = await control().users();
    assert.deepEqual(
      users.map((user) => [user.username, user['is_admin']]),
      [
        ['amara', false],
        ['root', true],
      ],
    );
  });

  it('demo users do not include the ghost user of deleted ones', async () => {
    const amara = (await control().users()).find(({ username }) => username === 'amara');
    const client = clientOf(ADMIN_TOKEN);
    await client.change({ method: 'DELETE', path: `/users/${amara?.id}` }, () => true);
    assert.equal((await client.list('/users', readUserBasic, {})).items.length, 2);
    assert.deepEqual(
      (await control().users()).map(({ username }) => username),
      ['root'],
    );
  });

  it('demo users get a token with the scope api that expires by the clock of the server', async () => {
    await send(controlRequest(`${server.origin}/_local/clock`, ADMIN_TOKEN, { freeze_at: '2041-05-01T10:00:00Z' }));
    const users = await control().users();
    const amara = users.find(({ username }) => username === 'amara');
    assert.ok(amara !== undefined);
    const { token } = await control().personalToken(amara.id, 'Signed in as @amara', 30);
    assert.equal((await clientOf(token).get('/user', readUserBasic)).username, 'amara');
    const self = await clientOf(token).get('/personal_access_tokens/self', readPersonalToken);
    assert.deepEqual([self.scopes, self['expires_at'], self['name']], [['api'], '2041-05-31', 'Signed in as @amara']);
  });

  it('tokens of demo users cannot be created with the token of a demo user', async () => {
    const amara = (await control().users()).find(({ username }) => username === 'amara');
    const { token } = await control().personalToken(amara?.id ?? 0, 'Signed in as @amara', 30);
    await assert.rejects(control(token).personalToken(1, 'Signed in as @root', 30));
  });
});
