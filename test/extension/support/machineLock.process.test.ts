import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { testEnvironment } from '../../support/environment.ts';
import { createMachineLock, LockBusy, type MachineLock } from '../../../src/support/machineLock.ts';
import { HANG_LIMIT_MS } from '../../support/until.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const PROGRAM = path.join(import.meta.dirname, '../../support/extension/lockProcess.ts');

describe('the machine lock', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  const lockIn = (location: string, limit = HANG_LIMIT_MS): MachineLock =>
    createMachineLock({ folder: location, limit, report: (text) => assert.fail(text) });

  async function run(times: number, dies = 0): Promise<string> {
    const args = [PROGRAM, folder.path, String(times), String(dies)];
    const child = spawn(process.execPath, args, { env: testEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
    return text(child.stdout);
  }

  it('the machine lock admits one process at a time, even while holders are killed', async function () {
    const responses = await Promise.all([run(40), run(40), run(40), run(40, 3), run(40, 11), run(40, 19)]);
    assert.deepEqual(responses, ['done\n', 'done\n', 'done\n', '', '', '']);
  });

  it('the machine lock is free at once after its holder was killed, and does not accumulate files', async () => {
    assert.equal(await run(9, 9), '');
    // With a limit of 0, a lock that is still held is refused at the first attempt.
    await lockIn(path.join(folder.path, 'locks'), 0)('the account', async () => undefined);
    assert.ok(readdirSync(path.join(folder.path, 'locks')).length <= 2);
  });

  it('the machine lock passes from one caller to the next in the same process, even if the work fails', async () => {
    const lock = lockIn(folder.path);
    const order: string[] = [];
    await assert.rejects(
      Promise.all([
        lock('a', async () => {
          order.push('begin');
          await new Promise<void>((resolve) => setImmediate(resolve));
          order.push('end');
          throw new Error('failed');
        }),
        lock('b', async () => undefined),
      ]),
      /failed/,
    );
    assert.equal(await lock('a', async () => 'next'), 'next');
    assert.deepEqual(order, ['begin', 'end']);
  });

  it('the machine lock fails when another process holds it for too long', async () => {
    await lockIn(folder.path)('a', async () => {
      await assert.rejects(
        lockIn(folder.path, 100)('a', async () => undefined),
        LockBusy,
      );
    });
  });

  it('the machine lock works in a folder whose path is too long for a socket', async () => {
    const deep = path.join(folder.path, 'x'.repeat(60), 'y'.repeat(60));
    await lockIn(deep)('a', async () => {
      await assert.rejects(
        lockIn(deep, 100)('a', async () => undefined),
        LockBusy,
      );
    });
  });

  it('the machine lock runs the work without a lock where none is possible, and logs that', async () => {
    const reported: string[] = [];
    const lock = createMachineLock({ folder: '/dev/null/locks', limit: 100, report: (text) => reported.push(text) });
    assert.equal(await lock('a', async () => 'done'), 'done');
    assert.equal(reported.length, 1);
  });
});
