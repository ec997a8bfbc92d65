import assert from 'node:assert/strict';
import { contentsOf } from '../../support/secrets.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const admin = 'process-test-token-0123456789';
const token = 'lamps-and-lanterns-42';
const VARIABLE = 'SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN';
const env = { SIGNALBOX_ADMIN_TOKEN: admin };

async function registration({ origin }: ServerProcess, sent: string): Promise<number> {
  const response = await fetch(`${origin}/api/v4/runners`, { method: 'POST', body: new URLSearchParams({ token: sent }) });
  return response.status;
}

describe('registration tokens of a server process', () => {
  it('the environment sets the token of the instance, which is stored as a hash until it is reset', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--release', '17.0'];
    await using server = await spawnServer(args, { env: { ...env, [VARIABLE]: token } });
    assert.equal(await registration(server, token), 201);
    assert.match(server.stderr(), new RegExp(`^warn: .*${VARIABLE} is deprecated and ends with release 20\\.0`, 'm'));
    assert.ok(!server.stderr().includes(token));
    await server.stop();
    for (const part of contentsOf(folder.path)) assert.ok(!part.includes(token));

    await using again = await spawnServer(args, { env });
    assert.equal(await registration(again, token), 201);
    assert.ok(!again.stderr().includes(VARIABLE));
    await requestOf(again, admin, 'POST', '/api/v4/runners/reset_registration_token');
    assert.equal(await registration(again, token), 403);
  });

  it('the environment has no effect from release 20.0 on', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--release'];
    await using server = await spawnServer([...args, '20.0'], { env: { ...env, [VARIABLE]: token } });
    assert.equal(await registration(server, token), 410);
    assert.match(server.stderr(), new RegExp(`^warn: .*${VARIABLE} is ignored since release 20\\.0`, 'm'));
    await server.stop();
    await using earlier = await spawnServer([...args, '19.11'], { env });
    assert.equal(await registration(earlier, token), 403);
  });

  it('the token of a project survives a restart', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--release', '18.0'];
    await using server = await spawnServer(args, { env });
    const made = (await requestOf(server, admin, 'POST', '/api/v4/projects', { name: 'Lamps' })) as { runners_token: string };
    await server.stop();
    await using again = await spawnServer(args, { env });
    assert.equal(await registration(again, made.runners_token), 201);
  });
});
