import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addressOf, type GitClient, gitClient } from '../support/gitClient.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure, startSubject } from './harness.ts';
import { slower, slowness } from './slowness.ts';

const MIB = 1024 * 1024;
const MAX_ROUNDS = 21;
const CLONE_LIMIT: Limit = { atMost: 1.3 };
const PUSH_LIMIT: Limit = { atMost: 1.5 };
const token = 'git-bench-token-0123456789abcdef';

/** Compares clones of 100 MB and pushes of 10 MB with `git http-backend` behind a bare node:http server, by the time the git client takes. */
export async function git(): Promise<readonly Ratio[]> {
  using folder = temporaryFolder();
  const client = gitClient(folder.path);
  const bareRoot = path.join(folder.path, 'bare');
  mkdirSync(bareRoot);
  await client.succeed('init', '-q', '--bare', '--initial-branch=main', 'bare/large.git');
  await client.succeed('-C', 'bare/large.git', 'config', 'http.receivepack', 'true');
  // About half of the time of a client is its own work, so the server must be slowed twice as much.
  const factor = (position: number): number => 1 + 2 * (slowness(position) - 1);
  const slow = slower(
    { requests: '/git-upload-pack$', factor: factor(0), by: 'time' },
    { requests: '/git-receive-pack$', factor: factor(1), by: 'time' },
  );
  const server = await startSubject(
    [...slow, path.join(DIST, 'server.js'), 'serve', '--data', path.join(folder.path, 'data'), '--log-level', 'error'],
    { SIGNALBOX_ADMIN_TOKEN: token },
  );
  const bare = await startSubject([path.join(import.meta.dirname, 'bareGit.ts'), bareRoot]);
  try {
    await createProject(server.origin);
    const addresses = { server: addressOf(server, 'root/large', token), bare: addressOf(bare, 'large') };
    await client.succeed('init', '-q', '--initial-branch=main', 'work');
    await commitRandom(client, folder.path, 100);
    for (const address of Object.values(addresses)) await client.succeed('-C', 'work', 'push', '-q', address, 'main');
    return [await clones(client, folder.path, addresses), await pushes(client, folder.path, addresses)];
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
  }
}

interface Addresses {
  readonly server: string;
  readonly bare: string;
}

async function clones(client: GitClient, folder: string, addresses: Addresses): Promise<Ratio> {
  return compare('clone of 100 MB', CLONE_LIMIT, addresses, async (address) => {
    const milliseconds = await timed(() => client.succeed('clone', '-q', '--bare', address, 'copy.git'));
    const [copy, own] = [await contentsOf(client, 'copy.git'), await contentsOf(client, 'work')];
    checkSameWork('cloned commit and objects', copy, own);
    rmSync(path.join(folder, 'copy.git'), { recursive: true });
    return milliseconds;
  });
}

async function pushes(client: GitClient, folder: string, addresses: Addresses): Promise<Ratio> {
  return compare(
    'push of 10 MB',
    PUSH_LIMIT,
    addresses,
    async (address) => {
      const milliseconds = await timed(() => client.succeed('-C', 'work', 'push', '-q', address, 'main'));
      const [commit] = await contentsOf(client, 'work');
      checkSameWork('pushed commit', (await client.succeed('ls-remote', address, 'refs/heads/main')).split('\t')[0], commit);
      return milliseconds;
    },
    () => commitRandom(client, folder, 10),
  );
}

/** Measures both servers in turns, after one round to warm up. */
async function compare(
  name: string,
  limit: Limit,
  addresses: Addresses,
  measure: (address: string) => Promise<number>,
  prepare: () => Promise<void> = async () => undefined,
): Promise<Ratio> {
  const times: Record<keyof Addresses, number[]> = { server: [], bare: [] };
  const round = async (index: number): Promise<number> => {
    await prepare();
    const sides = ['server', 'bare'] as const;
    for (const side of index % 2 === 0 ? sides : sides.toReversed()) times[side].push(await measure(addresses[side]));
    return (times.server.at(-1) ?? Number.NaN) / (times.bare.at(-1) ?? Number.NaN);
  };
  await round(0);
  times.server.length = 0;
  times.bare.length = 0;
  const rounds = await roundsUntilSure(limit, MAX_ROUNDS, round);
  return ratio(name, 'time of the git client, server / git http-backend behind node:http', rounds, limit, {
    serverMilliseconds: rounded(median(times.server)),
    bareMilliseconds: rounded(median(times.bare)),
  });
}

/** Returns the commit of the main branch of a repository, and the ids of all objects that it needs, in order. */
async function contentsOf(client: GitClient, folder: string): Promise<readonly string[]> {
  const commit = await client.succeed('-C', folder, 'rev-parse', 'main');
  const objects = await client.succeed('-C', folder, 'rev-list', '--objects', '--no-object-names', 'main');
  return [commit.trim(), ...objects.split('\n').toSorted()];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

let count = 0;

/** Commits files of random bytes of 1 MiB each. */
async function commitRandom(client: GitClient, folder: string, files: number): Promise<void> {
  for (let file = 0; file < files; file += 1) writeFileSync(path.join(folder, 'work', `${(count += 1)}.bin`), randomBytes(MIB));
  await client.succeed('-C', 'work', '-c', 'core.compression=0', 'add', '.');
  await client.succeed('-C', 'work', 'commit', '-qm', `Add ${files} files`);
}

async function createProject(origin: string): Promise<void> {
  const response = await fetch(`${origin}/api/v4/projects`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'PRIVATE-TOKEN': token },
    body: JSON.stringify({ name: 'Large' }),
  });
  if (response.status !== 201) throw new Error(`the project was not created: ${await response.text()}`);
}
