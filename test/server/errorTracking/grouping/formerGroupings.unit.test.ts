import assert from 'node:assert/strict';
import { hashesBy } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { formerEvents } from './corpus/formerEvents.ts';
import { formerHashes } from './corpus/formerHashes.ts';

describe('hashes by former versions of the rules', () => {
  it('events have the hashes that they had when the version was the current one', async () => {
    const hashes: Record<string, string> = {};
    for (const [name, event] of await formerEvents()) {
      const both = [1, 2].flatMap((version) => {
        const { app, whole } = hashesBy(version, event, 1);
        return [app, whole()];
      });
      hashes[name] = both.map((hash) => hash.toString('hex').slice(0, 12)).join(' ');
    }
    assert.deepEqual(hashes, formerHashes);
  });
});
