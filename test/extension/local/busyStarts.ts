import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SupervisorSettings } from '../../../src/local/supervisor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { createDemoSupervisor, DEMO_TOKEN } from '../../support/extension/demoSupervisor.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const SPIN = "process.stdout.write('spinning'); for (;;) Math.sqrt(2)";

/** Starts servers with demo data as the extension does, while other processes keep the processors busy. Asserts that all respond. */
export async function busyStarts(
  starts: number,
  busyProcesses: number,
  settings: Pick<SupervisorSettings, 'startTimer'> = {},
): Promise<void> {
  const busy: ChildProcess[] = Array.from({ length: busyProcesses }, () =>
    spawn(process.execPath, ['-e', SPIN], { env: testEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  try {
    for (const { stdout } of busy) if (stdout !== null) await once(stdout, 'data');
    for (let start = 0; start < starts; start += 1) {
      using folder = temporaryFolder();
      const lines: string[] = [];
      const supervisor = createDemoSupervisor(folder.path, { ...settings, report: (line) => lines.push(line) });
      try {
        const state = await supervisor.start();
        assert.equal(state.kind, 'running', `start ${start + 1}: ${JSON.stringify(state)}\n${lines.join('\n')}`);
        for (const [target, expected] of [
          ['projects?per_page=100', 16],
          ['projects/1/repository/commits?per_page=5', 5],
        ] as const) {
          const response = await fetch(`${supervisor.origin()}/api/v4/${target}`, { headers: { 'PRIVATE-TOKEN': DEMO_TOKEN } });
          const rows: unknown = await response.json();
          assert.equal(Array.isArray(rows) && rows.length, expected, target);
        }
      } finally {
        await supervisor.stop();
        supervisor.release();
      }
    }
  } finally {
    for (const child of busy) child.kill('SIGKILL');
    for (const child of busy) if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}
