import assert from 'node:assert/strict';
import { groupingOf, hashesBy } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { formerEvents } from './corpus/formerEvents.ts';
import { formerHashes } from './corpus/formerHashes.ts';
import { trackedEvent } from '../trackedEvents.ts';

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

  it('an event whose fingerprint has a long number is found by the number that was rounded', () => {
    const hash = (fingerprint: string): string =>
      hashesBy(2, trackedEvent({ fingerprint: [fingerprint] }), 1).app.toString('hex');
    const former = groupingOf(trackedEvent({ fingerprint: ['1234567890123456789'] }), 1).former();
    const found = former.map(({ app }) => app.toString('hex'));
    assert.ok(found.includes(hash('1234567890123456800')));
    assert.ok(found.includes(hash('1234567890123456789')));
  });
});
