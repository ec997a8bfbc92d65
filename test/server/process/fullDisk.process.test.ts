import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'full-disk-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const preload = path.join(import.meta.dirname, '../../support/driverFaults.ts');
const ada = { username: 'ada', password: 'crane-password-1' };
const headers = { 'PRIVATE-TOKEN': token };

/** Starts a server with a user and a project that tracks errors. Its disk is full while the file `full` exists. */
async function serverWithDisk(folder: string) {
  const full = path.join(folder, 'full');
  const server = await spawnServer(['serve', '--data', path.join(folder, 'data')], {
    env: { ...env, SIGNALBOX_TEST_DISK_FULL: full },
    preload,
  });
  await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'p' });
  await requestOf(server, token, 'POST', '/api/v4/users', { ...ada, name: 'Ada', email: 'ada@example.com' });
  await requestOf(server, token, 'PUT', '/api/v4/projects/1/error_tracking/settings', { active: true, integrated: true });
  const key = await requestOf(server, token, 'POST', '/api/v4/projects/1/error_tracking/client_keys');
  assert.ok(typeof key === 'object' && key !== null && 'public_key' in key);
  const store = `${server.origin}/api/v4/error_tracking/collector/api/1/store/?sentry_key=${String(key.public_key)}`;
  let number = 0;
  return {
    server,
    fill: () => writeFileSync(full, ''),
    free: () => rmSync(full),
    /** Sends an event of always the same error. Returns the status of the response. */
    sendEvent: async (): Promise<number> => {
      number += 1;
      const event = { event_id: number.toString(16).padStart(32, '0'), message: 'The crane stands still', level: 'error' };
      const response = await fetch(store, { method: 'POST', body: JSON.stringify(event) });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

async function countIn(server: ServerProcess): Promise<number> {
  const list = await requestOf(server, token, 'GET', '/api/v4/projects/1/error_tracking/errors');
  assert.ok(Array.isArray(list));
  return list.reduce((sum, { count }) => sum + Number(count), 0);
}

const post = (server: ServerProcess, target: string, init: RequestInit): Promise<Response> =>
  fetch(`${server.origin}${target}`, { method: 'POST', redirect: 'manual', ...init });

describe('a server whose disk becomes full', function () {
  it('a server whose disk becomes full reports it in the format of each area, and continues when there is space again', async () => {
    using folder = temporaryFolder();
    const { server, fill, free, sendEvent } = await serverWithDisk(folder.path);
    await using _ = server;
    fill();
    const issue = { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ title: 'Crane' }) };
    const refused = await post(server, '/api/v4/projects/1/issues', issue);
    assert.equal(refused.status, 507);
    const { message } = (await refused.json()) as { message: string };
    assert.match(message, /^507 Insufficient Storage - The disk of this server is full\. Free some space/);

    const client = await post(server, '/oauth/authorize_device', {
      body: new URLSearchParams({ client_id: '8f2b6a7c41d95e03b1c8f4e29a6d70537e1c94b82fd3650a9c7be4160f58d23a' }),
    });
    assert.deepEqual(
      { status: client.status, error: ((await client.json()) as { error: string }).error },
      { status: 507, error: 'temporarily_unavailable' },
    );
    assert.equal(await sendEvent(), 503);
    assert.doesNotMatch(server.stderr(), /defect/);

    free();
    assert.equal((await post(server, '/api/v4/projects/1/issues', issue)).status, 201);
    assert.equal(await sendEvent(), 200);
    assert.equal(await countIn(server), 1);
  });

  it('a server whose disk becomes full still serves pages and lists, also to a new token and a new browser', async () => {
    using folder = temporaryFolder();
    const { server, fill, free } = await serverWithDisk(folder.path);
    await using _ = server;
    const made = await requestOf(server, token, 'POST', '/api/v4/users/1/personal_access_tokens', {
      name: 'unused',
      scopes: ['api'],
    });
    assert.ok(typeof made === 'object' && made !== null && 'token' in made);
    fill();
    const unused = { 'PRIVATE-TOKEN': String(made.token) };
    for (const target of ['/api/v4/user', '/api/v4/projects', '/api/v4/projects/1/issues', '/api/v4/events']) {
      assert.equal((await fetch(`${server.origin}${target}`, { headers: unused })).status, 200, target);
    }
    const page = await fetch(`${server.origin}/users/sign_in`);
    assert.equal(page.status, 200);
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const formToken = /name="authenticity_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const form = {
      headers: { cookie },
      body: new URLSearchParams({ authenticity_token: formToken, login: ada.username, password: 'wrong' }),
    };
    free();
    // The form of a session that could not be stored is still valid, so the wrong password is the only problem.
    assert.notEqual((await post(server, '/users/sign_in', form)).status, 403);
  });

  it('a server whose disk becomes full shows an HTML page with instructions when a form cannot be stored', async () => {
    using folder = temporaryFolder();
    const { server, fill } = await serverWithDisk(folder.path);
    await using _ = server;
    const page = await fetch(`${server.origin}/users/sign_in`);
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const formToken = /name="authenticity_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    fill();
    const form = new URLSearchParams({ authenticity_token: formToken, login: ada.username, password: ada.password });
    const response = await post(server, '/users/sign_in', { headers: { cookie }, body: form });
    assert.equal(response.status, 507);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await response.text(), /The disk of this server is full.*Free some space/s);
  });

  it('a server whose disk becomes full counts every acknowledged event, including those that it had no space to count', async () => {
    using folder = temporaryFolder();
    const { server, fill, free, sendEvent } = await serverWithDisk(folder.path);
    await using _ = server;
    // The first event is counted when it arrives; the following ones are only appended.
    const statuses = await Promise.all([sendEvent(), sendEvent(), sendEvent()]);
    fill();
    for (let n = 0; n < 5; n += 1) statuses.push(await sendEvent());
    const acknowledged = statuses.filter((status) => status === 200).length;
    assert.equal(await countIn(server), acknowledged);
    assert.equal(await countIn(server), acknowledged, 'asked again');
    free();
    assert.equal(await sendEvent(), 200);
    assert.equal(await countIn(server), acknowledged + 1);
  });

  it('a server whose disk becomes full shuts down cleanly and reports at the next start that the disk is full', async () => {
    using folder = temporaryFolder();
    const { server, fill } = await serverWithDisk(folder.path);
    await using _ = server;
    fill();
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    await using again = await spawnServer(['serve', '--data', path.join(folder.path, 'data')], {
      env: { SIGNALBOX_ADMIN_TOKEN: `${token}-new`, SIGNALBOX_TEST_DISK_FULL: path.join(folder.path, 'full') },
      preload,
    });
    assert.partialDeepStrictEqual(again.line, { event: 'fatal', code: 'disk_full' });
    assert.equal(await again.ended, 1);
  });
});
