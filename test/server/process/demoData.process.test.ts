import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { demoErrors } from '../../../server/seeds/demoFailures.ts';
import { demoUserIds, payloadOf } from '../../../server/seeds/demoErrors.ts';
import { contentsOf } from '../../support/secrets.ts';
import { DIST, requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'demo-data-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };

/** Returns the passwords printed in the terminal, by username. */
function passwordsIn(stderr: string): Map<string, string> {
  const [, list = ''] = /their passwords, which are shown only once:\n((?: {2}\S+ +\S+\n)+)/.exec(stderr) ?? [];
  return new Map([...list.matchAll(/^ {2}(\S+) +(\S+)$/gm)].map(([, username = '', password = '']) => [username, password]));
}

/** Returns the usernames who can sign in with their printed password. Checks at most `most` users, because hashing is slow. */
async function signedIn({ origin, stderr }: ServerProcess, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const people = [...passwordsIn(stderr())].slice(0, most);
  const statuses = await Promise.all(
    people.map(async ([username, password]) => {
      const body = new URLSearchParams({ grant_type: 'password', username, password });
      return (await fetch(`${origin}/oauth/token`, { method: 'POST', body })).status;
    }),
  );
  return people.filter((_, index) => statuses[index] === 200).map(([username]) => username);
}

async function projectCount(server: ServerProcess): Promise<number> {
  const projects = (await requestOf(server, token, 'GET', '/api/v4/projects?per_page=100')) as readonly unknown[];
  return projects.length;
}

async function end(server: ServerProcess): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
}

/** Sends an event of each end user of the demo data, and asserts that no new one is counted. */
async function countsUsersAgain(server: ServerProcess): Promise<void> {
  const ask = (target: string): Promise<unknown> =>
    requestOf(server, token, 'GET', `/api/v4/projects/1/error_tracking/${target}`);
  const [key] = (await ask('client_keys')) as readonly { readonly public_key: string }[];
  const [error] = demoErrors;
  assert.ok(key !== undefined && error !== undefined);
  for (const id of demoUserIds.keys()) {
    const event = { ...payloadOf(error, 'berth-api@1.4.0', id + 1), event_id: (id + 1).toString(16).padStart(32, '0') };
    const response: Response = await fetch(`${server.origin}/api/1/store/?sentry_key=${key.public_key}`, {
      method: 'POST',
      body: JSON.stringify(event),
    });
    assert.equal(response.status, 200, await response.text());
  }
  const errors = (await ask('errors?per_page=100&status=unresolved,resolved')) as readonly { readonly user_count: number }[];
  assert.equal(Math.max(...errors.map((one) => one.user_count)), demoUserIds.length);
}

describe('a server that starts with demo data', () => {
  for (const place of ['memory', 'a folder'] as const) {
    it(`demo data in ${place} is created again, with new passwords, when the running server is reset`, async () => {
      using folder = temporaryFolder();
      const data = place === 'memory' ? ['--memory'] : ['--data', folder.path];
      await using server = await spawnServer(['serve', ...data, '--seed', 'demo', '--release', '17.0'], { env });
      const count = await projectCount(server);
      const before = server.stderr().length;
      await requestOf(server, token, 'DELETE', '/api/v4/projects/1');
      await requestOf(server, token, 'POST', '/_local/reset', {});
      assert.equal(await projectCount(server), count);
      const branches = await requestOf(server, token, 'GET', '/api/v4/projects/1/repository/tree');
      assert.ok(Array.isArray(branches) && branches.length > 0);
      const again = { ...server, stderr: () => server.stderr().slice(before) };
      assert.equal((await signedIn(again, 2)).length, 2);
      assert.deepEqual(await signedIn({ ...server, stderr: () => server.stderr().slice(0, before) }, 1), []);
      await countsUsersAgain(server);
    });
  }

  it('a server that starts with demo data shows the passwords of all users once, and each can sign in', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--seed', 'demo'];
    const first = await spawnServer(args, { env });
    assert.equal(first.line['event'], 'listening', first.stderr());
    assert.match(first.stderr(), /^info: Loading demo data \(20 of \d+\)$/m);
    assert.equal((await signedIn(first)).length, 8);
    await end(first);
    await using second = await spawnServer(args, { env });
    assert.equal(await projectCount(second), 16);
    assert.deepEqual([...passwordsIn(second.stderr())], []);
    assert.ok(!second.stderr().includes('demo data'), 'it is not loaded again');
  });

  it('the shown passwords hold for a server that is killed as soon as it has shown them, and others are refused', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--seed', 'demo'];
    await using first = await spawnServer(args, { env });
    await first.logged(/their passwords, which are shown only once:\n(?: {2}\S+ +\S+\n){8}/);
    first.child.kill('SIGKILL');
    await first.ended;
    const passwords = [...passwordsIn(first.stderr()).values()];
    assert.equal(passwords.length, 8);
    for (const text of contentsOf(folder.path)) assert.ok(!passwords.some((password) => text.includes(password)));
    await using second = await spawnServer(args, { env });
    const wrong = new URLSearchParams({ grant_type: 'password', username: 'root', password: 'another password' });
    assert.equal((await fetch(`${second.origin}/oauth/token`, { method: 'POST', body: wrong })).status, 400);
    assert.equal((await signedIn({ ...second, stderr: first.stderr })).length, 8);
  });

  describe('demo data in memory', () => {
    let server: ServerProcess;
    before(async () => {
      server = await spawnServer(['serve', '--memory', '--seed', 'demo'], { env });
      assert.equal(server.line['event'], 'listening', server.stderr());
    });
    after(() => server.stop());

    it('a server with demo data in memory has all of it, with its own repositories and keys', async () => {
      assert.equal((await signedIn(server, 2)).length, 2);
      const commits = (await requestOf(server, token, 'GET', '/api/v4/projects/1/repository/commits')) as readonly unknown[];
      assert.ok(commits.length > 0);
    });

    it('a server with demo data in memory counts returning end users once', () => countsUsersAgain(server));
  });

  it('a server with demo data in a folder counts returning end users once', async () => {
    using folder = temporaryFolder();
    await using server = await spawnServer(['serve', '--data', folder.path, '--seed', 'demo'], { env });
    await countsUsersAgain(server);
  });

  it('demo data is generated in an existing unused database', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    await end(await spawnServer(args, { env }));
    await using second = await spawnServer([...args, '--seed', 'demo'], { env });
    assert.match(second.stderr(), /^info: Writing demo data \(96 of 96\)$/m);
    assert.equal(await projectCount(second), 16);
    assert.equal(passwordsIn(second.stderr()).size, 8);
    assert.equal((await signedIn(second, 1)).length, 1);
  });

  it('demo data is loaded again after a reset, and the previous data is kept as a snapshot', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--seed', 'demo'];
    const first = await spawnServer(args, { env });
    await requestOf(first, token, 'POST', '/api/v4/projects', { name: 'Mine' });
    await end(first);
    await using second = await spawnServer([...args, '--reset'], { env });
    assert.equal(await projectCount(second), 16);
    assert.equal(readdirSync(path.join(folder.path, 'snapshots')).length, 1);
    assert.equal(passwordsIn(second.stderr()).size, 8);
    assert.equal((await signedIn(second, 1)).length, 1);
  });

  it('demo data is generated with a warning if the file of the build is damaged', async () => {
    using folder = temporaryFolder();
    const program = path.join(folder.path, 'program');
    cpSync(DIST, program, { recursive: true, filter: (name) => !name.endsWith('.map') });
    const file = path.join(program, 'demo.data');
    writeFileSync(file, readFileSync(file).subarray(0, 100_000));
    await using server = await spawnServer(['serve', '--memory', '--seed', 'demo', '--stdin-handshake'], {
      handshake: JSON.stringify({ adminToken: token }),
      program: path.join(program, 'server.js'),
    });
    assert.equal(server.line['event'], 'listening', server.stderr());
    assert.match(server.stderr(), /^warn: .*demo\.data is not readable, so the demo data is generated/m);
    assert.match(server.stderr(), /"message":"Writing demo data","done":96,"total":96/);
    assert.equal(await projectCount(server), 16);
  });
});
