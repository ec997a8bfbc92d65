import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseCommand } from '../../../server/process/command.ts';
import { serve, type Serving } from '../../../server/process/serve.ts';
import { testEnvironment } from '../../support/environment.ts';
import { gitClient } from '../../support/gitClient.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { slowRequest } from '../../support/slowRequest.ts';
import { openStream } from '../stream/streamClient.ts';

const token = 'replacement-test-token-0123456789';
const bearer = { Authorization: `Bearer ${token}` };
const SEED = 'users: [{username: ines, name: Ines}]\nprojects: [{path: ines/lamps, name: Lamps}]\n';

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Running extends AsyncDisposable {
  readonly origin: string;
  readonly folder: string;
  /** Text that the process has written. */
  written(): string;
  send(method: string, target: string, body?: object, sent?: string): Promise<Reply>;
  projects(): Promise<readonly string[]>;
  instanceId(): Promise<string>;
}

/** Starts a server as the command line does, with its data in memory or in a folder. */
async function run(place: 'memory' | 'folder', ...more: readonly string[]): Promise<Running> {
  const folder = temporaryFolder();
  const data = place === 'memory' ? ['--memory'] : ['--data', path.join(folder.path, 'data')];
  const command = parseCommand(['serve', ...data, ...more]);
  assert.ok(command.kind === 'serve');
  const text: string[] = [];
  const started = await serve(command, {
    root: path.join(import.meta.dirname, '../../../server'),
    env: testEnvironment(['git']),
    platform: process.platform,
    pid: process.pid,
    nativeBinding: undefined,
    adminToken: token,
    write: (line) => text.push(line),
    end: () => undefined,
  });
  assert.ok(started.kind === 'listening');
  const serving: Serving = started;
  const { origin } = serving;
  const send: Running['send'] = async (method, target, body, sent = token) => {
    const response = await fetch(`${origin}${target}`, {
      method,
      headers: { Authorization: `Bearer ${sent}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const received = await response.text();
    return { status: response.status, body: received === '' ? undefined : JSON.parse(received) };
  };
  return {
    origin,
    folder: folder.path,
    written: () => text.join(''),
    send,
    projects: async () => {
      const { body } = await send('GET', '/api/v4/projects');
      return (body as readonly { readonly name: string }[]).map(({ name }) => name).toSorted();
    },
    instanceId: async () => memberOf(await send('GET', '/_local/health'), 'instance_id'),
    [Symbol.asyncDispose]: async () => {
      await serving.stop('the test has ended');
      folder[Symbol.dispose]();
    },
  };
}

function memberOf({ body }: Reply, name: string): string {
  return String((body as Readonly<Record<string, unknown>>)[name]);
}

async function succeed(reply: Promise<Reply>): Promise<Reply> {
  const { status, body } = await reply;
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return { status, body };
}

const addProject = (server: Running, name: string): Promise<Reply> =>
  succeed(server.send('POST', '/api/v4/projects', { name, initialize_with_readme: true }));

const branchOf = async (server: Running, project: string): Promise<string> => {
  const { body } = await succeed(server.send('GET', `/api/v4/projects/root%2F${project}/repository/branches/main`));
  return (body as { readonly commit: { readonly id: string } }).commit.id;
};

/** Begins a push of one commit to the branch main, as git sends it. */
async function slowPush(server: Running, clone: string, before: string, after: string): Promise<() => Promise<number>> {
  const pack = execFileSync('git', ['-C', clone, 'pack-objects', '-q', '--stdout', '--revs'], {
    input: `${after}\n^${before}\n`,
    env: testEnvironment(['git']),
  });
  const command = `${before} ${after} refs/heads/main\0 report-status`;
  const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}`;
  return slowRequest(server, '/root/lamps.git/git-receive-pack', Buffer.concat([Buffer.from(`${line}0000`), pack]), {
    Authorization: `Basic ${Buffer.from(`root:${token}`).toString('base64')}`,
    'Content-Type': 'application/x-git-receive-pack-request',
  });
}

for (const place of ['memory', 'folder'] as const) {
  describe(`data of a running server in ${place === 'memory' ? 'memory' : 'a folder'}`, () => {
    it('a snapshot is restored at the same address, with its branches, and the data before it is a snapshot', async () => {
      await using server = await run(place);
      await addProject(server, 'lamps');
      const before = await branchOf(server, 'lamps');
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      const file = { branch: 'main', content: 'x', commit_message: 'Add b' };
      await succeed(server.send('POST', '/api/v4/projects/root%2Flamps/repository/files/b.txt', file));
      const after = await branchOf(server, 'lamps');
      await addProject(server, 'later');
      const id = await server.instanceId();

      const restored = await succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      const savedAs = memberOf(restored, 'saved_as');
      assert.match(savedAs, /^before-restore-\d{4}-/);
      assert.deepEqual(restored.body, { instance_id: id, saved_as: savedAs });
      assert.deepEqual(await server.projects(), ['lamps']);
      assert.equal(await branchOf(server, 'lamps'), before);
      assert.equal(await server.instanceId(), id);
      const listed = await server.send('GET', '/_local/snapshots');
      assert.deepEqual((listed.body as { name: string }[]).map(({ name }) => name).toSorted(), [savedAs, 'monday']);

      await succeed(server.send('POST', '/_local/restore', { name: savedAs }));
      assert.deepEqual(await server.projects(), ['lamps', 'later']);
      assert.equal(await branchOf(server, 'lamps'), after);
      await succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      assert.deepEqual(await server.projects(), ['lamps'], 'a snapshot can be restored again, unchanged');
    });

    it('a reset creates the data of the first start under another instance ID, or none', async () => {
      await using files = await run('memory');
      const seed = path.join(files.folder, 'seed.yaml');
      writeFileSync(seed, SEED);
      await using server = await run(place, '--seed', seed);
      const id = await server.instanceId();
      await addProject(server, 'later');
      await succeed(server.send('POST', '/_local/clock', { advance_seconds: 3600 }));

      const reset = await succeed(server.send('POST', '/_local/reset'));
      assert.match(memberOf(reset, 'saved_as'), /^before-reset-\d{4}-/);
      assert.deepEqual(await server.projects(), ['Lamps']);
      assert.equal(await server.instanceId(), memberOf(reset, 'instance_id'));
      assert.notEqual(memberOf(reset, 'instance_id'), id);
      assert.partialDeepStrictEqual((await server.send('GET', '/_local/clock')).body, { frozen: false, offset_seconds: 0 });

      await succeed(server.send('POST', '/_local/reset', { seed: 'none' }));
      assert.deepEqual(await server.projects(), []);
      await succeed(server.send('POST', '/_local/restore', { name: memberOf(reset, 'saved_as') }));
      assert.deepEqual(await server.projects(), ['Lamps', 'later']);
      assert.equal(await server.instanceId(), id);
    });

    it('tokens of the snapshot work after it is restored, and newer ones do not', async () => {
      await using server = await run(place);
      const issue = async (): Promise<string> => {
        const scopes = { name: 'script', scopes: ['api'], expires_at: new Date(Date.now() + 864e5).toISOString().slice(0, 10) };
        return memberOf(await succeed(server.send('POST', '/api/v4/users/1/personal_access_tokens', scopes)), 'token');
      };
      const old = await issue();
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      const young = await issue();
      assert.equal((await server.send('GET', '/api/v4/user', undefined, young)).status, 200);
      await succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      assert.equal((await server.send('GET', '/api/v4/user', undefined, old)).status, 200);
      assert.equal((await server.send('GET', '/api/v4/user', undefined, young)).status, 401);
      assert.equal((await server.send('GET', '/_local/clock')).status, 200, 'the admin token of the process stays');
    });

    it('secrets that the server reads back can be read after a restore and after a reset', async () => {
      await using server = await run(place);
      await addProject(server, 'lamps');
      const variables = '/api/v4/projects/root%2Flamps/variables';
      await succeed(server.send('POST', variables, { key: 'SIGNAL', value: 'seven' }));
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      await succeed(server.send('POST', '/_local/reset'));
      await succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      assert.equal(memberOf(await succeed(server.send('GET', `${variables}/SIGNAL`)), 'value'), 'seven');
    });

    it('streams end, and one that is resumed begins with a reset', async () => {
      await using server = await run(place);
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      await using stream = await openStream(server, token);
      await addProject(server, 'lamps');
      const { id } = await stream.next();
      await succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      await stream.untilEnd();
      await using resumed = await openStream(server, token, id);
      assert.equal((await resumed.next()).event, 'reset');
      await addProject(server, 'buoys');
      assert.equal((await resumed.next()).event, 'activity');
    });

    it('requests that run are finished with the former data, and those that arrive meanwhile get the new data', async () => {
      await using server = await run(place);
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      await using stream = await openStream(server, token);
      const finish = await slowRequest(server, '/api/v4/projects', { name: 'slow' }, bearer);
      const restored = succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      // From here on, requests wait for the new data.
      await stream.untilEnd();
      const read = server.projects();
      assert.equal(await finish(), 201);
      const { body } = await restored;
      assert.deepEqual(await read, []);
      await succeed(server.send('POST', '/_local/restore', { name: memberOf({ status: 200, body }, 'saved_as') }));
      assert.deepEqual(await server.projects(), ['slow']);
    });

    it('a push that runs is finished with the former data, and its commit comes back with it', async () => {
      await using server = await run(place);
      await addProject(server, 'lamps');
      const before = await branchOf(server, 'lamps');
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      const git = gitClient(server.folder);
      const address = `${server.origin.replace('://', `://root:${token}@`)}/root/lamps.git`;
      await git.succeed('clone', '-q', address, 'clone');
      await git.succeed('-C', 'clone', 'commit', '-q', '--allow-empty', '-m', 'Add nothing');
      const after = (await git.succeed('-C', 'clone', 'rev-parse', 'HEAD')).trim();
      await using stream = await openStream(server, token);
      const finish = await slowPush(server, path.join(server.folder, 'clone'), before, after);
      const restored = succeed(server.send('POST', '/_local/restore', { name: 'monday' }));
      await stream.untilEnd();
      assert.equal(await finish(), 200);
      const savedAs = memberOf(await restored, 'saved_as');
      assert.equal(await branchOf(server, 'lamps'), before);
      assert.match(await git.succeed('ls-remote', address, 'refs/heads/main'), new RegExp(`^${before}`));
      await succeed(server.send('POST', '/_local/restore', { name: savedAs }));
      assert.equal(await branchOf(server, 'lamps'), after);
      assert.match(await git.succeed('ls-remote', address, 'refs/heads/main'), new RegExp(`^${after}`));
    });

    it('the data is replaced by one request at a time', async () => {
      await using server = await run(place);
      await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
      const finish = await slowRequest(server, '/_local/reset', { seed: 'none' }, bearer);
      const other = await slowRequest(server, '/_local/restore', { name: 'monday' }, bearer);
      const statuses = await Promise.all([finish(), other()]);
      assert.deepEqual(statuses.toSorted(), [200, 409]);
    });

    it('data stays when the seed file of the first start cannot be applied any more', async () => {
      await using files = await run('memory');
      const seed = path.join(files.folder, 'seed.yaml');
      writeFileSync(seed, SEED);
      await using server = await run(place, '--seed', seed);
      await addProject(server, 'later');
      const branch = await branchOf(server, 'later');
      const id = await server.instanceId();
      for (const spoil of [() => writeFileSync(seed, 'users: nobody'), () => rmSync(seed)]) {
        spoil();
        const { status, body } = await server.send('POST', '/_local/reset');
        assert.equal(status, 422, JSON.stringify(body));
        assert.match(JSON.stringify(body), /seed/);
        assert.deepEqual(await server.projects(), ['Lamps', 'later']);
        assert.equal(await branchOf(server, 'later'), branch);
        assert.equal(await server.instanceId(), id);
        assert.deepEqual((await server.send('GET', '/_local/snapshots')).body, []);
      }
    });
  });
}

describe('data of a running server', () => {
  it('stays when the snapshot is damaged', async () => {
    await using server = await run('folder');
    await addProject(server, 'lamps');
    await succeed(server.send('POST', '/_local/snapshots', { name: 'monday' }));
    const data = path.join(server.folder, 'data');
    truncateSync(path.join(data, 'snapshots', 'monday.sqlite'), 8192);
    const { status, body } = await server.send('POST', '/_local/restore', { name: 'monday' });
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /snapshot monday is damaged/);
    assert.deepEqual(await server.projects(), ['lamps']);
    assert.deepEqual(readdirSync(path.join(data, 'snapshots')), ['monday.sqlite']);
    assert.deepEqual(
      readdirSync(data).filter((name) => /part|next/.test(name)),
      [],
    );
  });

  it('is replaced although a request does not end, which is aborted', async () => {
    await using server = await run('memory');
    await addProject(server, 'lamps');
    const finish = await slowRequest(server, '/api/v4/projects', { name: 'slow' }, bearer);
    await succeed(server.send('POST', '/_local/reset'));
    await assert.rejects(finish(), { code: 'ECONNRESET' });
    assert.deepEqual(await server.projects(), []);
    assert.match(server.written(), /aborted 1 request that took longer than 8 s, because the data is replaced/);
  });

  it('stays when the snapshot is unknown or has no valid name', async () => {
    await using server = await run('memory');
    await addProject(server, 'lamps');
    assert.deepEqual(await server.send('POST', '/_local/restore', { name: 'tuesday' }), {
      status: 404,
      body: { message: '404 Snapshot Not Found' },
    });
    assert.deepEqual(await server.send('POST', '/_local/restore', { name: '../monday' }), {
      status: 400,
      body: { error: 'name is invalid' },
    });
    assert.deepEqual(await server.send('POST', '/_local/restore'), { status: 400, body: { error: 'name is missing' } });
    assert.deepEqual(await server.send('POST', '/_local/reset', { seed: 'demo' }), {
      status: 400,
      body: { error: 'seed does not have a valid value' },
    });
    assert.deepEqual(await server.projects(), ['lamps']);
  });

  it('keeps the emulated platform, and writes who can be found at the address', async () => {
    await using server = await run('folder');
    await succeed(server.send('PUT', '/_local/profile', { release: '17.0' }));
    const id = memberOf(await succeed(server.send('POST', '/_local/reset')), 'instance_id');
    assert.partialDeepStrictEqual((await server.send('GET', '/_local/profile')).body, { release: '17.0' });
    const command = parseCommand(['serve', '--data', path.join(server.folder, 'data')]);
    assert.ok(command.kind === 'serve');
    const other = await serve(command, {
      ...{ root: '', env: {}, platform: process.platform, pid: process.pid, nativeBinding: undefined, adminToken: token },
      write: () => undefined,
      end: () => undefined,
    });
    assert.deepEqual(other, { kind: 'busy', origin: server.origin, instanceId: id });
  });
});

describe('the log of a running server', () => {
  it('has the latest lines, newest first, and none of the secrets that the process has printed', async () => {
    await using files = await run('memory');
    const seed = path.join(files.folder, 'seed.yaml');
    writeFileSync(seed, SEED);
    await using server = await run('memory', '--seed', seed);
    const secret = /password of ines: (\S+)/.exec(server.written())?.[1] ?? assert.fail(server.written());
    const all = (await server.send('GET', '/_local/log')).body as readonly Record<string, string>[];
    assert.partialDeepStrictEqual(all[0], { level: 'info', text: `listening on ${server.origin}, data in memory only` });
    assert.match(all[0]?.['at'] ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(!JSON.stringify(all).includes(secret));
    await succeed(server.send('POST', '/_local/reset', { seed: 'none' }));
    const latest = (await server.send('GET', '/_local/log?limit=1')).body as readonly Record<string, string>[];
    assert.equal(latest.length, 1);
    assert.match(latest[0]?.['text'] ?? '', /^reset; the previous data was saved as snapshot before-reset-/);
    assert.deepEqual((await server.send('GET', '/_local/log?limit=0')).body, []);
  });
});
