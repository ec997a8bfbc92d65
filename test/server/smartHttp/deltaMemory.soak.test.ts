import assert from 'node:assert/strict';
import { canReadMemory, measureMemory } from '../../support/anonymousMemory.ts';
import { addressOf } from '../../support/gitClient.ts';
import { commitObject, copyDelta, gitObject, pushObjects, referenceDelta, treeObject } from '../../support/gitPacks.ts';
import { requestOf, spawnServer } from '../../support/serverProcess.ts';

const MIB = 1024 * 1024;
const token = 'delta-memory-test-token-0123456789';
const PUSHES = 8;
/** Largest piece that one instruction of a delta copies. */
const PIECE = 0xff_ffff;

describe('memory of deltas', () => {
  it(`${PUSHES} pushes of deltas on deltas of 80 MB take at most 500 MB in git`, async function () {
    // Only Linux shows the anonymous memory of other processes.
    if (!canReadMemory) return this.skip();
    const base = gitObject('blob', Buffer.alloc(PIECE));
    const first = gitObject('blob', Buffer.alloc(5 * PIECE));
    const second = gitObject('blob', Buffer.alloc(6 * PIECE));
    const files = treeObject([
      ['100644', 'first', first.id],
      ['100644', 'second', second.id],
    ]);
    const head = commitObject(files, 'Deltas');
    const entries = [
      base,
      referenceDelta(base, copyDelta(PIECE, PIECE, 5)),
      referenceDelta(first, copyDelta(5 * PIECE, PIECE, 6)),
      files,
      head,
    ];
    await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    const names = Array.from({ length: PUSHES }, (_, index) => `deltas-${index}`);
    for (const name of names) await requestOf(server, token, 'POST', '/api/v4/projects', { name, path: name });
    const peak = measureMemory(server.child.pid ?? 0);
    const outputs = await Promise.all(names.map((name) => pushObjects(addressOf(server, `root/${name}`), token, entries, head)));
    const { descendants } = peak();
    for (const output of outputs) assert.match(output, /ok refs\/heads\/main/);
    assert.ok(descendants > 0 && descendants <= 500 * MIB, `${Math.round(descendants / MIB)} MiB in git`);
  });
});
