import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ProgressLine } from '../../../src/contract/control.ts';
import type { StartTimer } from '../../../src/local/serverProcess.ts';
import type { Supervisor } from '../../../src/local/supervisor.ts';
import { createDemoSupervisor } from '../../support/extension/demoSupervisor.ts';
import { DIST, temporaryFolder } from '../../support/serverProcess.ts';

const SERVER = path.join(DIST, 'server.js');
const STUCK_SERVER = path.join(import.meta.dirname, '../../support/extension/stuckServer.js');
const LIMIT = 20_000;

/** Creates timers whose time passes only through `advance`. */
function fakeTimers() {
  const running = new Set<{ left: number; expire: () => void }>();
  const startTimer: StartTimer = (milliseconds, expire) => {
    const timer = { left: milliseconds, expire };
    running.add(timer);
    return {
      restart: () => {
        timer.left = milliseconds;
      },
      stop: () => void running.delete(timer),
    };
  };
  return {
    startTimer,
    advance: (by: number): void => {
      for (const timer of running) {
        timer.left -= by;
        if (timer.left > 0) continue;
        running.delete(timer);
        timer.expire();
      }
    },
  };
}

describe('starting the local server with demo data', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let supervisor: Supervisor | undefined;
  beforeEach(() => {
    assert.ok(existsSync(path.join(DIST, 'demo.data')), 'build dist/ first: npm run build');
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await supervisor?.stop();
    supervisor?.release();
    folder[Symbol.dispose]();
  });

  function supervise(serverFile: string, startTimer: StartTimer, report: (line: string) => void): Supervisor {
    const limits = { handshake: LIMIT, shutdown: 30_000, input: 30_000, terminate: 30_000, elsewhere: 30_000 };
    supervisor = createDemoSupervisor(folder.path, { serverFile, report, startTimer, limits });
    return supervisor;
  }

  it('a start with demo data may take longer than the time limit while the server reports progress', async () => {
    const timers = fakeTimers();
    const reported: ProgressLine[] = [];
    const lines: string[] = [];
    let passed = 0;
    const server = supervise(SERVER, timers.startTimer, (line) => lines.push(line));
    server.onDidProgress((progress) => {
      reported.push(progress);
      // Every line arrives just before the limit.
      timers.advance(LIMIT - 1);
      passed += LIMIT - 1;
    });
    const state = await server.start();
    assert.equal(state.kind, 'running', JSON.stringify(state));
    assert.ok(passed > 3 * LIMIT, `only ${reported.length} lines of progress`);
    const counts = reported.filter(({ message }) => message === 'Loading demo data').map(({ done = -1 }) => done);
    assert.ok(counts.length > 3);
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
    );
    assert.match(lines.join('\n'), /^Loading demo data \(20 of \d+\)$/m, 'the log contains the progress as text');
  });

  it('a start with demo data fails with a message when the server produces no more output', async () => {
    const timers = fakeTimers();
    const server = supervise(STUCK_SERVER, timers.startTimer, (line) => {
      if (!line.startsWith('Loading demo data')) return;
      timers.advance(LIMIT - 1);
      assert.equal(server.state().kind, 'starting');
      timers.advance(1);
    });
    const state = await server.start();
    assert.ok(state.kind === 'failed');
    assert.equal(state.code, 'no_answer');
    assert.match(state.text, /produced no output for 20 s/);
    assert.ok(!existsSync(path.join(folder.path, 'data/signalbox.sqlite')), 'no partial database is left behind');
  });

  it('a start with demo data succeeds in the same folder after a failed start', async () => {
    const timers = fakeTimers();
    const first = supervise(STUCK_SERVER, timers.startTimer, (line) => {
      if (line.startsWith('Loading demo data')) timers.advance(LIMIT);
    });
    assert.equal((await first.start()).kind, 'failed');
    const second = supervise(SERVER, fakeTimers().startTimer, () => undefined);
    assert.equal((await second.start()).kind, 'running');
  });
});
