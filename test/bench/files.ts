import assert from 'node:assert/strict';
import { openRepository } from '../../server/features/git/open.ts';
import { entriesAt, type RepositoryDir, readBlob } from '../../server/repositories/objects.ts';
import { commitFiles } from '../server/git/repository.ts';
import { actor, projectWith } from '../server/projects/cast.ts';
import { startTestServer } from '../support/server.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { slowlyAsync, slowness } from './slowness.ts';

const MAX_ROUNDS = 21;
const LIMIT: Limit = { atMost: 0.05 };
/** Number of files in the directory, and of files read in a round. */
const FILES = 100;

/** Compares the time to read a file through a process of git that serves many requests, and through commands of their own. */
export async function files(): Promise<Ratio> {
  await using server = await startTestServer();
  const { platform } = server;
  const ada = actor(platform, 'ada');
  const found = projectWith(platform, ada, { name: 'Lamps' });
  const paths = Array.from({ length: FILES }, (_, index) => `src/lamps/${index}.ts`);
  const commit = await commitFiles(platform, found, ada, Object.fromEntries(paths.map((path) => [path, textOf(path)])));
  const shared = await openRepository(platform, found.project);
  assert.ok(shared !== undefined);
  // A program that is not known to the readers runs a command for each object.
  const alone: RepositoryDir = { ...shared, git: { ...shared.git } };
  const contentOf = async (repository: RepositoryDir, path: string): Promise<string | undefined> => {
    const entry = (await entriesAt(repository, commit, [path])).get(path);
    return (await readBlob(repository, entry?.id ?? ''))?.toString();
  };
  const timeOf = async (repository: RepositoryDir): Promise<number> => {
    const factor = repository === shared ? slowness() : 1;
    const begin = performance.now();
    const contents: (string | undefined)[] = [];
    for (const path of paths) contents.push(await slowlyAsync(factor, () => contentOf(repository, path)));
    const time = (performance.now() - begin) / FILES;
    checkSameWork(
      'contents of the files',
      contents,
      paths.map((path) => textOf(path)),
    );
    return time;
  };
  for (const repository of [shared, alone]) await timeOf(repository);
  const times: { readonly shared: number; readonly alone: number }[] = [];
  const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, async (index) => {
    // The sides take turns going first, so a machine that gets slower favours neither.
    const isSharedFirst = index % 2 === 0;
    const first = await timeOf(isSharedFirst ? shared : alone);
    const second = await timeOf(isSharedFirst ? alone : shared);
    const time = isSharedFirst ? { shared: first, alone: second } : { shared: second, alone: first };
    times.push(time);
    return time.shared / time.alone;
  });
  return ratio('reading a file of a repository', 'time, one process of git / a command per object', rounds, LIMIT, {
    sharedMilliseconds: rounded(median(times.map((time) => time.shared))),
    aloneMilliseconds: rounded(median(times.map((time) => time.alone))),
  });
}

function textOf(path: string): string {
  return `${path}\n`.repeat(100);
}
