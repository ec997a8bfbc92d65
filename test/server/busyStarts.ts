import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { requestOf, spawnServer, temporaryFolder } from '../support/serverProcess.ts';

const token = 'busy-start-test-token-0123456789';

const SPIN = "process.stdout.write('spinning'); for (;;) Math.sqrt(2)";

/** Starts servers with demo data one after the other, beside processes that keep the processors busy. All must answer. */
export async function busyStarts(starts: number, busyProcesses: number): Promise<void> {
  const spinning: ChildProcess[] = Array.from({ length: busyProcesses }, () =>
    spawn(process.execPath, ['-e', SPIN], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  try {
    for (const { stdout } of spinning) if (stdout !== null) await once(stdout, 'data');
    for (let start = 0; start < starts; start += 1) {
      using folder = temporaryFolder();
      await using server = await spawnServer(['serve', '--data', folder.path, '--seed', 'demo', '--stdin-handshake'], {
        handshake: JSON.stringify({ adminToken: token }),
      });
      assert.equal(server.line['event'], 'listening', server.stderr());
      assert.match(server.stderr(), /"event":"progress","message":"Loading demo data"/);
      const projects = (await requestOf(server, token, 'GET', '/api/v4/projects?per_page=100')) as readonly unknown[];
      assert.equal(projects.length, 16);
      const commits = (await requestOf(server, token, 'GET', '/api/v4/projects/1/repository/commits')) as readonly unknown[];
      assert.ok(commits.length > 0);
    }
  } finally {
    await Promise.all(
      spinning.map(async (child) => {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }),
    );
  }
}
