import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DIST, requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const token = 'seed-process-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };

/** Arguments of the commands in docs/seeds.md, in order. */
const documented = [
  ...readFileSync(path.join(ROOT, 'docs/seeds.md'), 'utf8').matchAll(/^npm exec -- node dist\/server\.js (.*media\/seeds.*)$/gm),
].map(([, args = '']) => args.split(' '));

interface SeededLine {
  readonly event: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly passwords: readonly { readonly username: string; readonly password: string }[];
}

/** Runs `signalbox seed`. Returns its output line, exit code and standard error. */
async function seed(args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}) {
  const run = await spawnServer(['seed', ...args], { cwd: ROOT, ...options });
  return { line: run.line, code: await run.ended, stderr: run.stderr(), stdout: run.stdout() };
}

async function usernames(server: ServerProcess): Promise<string[]> {
  const people = (await requestOf(server, token, 'GET', '/api/v4/users?per_page=100')) as readonly { username: string }[];
  return people.map(({ username }) => username).toSorted();
}

describe('seed files on the command line', function () {
  it('seed files on the command line work as documented: a server starts with one, and `seed` adds one to a data folder', async () => {
    using folder = temporaryFolder();
    const [serving = [], seeding = [], ...others] = documented;
    assert.deepEqual(others, []);
    assert.deepEqual(serving.slice(0, 1), ['serve']);
    await using server = await spawnServer(serving, { cwd: ROOT, env });
    assert.equal(server.line['event'], 'listening', server.stderr());
    assert.deepEqual(await usernames(server), ['bo', 'ines', 'kenji', 'root']);
    assert.match(
      server.stderr(),
      /shown only once:\n {2}password of root: \S+\n {2}password of ines: \S+\n {2}password of bo: \S+\n/,
    );
    assert.deepEqual(seeding.slice(0, 1), ['seed']);
    const added = await seed([...seeding.slice(1), '--data', folder.path]);
    assert.equal(added.code, 0, added.stderr);
    const line = added.line as unknown as SeededLine;
    assert.equal(line.event, 'seeded');
    assert.equal(line.counts['users'], 3);
    assert.match(added.stderr, /Added users: 3, groups: 2, projects: 3, /);
    assert.ok(line.passwords.every(({ password }) => !added.stderr.includes(password)));
  });

  it('seed files on the command line report their progress to a parent process', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'many.yaml');
    const issues = Array.from({ length: 120 }, (_, number) => `{title: Issue ${number}, author: ines}`).join(', ');
    writeFileSync(file, `users: [{username: ines, password: null}]\nprojects: [{path: ines/harbour, issues: [${issues}]}]\n`);
    await using server = await spawnServer(['serve', '--memory', '--seed', file, '--stdin-handshake'], {
      handshake: JSON.stringify({ adminToken: token }),
    });
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    assert.deepEqual(
      [...server.stderr().matchAll(/"message":"Adding the seed file","done":(\d+),"total":\d+/g)].map(([, done]) => done),
      ['50', '100'],
    );
  });

  it('seed files on the command line match the shipped schema', () => {
    const schema = JSON.parse(readFileSync(path.join(DIST, 'seed.schema.json'), 'utf8')) as {
      properties: object;
      additionalProperties: boolean;
    };
    assert.ok('projects' in schema.properties);
    assert.equal(schema.additionalProperties, false);
    const { contributes } = JSON.parse(readFileSync(path.join(DIST, 'package.json'), 'utf8')) as {
      contributes: Record<string, readonly { url: string }[]>;
    };
    for (const point of ['jsonValidation', 'yamlValidation'])
      for (const { url } of contributes[point] ?? assert.fail(point)) assert.ok(existsSync(path.join(DIST, url)), url);
  });

  it('seed files on the command line are sent only to the server that uses the folder, with its admin token', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'crew.yaml');
    writeFileSync(file, 'users: [{username: ines, password: null}]\n');
    await using server = await spawnServer(['serve', '--data', folder.path], { env });
    const without = await seed([file, '--data', folder.path]);
    assert.deepEqual([without.line['code'], without.code], ['server_unreachable', 1]);
    const wrong = await seed([file, '--data', folder.path], { env: { SIGNALBOX_ADMIN_TOKEN: 'another-token-0123456789' } });
    assert.deepEqual([wrong.line['code'], wrong.code], ['server_unreachable', 1]);
    assert.deepEqual(await usernames(server), ['root']);
    const right = await seed([file, '--data', folder.path], { env });
    assert.deepEqual([right.line['event'], right.code], ['seeded', 0]);
    writeFileSync(file, 'users: [{username: bo, password: null}]\n');
    const named = await seed([file, '--server', server.origin], { env });
    assert.deepEqual([named.line['event'], named.code], ['seeded', 0], named.stdout);
    assert.deepEqual(await usernames(server), ['bo', 'ines', 'root']);
    const again = await seed([file, '--server', server.origin], { env });
    assert.deepEqual([again.line['code'], again.code], ['seed_refused', 1]);
    assert.equal(again.stderr, `${file}:1: users[0].username has already been taken\n`);
    await server.stop();
    const gone = await seed([file, '--server', server.origin], { env });
    assert.deepEqual([gone.line['code'], gone.code], ['server_unreachable', 1]);
  });

  it('seed files on the command line are refused with file, line and field; the server does not start, and nothing is stored', async () => {
    using folder = temporaryFolder();
    writeFileSync(
      path.join(folder.path, 'bad.yaml'),
      'users:\n  - username: ines\nprojects:\n  - path: ines/a\n    issues: [{}]\n',
    );
    await using server = await spawnServer(['serve', '--data', 'data', '--seed', './bad.yaml'], { env, cwd: folder.path });
    assert.deepEqual(server.line, {
      event: 'fatal',
      code: 'seed_refused',
      message: './bad.yaml:5: projects[0].issues[0].title is missing',
      hint: 'Nothing was written. Correct the file and try again.',
    });
    assert.equal(await server.ended, 1);
    assert.match(server.stderr(), /^\.\/bad\.yaml:5: projects\[0\]\.issues\[0\]\.title is missing$/m);
    writeFileSync(path.join(folder.path, 'bad.yaml'), 'users:\n  - username: ines\n');
    await using second = await spawnServer(['serve', '--data', 'data', '--seed', './bad.yaml'], { env, cwd: folder.path });
    assert.deepEqual(await usernames(second), ['ines', 'root']);
  });

  it('seed files on the command line are skipped by a server that already has data', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'seed.json'), '{"projects": [{"path": "root/tides"}]}');
    const args = ['serve', '--data', folder.path, '--seed', path.join(folder.path, 'seed.json')];
    const first = await spawnServer(args, { env });
    assert.equal(first.line['event'], 'listening', first.stderr());
    await first.stop();
    writeFileSync(path.join(folder.path, 'seed.json'), 'no seed at all');
    await using second = await spawnServer(args, { env });
    assert.equal(second.line['event'], 'listening', second.stderr());
    assert.match(second.stderr(), /is skipped: the server already has data/);
    assert.deepEqual(((await requestOf(second, token, 'GET', '/api/v4/projects')) as unknown[]).length, 1);
  });

  it('seed files on the command line must exist and be text', async () => {
    using folder = temporaryFolder();
    const missing = await seed(['./nowhere.yaml', '--data', folder.path], { cwd: folder.path });
    assert.deepEqual([missing.line['code'], missing.code], ['seed_missing', 1]);
    writeFileSync(path.join(folder.path, 'x.yaml'), Buffer.from([0x75, 0x0a, 0xff]));
    const binary = await seed(['x.yaml', '--data', folder.path], { cwd: folder.path });
    assert.equal(binary.line['message'], 'x.yaml:2: the text is not valid UTF-8');
    writeFileSync(path.join(folder.path, 'x.yaml'), Buffer.alloc(3 * 1024 * 1024, 'a'));
    const large = await seed(['x.yaml', '--data', folder.path], { cwd: folder.path });
    assert.equal(large.line['message'], 'x.yaml: the file is larger than 2 MiB');
    assert.ok(!existsSync(path.join(folder.path, 'signalbox.sqlite')));
  });
});
