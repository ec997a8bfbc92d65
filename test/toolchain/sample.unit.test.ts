import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { sampleOf } from '../support/sample.ts';

const items = Array.from({ length: 100 }, (_, index) => index);

describe('samples of wide sets', () => {
  it('samples have the wanted size, no item twice, and the order of the set', () => {
    const sample = sampleOf('a set', items, 10);
    assert.equal(new Set(sample).size, 10);
    assert.deepEqual(
      sample,
      sample.toSorted((one, other) => one - other),
    );
  });

  it('a set that is smaller than its sample is returned whole', () => {
    assert.deepEqual(sampleOf('a small set', [3, 1, 2], 10), [3, 1, 2]);
  });

  it('samples of two sets with different names are independent of each other', () => {
    assert.notDeepEqual(sampleOf('a set', items, 10), sampleOf('another set', items, 10));
  });

  it('samples are the same for the same seed and different for another seed', () => {
    const sampleWith = (seed: number): string => {
      const module = path.resolve(import.meta.dirname, '../support/sample.ts');
      const code = `import { sampleOf } from ${JSON.stringify(module)};
        console.log(sampleOf('a set', Array.from({ length: 100 }, (_, index) => index), 10).join());`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
        encoding: 'utf8',
        env: { SIGNALBOX_TEST_SEED: String(seed) },
      });
      return stdout;
    };
    const first = sampleWith(1);
    assert.equal(first.split(',').length, 10);
    assert.equal(sampleWith(1), first);
    assert.notEqual(sampleWith(2), first);
  });
});
