import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { testEnvironment } from '../../support/environment.ts';

/** Creates and drops objects over many turns of the event loop, as requests do, and prints the size of the young generation. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { boundYoungHeap } from ${JSON.stringify(path.join(import.meta.dirname, '../../../server/process/youngHeap.ts'))};
  if (process.argv[1] === 'bounded') boundYoungHeap();
  let kept = [];
  let largest = 0;
  for (let turn = 0; turn < 150; turn += 1) {
    for (let index = 0; index < 20_000; index += 1) kept.push({ index, more: [index] });
    if (kept.length > 200_000) kept = [];
    await new Promise((resolve) => setImmediate(resolve));
    largest = Math.max(largest, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
  }
  console.log(largest / 2 ** 20);
`;

function megabytes(how: string): number {
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program, how], { encoding: 'utf8', env: testEnvironment() }),
  );
}

describe('the space of young objects', () => {
  it('the space of young objects grows to at most 32 MB, unlike the default', () => {
    assert.ok(megabytes('unbounded') > 32);
    assert.equal(megabytes('bounded'), 32);
  });
});
