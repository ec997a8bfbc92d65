import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createStopMark } from '../../../src/local/stopMark.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('the mark of a server that the user stopped', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder[Symbol.dispose]());

  it('the stop mark is seen by every window, also when it is cleared', async () => {
    const [one, other] = [0, 1].map(() => createStopMark(path.join(folder.path, 'local', 'default')));
    assert.ok(one && other);
    one.set();
    assert.ok(other.isSet());
    const cleared = new EventTarget();
    const notified = once(cleared, 'cleared');
    other.whenCleared(() => cleared.dispatchEvent(new Event('cleared')));
    one.clear();
    await notified;
    assert.ok(!other.isSet());
  });

  it('the stop mark notifies even if it was cleared before the wait began', async () => {
    const mark = createStopMark(path.join(folder.path, 'default'));
    await new Promise<void>((resolve) => mark.whenCleared(resolve));
  });

  it('the stop mark does not notify after the wait was stopped or if the folder does not exist', async () => {
    const mark = createStopMark(path.join(folder.path, 'default'));
    const watched = createStopMark(path.join(folder.path, 'default'));
    mark.set();
    const seen: string[] = [];
    mark.whenCleared(() => seen.push('ended'))();
    createStopMark(path.join(folder.path, 'nowhere', 'default')).whenCleared(() => seen.push('nowhere'));
    const notified = new Promise<void>((resolve) => watched.whenCleared(resolve));
    writeFileSync(path.join(folder.path, 'another file'), '');
    rmSync(path.join(folder.path, 'default.stopped'));
    await notified;
    assert.deepEqual(seen, []);
  });
});
