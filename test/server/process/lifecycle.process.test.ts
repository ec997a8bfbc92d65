import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { programPaths, testEnvironment } from '../../support/environment.ts';
import { until } from '../../support/until.ts';
import { DIST, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'process-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const get = (origin: string, target: string): Promise<Response> =>
  fetch(`${origin}${target}`, { headers: { 'PRIVATE-TOKEN': token } });

describe('a server as its own process', function () {
  it('a server process prints exactly one line of JSON, responds, and exits with 0 on SIGTERM', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env });
    assert.partialDeepStrictEqual(server.line, { event: 'listening', pid: server.child.pid });
    assert.match(String(server.line['instanceId']), /^[0-9a-f-]{36}$/);
    assert.match(String(server.line['version']), /^\d+\.\d+\.\d+$/);
    assert.match(server.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await get(server.origin, '/api/v4/user')).status, 200);
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.equal(server.stdout(), `${JSON.stringify(server.line)}\n`);
  });

  it('a server process caches compiled code for the next start, also when it is killed, and runs where it cannot be cached', async () => {
    using folder = temporaryFolder();
    const cached = (): readonly string[] =>
      readdirSync(folder.path, { recursive: true })
        .map(String)
        .filter((name) => name.startsWith(path.join('signalbox', 'compiled')));
    await using server = await spawnServer(['serve', '--data', path.join(folder.path, 'data')], {
      env: { ...env, XDG_CACHE_HOME: folder.path },
    });
    assert.equal((await get(server.origin, '/api/v4/user')).status, 200);
    const files = await until(
      () => Promise.resolve(cached()),
      (found) => found.some((name) => name.endsWith('.code')),
      'the cache of compiled code',
    );
    server.child.kill('SIGKILL');
    await server.ended;
    assert.deepEqual(cached(), files);

    writeFileSync(path.join(folder.path, 'taken'), '');
    const nowhere = { ...env, XDG_CACHE_HOME: path.join(folder.path, 'taken') };
    await using other = await spawnServer(['serve', '--data', path.join(folder.path, 'other')], { env: nowhere });
    assert.equal((await get(other.origin, '/api/v4/user')).status, 200);
    assert.doesNotMatch(other.stderr(), /warn|error/i);
  });

  it('a server process caches compiled code when it ends, unless it never listened', async () => {
    using folder = temporaryFolder();
    const cached = (name: string): readonly string[] =>
      readdirSync(path.join(folder.path, name), { recursive: true })
        .map(String)
        .filter((file) => file.endsWith('.code'));
    const args = ['serve', '--data', path.join(folder.path, 'data')];
    const start = (name: string) => spawnServer(args, { env: { ...env, XDG_CACHE_HOME: path.join(folder.path, name) } });
    await using server = await start('first');
    await using second = await start('second');
    assert.equal(second.line['event'], 'busy');
    assert.equal(await second.ended, 0);
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.deepEqual([cached('first').length, cached('second').length], [1, 0]);
  });

  it('a server process emulates the given release, tier and offering, and other ones after a restart', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const reported = async (more: readonly string[]): Promise<unknown> => {
      await using server = await spawnServer([...args, ...more], { env });
      const version: unknown = await (await get(server.origin, '/api/v4/version')).json();
      assert.ok(typeof version === 'object' && version !== null && 'version' in version);
      const users = await get(server.origin, '/api/v4/users');
      const groups = await get(server.origin, '/api/v4/groups');
      return {
        version: version.version,
        metadata: (await get(server.origin, '/api/v4/metadata')).status,
        usersInPages: users.headers.has('x-page'),
        totals: groups.headers.has('x-total'),
        // The description written by the build.
        device: (await (await get(server.origin, '/api/v4/openapi.json')).text()).includes('"/oauth/authorize_device":'),
      };
    };
    assert.deepEqual(await reported([]), {
      version: '18.11.0-ee',
      metadata: 200,
      usersInPages: false,
      totals: true,
      device: true,
    });
    const old = ['--release', '15.1', '--tier', 'free', '--offering', 'multi-tenant'];
    assert.deepEqual(await reported(old), {
      version: '15.1.0-ee',
      metadata: 404,
      usersInPages: true,
      totals: false,
      device: false,
    });
    await using refused = await spawnServer(['serve', '--memory', '--release', '20.1'], { env });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'usage' });
    assert.equal(await refused.ended, 2);
  });

  it('a server process gives root the token from the environment and never stores it', async () => {
    using folder = temporaryFolder();
    await using server = await spawnServer(['serve', '--data', folder.path, '--log-level', 'debug'], { env });
    const user: unknown = await (await get(server.origin, '/api/v4/user')).json();
    assert.partialDeepStrictEqual(user, { id: 1, username: 'root', is_admin: true });
    await get(server.origin, `/api/v4/user?private_token=${token}`);
    server.child.kill('SIGTERM');
    await server.ended;
    assert.ok(!server.stderr().includes(token));
    for (const name of readdirSync(folder.path)) assert.ok(!readFileSync(path.join(folder.path, name)).includes(token), name);
  });

  it('a server process keeps its data, its identity and its tokens over a restart', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const first = await spawnServer(args, { env });
    const created = await fetch(`${first.origin}/api/v4/users`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', name: 'Ada', username: 'ada', force_random_password: true }),
    });
    assert.equal(created.status, 201);
    await first.stop();
    await using second = await spawnServer(args, { env });
    assert.equal(second.line['instanceId'], first.line['instanceId']);
    assert.equal((await get(second.origin, '/api/v4/users/2')).status, 200);
  });

  it('a server process keeps events for three years by its own clock, also when they pass while no server runs or over a restart', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const post = (origin: string, target: string, body: object): Promise<Response> =>
      fetch(`${origin}${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const titles = async (origin: string): Promise<(string | null)[]> => {
      const events: { target_title: string | null }[] = await (await get(origin, '/api/v4/events')).json();
      return events.map((event) => event.target_title);
    };
    const years = 3 * 365 * 86_400;
    {
      await using first = await spawnServer(args, { env });
      await post(first.origin, '/_local/clock', { freeze_at: '2026-05-10T09:00:00Z' });
      await post(first.origin, '/api/v4/projects', { name: 'Lamps' });
      await post(first.origin, '/_local/clock', { advance_seconds: 86_400 });
      await post(first.origin, '/api/v4/projects/1/issues', { title: 'Lamp 7' });
      await post(first.origin, '/_local/clock', { advance_seconds: years - 86_401 });
      assert.deepEqual(await titles(first.origin), ['Lamp 7', null]);
    }
    {
      await using second = await spawnServer(args, { env });
      assert.deepEqual(await titles(second.origin), ['Lamp 7', null], 'a restart takes nothing away');
      await post(second.origin, '/_local/clock', { advance_seconds: 1 });
      assert.deepEqual(await titles(second.origin), ['Lamp 7']);
    }
    // Time passes while no server runs: the stored clock is moved instead.
    const connection = new Database(path.join(folder.path, 'signalbox.sqlite'));
    connection.prepare('UPDATE instance SET clock_frozen_at = clock_frozen_at + ?').run(86_400_000);
    connection.close();
    await using third = await spawnServer(args, { env });
    assert.deepEqual(await titles(third.origin), []);
  });

  it('an earlier admin token is no longer valid after a start with another one', async () => {
    using folder = temporaryFolder();
    const first = await spawnServer(['serve', '--data', folder.path], { env });
    await first.stop();
    await using second = await spawnServer(['serve', '--data', folder.path], { env: { SIGNALBOX_ADMIN_TOKEN: `${token}-new` } });
    assert.equal((await get(second.origin, '/api/v4/user')).status, 401);
  });

  it('a server process keeps nothing on disk with --memory, and nothing in the current folder by default', async () => {
    using home = temporaryFolder();
    using here = temporaryFolder();
    const inMemory = await spawnServer(['serve', '--memory'], { cwd: here.path, env: { HOME: home.path } });
    await inMemory.stop();
    assert.deepEqual(readdirSync(home.path), []);
    const byDefault = await spawnServer(['serve'], {
      cwd: here.path,
      env: { HOME: home.path, XDG_DATA_HOME: path.join(home.path, 'data') },
    });
    assert.equal(byDefault.line['event'], 'listening');
    await byDefault.stop();
    assert.deepEqual(readdirSync(here.path), []);
    assert.notDeepEqual(readdirSync(home.path), []);
  });

  describe('a data folder is used by one server only', () => {
    it('a second server on the same folder prints the address of the first one and exits with 0', async () => {
      using folder = temporaryFolder();
      await using first = await spawnServer(['serve', '--data', folder.path], { env });
      await using second = await spawnServer(['serve', '--data', folder.path], { env });
      assert.deepEqual(second.line, { event: 'busy', origin: first.origin, instanceId: first.line['instanceId'] });
      assert.equal(await second.ended, 0);
      assert.equal((await get(first.origin, '/api/v4/user')).status, 200);
    });

    it('exactly one of several servers started together listens, and the others find it', async () => {
      using folder = temporaryFolder();
      const started = await Promise.all(Array.from({ length: 4 }, () => spawnServer(['serve', '--data', folder.path], { env })));
      try {
        const listening = started.filter((server) => server.line['event'] === 'listening');
        assert.equal(listening.length, 1);
        for (const server of started) assert.equal(server.origin, listening[0]?.origin);
      } finally {
        await Promise.all(started.map((server) => server.stop()));
      }
    });

    it('the folder of a killed server is available immediately', async () => {
      using folder = temporaryFolder();
      const first = await spawnServer(['serve', '--data', folder.path], { env });
      first.child.kill('SIGKILL');
      await first.ended;
      await using second = await spawnServer(['serve', '--data', folder.path], { env });
      assert.equal(second.line['event'], 'listening');
    });
  });

  describe('a server started by a parent process', () => {
    const handshake = JSON.stringify({ adminToken: token });

    it('a server started by a parent process reads the token from standard input and stops when the input ends', async () => {
      await using server = await spawnServer(['serve', '--memory', '--stdin-handshake'], { handshake });
      assert.equal((await get(server.origin, '/api/v4/user')).status, 200);
      server.child.stdin?.end();
      assert.equal(await server.ended, 0);
    });

    it('a server started by a parent process stops when its parent process is killed', async () => {
      const script = `
        const child = require('node:child_process').spawn(process.execPath, [process.argv[1], 'serve', '--memory', '--stdin-handshake'], { stdio: ['pipe', 'inherit', 'ignore'] });
        child.stdin.write(process.argv[2] + '\\n');
        setInterval(() => {}, 1000);`;
      const parent = spawn(process.execPath, ['-e', script, path.join(DIST, 'server.js'), handshake], {
        env: testEnvironment(),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
      const { origin } = JSON.parse(line) as { origin: string };
      assert.equal((await get(origin, '/api/v4/user')).status, 200);
      const outputEnded = once(parent.stdout, 'close');
      parent.kill('SIGKILL');
      // The server holds the other end of this pipe, so its end is the server's end.
      await outputEnded;
      await assert.rejects(get(origin, '/api/v4/user'));
    });

    it('a server started by a parent process refuses a first line that is not a handshake', async () => {
      await using server = await spawnServer(['serve', '--memory', '--stdin-handshake'], { handshake: 'hello' });
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'handshake' });
      assert.equal(await server.ended, 2);
    });

    it('a server started by a parent process does not print passwords of demo data', async () => {
      await using server = await spawnServer(['serve', '--memory', '--seed', 'demo', '--stdin-handshake'], { handshake });
      assert.equal(server.line['event'], 'listening');
      assert.ok(!/password/i.test(server.stderr()));
    });
  });

  describe('a server that cannot start', () => {
    it('a server explains that it cannot start because of an unknown option, with the nearest known one', async () => {
      await using server = await spawnServer(['serve', '--memroy']);
      assert.partialDeepStrictEqual(server.line, {
        event: 'fatal',
        code: 'usage',
        hint: 'Did you mean --memory? See signalbox --help.',
      });
      assert.equal(await server.ended, 2);
    });

    it('a server explains that it cannot start because of a token that is too short, also without standard input', async () => {
      await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: 'short' }, noInput: true });
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'usage' });
      assert.equal(await server.ended, 2);
      assert.equal(server.stderr(), '');
    });

    it('a server explains that it cannot start because of a port in use', async () => {
      const stranger = createServer().listen(0, '127.0.0.1');
      await once(stranger, 'listening');
      const { port } = stranger.address() as { port: number };
      await using server = await spawnServer(['serve', '--memory', '--port', String(port)]);
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'port_taken' });
      assert.equal(await server.ended, 1);
      stranger.close();
    });

    it('a server explains that it cannot start because of an invalid data folder', async () => {
      using folder = temporaryFolder();
      const file = path.join(folder.path, 'file');
      writeFileSync(file, '');
      await using server = await spawnServer(['serve', '--data', path.join(file, 'below')]);
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'data_not_writable' });
    });

    it('a server explains that it cannot start because of a database of a newer version, which stays unchanged', async () => {
      using folder = temporaryFolder();
      await (await spawnServer(['serve', '--data', folder.path])).stop();
      const file = path.join(folder.path, 'signalbox.sqlite');
      const connection = new Database(file);
      connection.pragma('user_version = 9999');
      connection.close();
      await using server = await spawnServer(['serve', '--data', folder.path]);
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'database_newer' });
      const again = new Database(file, { readonly: true });
      assert.equal(again.pragma('user_version', { simple: true }), 9999);
      again.close();
    });

    it('a server explains that it cannot start because of a file that is not a database', async () => {
      using folder = temporaryFolder();
      writeFileSync(
        path.join(folder.path, 'signalbox.sqlite'),
        'not a database, but long enough to have a header of one hundred bytes '.repeat(4),
      );
      await using server = await spawnServer(['serve', '--data', folder.path]);
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'database_damaged' });
    });

    it('a server explains that it cannot start because of a package without the binary of this platform, or with a broken one', async () => {
      using folder = temporaryFolder();
      cpSync(DIST, folder.path, { recursive: true });
      const program = path.join(folder.path, 'server.js');
      for (const name of readdirSync(path.join(folder.path, 'native')))
        writeFileSync(path.join(folder.path, 'native', name), 'broken');
      await using broken = await spawnServer(['serve', '--memory'], { program });
      assert.partialDeepStrictEqual(broken.line, { event: 'fatal', code: 'binary_unloadable' });
      for (const name of readdirSync(path.join(folder.path, 'native'))) rmSync(path.join(folder.path, 'native', name));
      await using missing = await spawnServer(['serve', '--memory'], { program });
      assert.partialDeepStrictEqual(missing.line, { event: 'fatal', code: 'binary_missing' });
    });

    it('a server explains that it cannot start because of a Node that is too old for the database, instead of crashing', async function () {
      const old = olderNode();
      // Only machines with such a Node on the path can show it; the rule itself has a unit test.
      if (old === undefined) return this.skip();
      await using server = await spawnServer(['serve', '--memory'], { node: old });
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'node_too_old' });
      assert.equal(await server.ended, 1);
    });
  });

  it('a server keeps running when its output is no longer read', async () => {
    await using server = await spawnServer(['serve', '--memory', '--log-level', 'debug'], { env });
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    for (let n = 0; n < 5; n += 1) assert.equal((await get(server.origin, '/api/v4/user')).status, 200);
  });

  it('connections without requests do not delay the shutdown', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env });
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    await once(socket, 'connect');
    // A response shows that the connection above was accepted.
    await get(server.origin, '/_local/health');
    const cut = once(socket, 'close');
    socket.resume().on('error', () => undefined);
    server.child.kill('SIGTERM');
    await cut;
    assert.equal(await server.ended, 0);
    assert.doesNotMatch(server.stderr(), /aborted/);
  });

  it('a server responds to pending requests before it stops', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env });
    const responses = Array.from({ length: 20 }, () =>
      get(server.origin, '/api/v4/version').then(
        (response) => response.status,
        () => 'refused',
      ),
    );
    server.child.kill('SIGTERM');
    for (const response of await Promise.all(responses)) assert.ok(response === 200 || response === 'refused', String(response));
    assert.equal(await server.ended, 0);
  });
});

/** Returns a Node on the PATH with a Node-API level below 10. */
function olderNode(): string | undefined {
  for (const program of programPaths('node')) {
    try {
      const level = Number(execFileSync(program, ['-p', 'process.versions.napi'], { encoding: 'utf8', env: testEnvironment() }));
      if (level > 0 && level < 10) return program;
    } catch {
      // Not a Node that runs on this machine.
    }
  }
  return undefined;
}
