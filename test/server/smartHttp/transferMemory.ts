import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { canReadMemory, measureMemory } from '../../support/anonymousMemory.ts';
import { addressOf, type GitClient, gitClient } from '../../support/gitClient.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const MIB = 1024 * 1024;
const token = 'git-memory-test-token-0123456789';

/** Memory that a transfer took, in MiB. */
interface TransferMemory {
  readonly operation: 'push' | 'clone';
  /** Memory of the server, by default its growth. */
  readonly server: number;
  /** Most anonymous memory that all git processes of the server had together. */
  readonly git: number;
}

/** Starts to measure a server. The returned function resolves to the memory that it took since then, in MiB. */
export type MeasureServer = (server: ServerProcess) => Promise<() => Promise<number>>;

/** Options of a server whose memory is measured. */
interface MeasuredServer {
  /** Measures the growth of anonymous memory by default. */
  readonly measure?: MeasureServer;
  readonly nodeArguments?: readonly string[];
  /** True to open file descriptor 3 of the server. */
  readonly control?: boolean;
}

/** Size of a transfer, and limits on the memory that it takes, in MiB. */
export interface TransferLimits {
  readonly mebibytes: number;
  readonly server: number;
  readonly git: number;
}

export function describeTransfers(limits: TransferLimits): void {
  describe('memory of transfers', () => {
    it(`a push and a clone of ${limits.mebibytes} MB take at most ${limits.server} MB in the server and ${limits.git} MB in its git processes`, async function () {
      // Only Linux shows the anonymous memory of other processes.
      if (!canReadMemory) return this.skip();
      for (const { operation, server, git } of await measureTransfers(limits.mebibytes)) {
        assert.ok(git > 0, 'no git process was measured');
        const text = `${operation}: ${Math.round(server)} MiB in the server, ${Math.round(git)} MiB in git`;
        assert.ok(server <= limits.server && git <= limits.git, text);
      }
    });
  });
}

/**
 * Pushes a repository of random files to a built server and clones it. Half of it is one file, the rest are files of 1 MiB and a text.
 * Before each transfer there is a request whose header `X-Bench` names it.
 */
export async function measureTransfers(
  mebibytes: number,
  { measure = growthOfAnonymousMemory, ...options }: MeasuredServer = {},
): Promise<readonly TransferMemory[]> {
  using folder = temporaryFolder();
  const data = path.join(folder.path, 'data');
  const large = path.join(folder.path, 'client', 'large');
  mkdirSync(large, { recursive: true });
  const git = gitClient(path.join(folder.path, 'client'));
  await using server = await spawnServer(['serve', '--data', data, '--max-object-size', String(mebibytes)], {
    env: { SIGNALBOX_ADMIN_TOKEN: token },
    ...options,
  });
  const pid = server.child.pid ?? 0;
  await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'Large' });
  const address = addressOf(server, 'root/large', token);
  writeFileSync(path.join(large, 'random.bin'), randomBytes((mebibytes / 2) * MIB));
  for (let index = 0; index < mebibytes / 2; index += 1) writeFileSync(path.join(large, `${index}.bin`), randomBytes(MIB));
  writeFileSync(path.join(large, 'text.txt'), 'lamp\n'.repeat(MIB));
  await git.succeed('-C', 'large', 'init', '-q', '--initial-branch=main');
  await git.succeed('-C', 'large', '-c', 'core.compression=0', '-c', 'core.bigFileThreshold=1m', 'add', '.');
  await git.succeed('-C', 'large', 'commit', '-qm', 'Large files');

  const measured: TransferMemory[] = [];
  for (const [operation, args] of [
    ['push', ['-C', 'large', '-c', 'core.compression=0', '-c', 'pack.window=0', 'push', '-q', address, 'main']],
    ['clone', ['clone', '-q', '--bare', address, 'copy.git']],
  ] as const) {
    const response = await fetch(`${server.origin}/api/v4/version`, {
      headers: { 'PRIVATE-TOKEN': token, 'X-Bench': operation },
    });
    assert.ok(response.ok, await response.text());
    const memory = await measure(server);
    const peak = measureMemory(pid);
    await git.succeed(...args);
    const { descendants } = peak();
    const taken = await memory();
    const isComplete = operation === 'push' ? await hasMain(git, address, 'large') : await hasMain(git, 'copy.git', 'large');
    assert.ok(isComplete, `the ${operation} did not transfer the commit`);
    measured.push({ operation, server: taken, git: descendants / MIB });
  }
  return measured;
}

async function growthOfAnonymousMemory({ child: { pid = 0 } }: ServerProcess): Promise<() => Promise<number>> {
  const before = measureMemory(pid)().own;
  const peak = measureMemory(pid);
  return async () => (peak().own - before) / MIB;
}

/** Returns true if the main branch of a repository is that of a local one. */
async function hasMain(git: GitClient, repository: string, local: string): Promise<boolean> {
  const commit = (await git.succeed('-C', local, 'rev-parse', 'main')).trim();
  return (await git.succeed('ls-remote', repository, 'refs/heads/main')).startsWith(commit);
}
