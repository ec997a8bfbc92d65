import assert from 'node:assert/strict';
import { groupingOf, hashesBy } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { formerEvents } from './corpus/formerEvents.ts';
import { formerHashes } from './corpus/formerHashes.ts';
import { scrubbedEvents, scrubbedHashes } from './corpus/scrubbedEvents.ts';
import { normalised } from '../reading.ts';
import { trackedEvent } from '../trackedEvents.ts';

const shown = (hash: Buffer): string => hash.toString('hex').slice(0, 12);

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

  for (const [name, payload] of Object.entries(scrubbedEvents)) {
    it(`an event is found by the hashes of what was scrubbed formerly: ${name}`, () => {
      const former = groupingOf(normalised(payload), 1, true).former();
      const [title, hashes] = scrubbedHashes[name] ?? [];
      assert.ok(title !== undefined && hashes !== undefined);
      for (const version of [1, 2]) {
        const [app, whole] = hashes.split(' ').slice(2 * version - 2);
        const found = former.filter((one) => one.version === version && shown(one.app) === app);
        assert.ok(found.some((one) => shown(one.whole()) === whole));
      }
    });
  }

  it('an event of a project that does not scrub is not compared as if it was scrubbed', () => {
    for (const payload of Object.values(scrubbedEvents)) {
      const event = normalised(payload, { scrub: false });
      const former = groupingOf(event, 1, false).former();
      assert.deepEqual(
        former.map(({ app }) => shown(app)),
        [2, 1].map((version) => shown(hashesBy(version, event, 1).app)),
      );
    }
  });

  it('an event whose fingerprint has a long number is found by the number that was rounded', () => {
    const hash = (fingerprint: string): string =>
      hashesBy(2, trackedEvent({ fingerprint: [fingerprint] }), 1).app.toString('hex');
    const former = groupingOf(trackedEvent({ fingerprint: ['1234567890123456789'] }), 1, true).former();
    const found = former.map(({ app }) => app.toString('hex'));
    assert.ok(found.includes(hash('1234567890123456800')));
    assert.ok(found.includes(hash('1234567890123456789')));
  });
});
