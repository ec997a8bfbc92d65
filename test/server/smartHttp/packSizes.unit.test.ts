import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, deflateSync } from 'node:zlib';
import { readPackSizes } from '../../../server/features/smartHttp/receivePack/packSizes.ts';
import {
  copyDelta,
  emptyDelta,
  entryBytes,
  gitObject,
  objectOfSize,
  offsetDelta,
  packOf,
  referenceDelta,
} from '../../support/gitPacks.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const MIB = 1024 * 1024;
const limits = { object: MIB, total: 8 * MIB };
const TOO_LARGE = 'an object of the push is larger than 1 MiB when unpacked, the limit of this server (--max-object-size)';
const TOO_MUCH =
  'all objects of the push together are larger than 8 MiB when unpacked, the limit of this server (--max-unpacked-size)';
const DAMAGED = 'the pack is cut off or damaged';

async function sizesOf(pack: Buffer, given = limits, signal = new AbortController().signal): Promise<unknown> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'pack');
  writeFileSync(file, pack);
  return await readPackSizes(file, given, signal);
}

const base = gitObject('blob', Buffer.alloc(1000, 'a'));

describe('sizes of the objects of a pack', () => {
  it('an empty pack has no objects', async () => {
    assert.deepEqual(await sizesOf(packOf([])), { objects: 0, total: 0, largest: 0 });
  });

  for (const type of ['commit', 'tree', 'blob', 'tag'] as const)
    it(`each ${type} has the size of its header`, async () => {
      const contents = [0, 1, 15, 16, 2047, 2048, 40_000, 300_000].map((size) => randomBytes(size));
      const objects = contents.map((content) => gitObject(type, content));
      assert.deepEqual(await sizesOf(packOf(objects)), {
        objects: objects.length,
        total: contents.reduce((sum, { length }) => sum + length, 0),
        // Git reads large files piece by piece.
        largest: type === 'blob' ? 0 : 300_000,
      });
    });

  it('a delta has the size of its result, and that of its own data', async () => {
    const copied = copyDelta(1000, 1000, 5);
    assert.deepEqual(await sizesOf(packOf([base, referenceDelta(base, copied)])), {
      objects: 2,
      total: 1000 + copied.length + 5000,
      largest: 5000,
    });
    assert.deepEqual(await sizesOf(packOf([base, offsetDelta(entryBytes(base).length, copied)])), {
      objects: 2,
      total: 1000 + copied.length + 5000,
      largest: 5000,
    });
  });

  it('the distance of a delta to its base can have several bytes', async () => {
    const middle = gitObject('blob', randomBytes(40_000));
    const distance = entryBytes(base).length + entryBytes(middle).length;
    const copied = copyDelta(1000, 1000, 1);
    assert.deepEqual(await sizesOf(packOf([base, middle, offsetDelta(distance, copied), middle])), {
      objects: 4,
      total: 1000 + 80_000 + copied.length + 1000,
      largest: 1000,
    });
  });

  it('a delta of more data than is inflated at once has the size of its result', async () => {
    const copied = copyDelta(1000, 1, 50_000);
    assert.deepEqual(await sizesOf(packOf([base, referenceDelta(base, copied), base])), {
      objects: 3,
      total: 1000 + copied.length + 50_000 + 1000,
      largest: copied.length,
    });
  });

  it('a thin pack has deltas on objects that it does not contain', async () => {
    assert.deepEqual(await sizesOf(packOf([referenceDelta(base, emptyDelta(1000, 0))])), {
      objects: 1,
      total: 3,
      largest: 1000,
    });
  });

  it('data whose compression made it much larger is read to its end', async () => {
    const content = Buffer.from('lamp');
    const flushes = Array.from({ length: 20_000 }, () => Buffer.from([0, 0, 0, 0xff, 0xff]));
    const started = deflateSync(content, { finishFlush: constants.Z_SYNC_FLUSH });
    const end = deflateSync(content).subarray(-4);
    const deflated = Buffer.concat([started, ...flushes, Buffer.from([3, 0]), end]);
    const entry = { ...gitObject('blob', content), deflated };
    assert.deepEqual(await sizesOf(packOf([entry, base])), { objects: 2, total: 1004, largest: 0 });
  });

  for (const [name, entries] of [
    ['an object', [gitObject('blob', Buffer.alloc(MIB + 1))]],
    ['the result of a delta on an id', [base, referenceDelta(base, emptyDelta(1000, MIB + 1))]],
    ['the result of a delta on an offset', [base, offsetDelta(entryBytes(base).length, emptyDelta(1000, MIB + 1))]],
    [
      'a later delta of a chain',
      [base, referenceDelta(base, emptyDelta(1000, 100_000)), referenceDelta(base, emptyDelta(100_000, MIB + 1))],
    ],
    ['the base of a delta of a thin pack', [referenceDelta(base, emptyDelta(MIB + 1, 1000))]],
    ['the data of a delta', [base, referenceDelta(base, Buffer.alloc(MIB + 1))]],
    ['an object that says 2 GiB', [objectOfSize(2 ** 31 + 5, 'short')]],
    ['an object that says 4 GiB and 5 bytes', [objectOfSize(2 ** 32 + 5, 'short')]],
    ['an object that says 64 PiB', [objectOfSize(2 ** 56, 'short')]],
    ['a delta whose data says 4 GiB and 2 bytes', [base, referenceDelta(base, emptyDelta(1, 1), 2 ** 32 + 2)]],
    ['a delta whose result says 4 GiB and 5 bytes', [base, referenceDelta(base, emptyDelta(1000, 2 ** 32 + 5))]],
  ] as const)
    it(`${name} above the limit is refused`, async () => {
      assert.equal(await sizesOf(packOf(entries)), TOO_LARGE);
    });

  it('an object of exactly the limit is allowed', async () => {
    const delta = emptyDelta(MIB, MIB);
    assert.deepEqual(await sizesOf(packOf([gitObject('blob', Buffer.alloc(MIB)), referenceDelta(base, delta)])), {
      objects: 2,
      total: 2 * MIB + delta.length,
      largest: MIB,
    });
  });

  it('an object above the limit is refused before its data is read', async () => {
    const pack = packOf([objectOfSize(MIB + 1, '')]);
    assert.equal(await sizesOf(pack.subarray(0, 14)), DAMAGED);
    assert.equal(await sizesOf(pack.subarray(0, 16)), TOO_LARGE);
  });

  it('many objects together are limited', async () => {
    const large = gitObject('blob', Buffer.alloc(MIB));
    assert.partialDeepStrictEqual(await sizesOf(packOf(Array.from({ length: 8 }, () => large))), { total: 8 * MIB });
    assert.equal(await sizesOf(packOf(Array.from({ length: 9 }, () => large))), TOO_MUCH);
    const deltas = Array.from({ length: 9 }, () => referenceDelta(large, emptyDelta(MIB, MIB)));
    assert.equal(await sizesOf(packOf(deltas)), TOO_MUCH);
  });

  it('a large pack can become 200 times as large', async () => {
    const filler = gitObject('blob', randomBytes(100_000));
    const large = gitObject('blob', Buffer.alloc(MIB));
    assert.partialDeepStrictEqual(await sizesOf(packOf([filler, ...Array.from({ length: 15 }, () => large)])), { objects: 16 });
    assert.match(String(await sizesOf(packOf([filler, ...Array.from({ length: 30 }, () => large)]))), /--max-unpacked-size/);
  });

  for (const [name, pack] of [
    ['longer than it says', packOf([objectOfSize(3, 'longer'), base])],
    ['shorter than it says', packOf([objectOfSize(30, 'shorter'), base])],
    ['large, and longer than it says', packOf([objectOfSize(100_000, Buffer.alloc(300_000)), base])],
    ['large, and shorter than it says', packOf([objectOfSize(300_000, Buffer.alloc(100_000)), base])],
    ['said to be empty, but is not', packOf([objectOfSize(0, 'x'), base])],
    ['a delta that has no sizes', packOf([referenceDelta(base, Buffer.alloc(0))])],
    ['a delta that has one size', packOf([referenceDelta(base, Buffer.from([5]))])],
    ['a delta whose size does not end', packOf([referenceDelta(base, Buffer.alloc(30, 0xff))])],
    ['not zlib data', packOf([{ ...base, deflated: Buffer.alloc(50, 'z') }])],
    ['large, and not zlib data', packOf([{ ...gitObject('blob', Buffer.alloc(100_000)), deflated: Buffer.alloc(50, 'z') }])],
    ['missing', packOf([base], 2).subarray(0, -20)],
    ['of a size that does not end', packOf([{ ...base, head: Buffer.alloc(40, 0xbf) }])],
  ] as const)
    it(`a pack is damaged if an object is ${name}`, async () => {
      assert.match(String(await sizesOf(pack)), /^the pack (?:is cut off or damaged|has an object of the unknown type [05])$/);
    });

  it('a pack that is cut off anywhere is damaged', async () => {
    const pack = packOf([base, referenceDelta(base, copyDelta(1000, 1000, 2)), gitObject('blob', randomBytes(100))]);
    for (let length = 0; length < pack.length - 20; length += 1)
      assert.equal(await sizesOf(pack.subarray(0, length)), DAMAGED, `${length}`);
  });

  it('unknown types of objects are refused', async () => {
    for (const type of [0, 5]) {
      const entry = { head: Buffer.from([(type << 4) | 1]), bytes: Buffer.from('x') };
      assert.equal(await sizesOf(packOf([entry])), `the pack has an object of the unknown type ${type}`);
    }
  });

  it('a file that is not a pack is damaged', async () => {
    assert.equal(await sizesOf(Buffer.from('PACT\0\0\0\u0002\0\0\0\0')), DAMAGED);
    assert.equal(await sizesOf(Buffer.alloc(0)), DAMAGED);
  });

  it('ends when the sender has left', async () => {
    await assert.rejects(sizesOf(packOf([base]), limits, AbortSignal.abort()), /the push was aborted/);
  });

  it('lets other work run while a pack of many objects is read', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'pack');
    const content = randomBytes(25_000);
    const objects = Array.from({ length: 300 }, () => gitObject('blob', content));
    writeFileSync(file, packOf(objects));
    let turns = 0;
    let isRead = false;
    const count = (): void => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    await readPackSizes(file, limits, new AbortController().signal);
    isRead = true;
    // The file is read in pieces of 512 KiB, each followed by a turn.
    assert.ok(turns >= 14, `${turns} turns`);
  });
});
