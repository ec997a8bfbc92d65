import assert from 'node:assert/strict';
import { countEvents, type Feed, listEvents } from '../../../server/features/activity/store.ts';
import { eventVisibility } from '../../../server/features/activity/rules.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import type { Platform } from '../../../server/platform.ts';
import { attachSubscribers } from '../../../server/subscribers.ts';
import { recordStatements } from '../../bench/recordStatements.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { createTestPlatform } from '../../support/server.ts';

/** Returns the query plans of all statements of `work`, one line per step. */
async function plans(platform: Platform, work: () => void): Promise<string[]> {
  const { store } = platform;
  const { statements } = await recordStatements(store, async () => work());
  return statements.flatMap(({ sql, params }) =>
    store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params).map((step) => step.detail),
  );
}

describe('the SQL statements of a feed', () => {
  const platform = createTestPlatform();
  before(() => {
    attachSubscribers(platform);
    for (const name of ['ada', 'bob']) projectWith(platform, actor(platform, name), { name: 'Lamps', visibility: 'public' });
    platform.store.transaction(() => {
      for (let number = 0; number < 2000; number += 1) {
        const projectId = 1 + (number % 2);
        platform.changes.publish({
          kind: number % 5 === 0 ? 'memberLeft' : 'memberExpired',
          projectId,
          userId: 1 + (number % 3),
        });
      }
    });
  });
  after(() => endPlatform(platform));

  const everything = eventVisibility([], 1, { withoutMergeRequests: true });
  const partial = eventVisibility([{ id: 1, can: undefined }], 1, { withoutMergeRequests: true });
  const some = { ...partial, open: [32, 33] };
  /** Reads the rows of confidential issues to check whether they are the reader's own. */
  const withOwn = { ...some, ownConfidentialIn: [1] };
  const filters: Partial<Feed>[] = [
    {},
    { action: 3 },
    { targetType: 'Issue' },
    { action: 3, targetType: 'Issue' },
    { from: 1, until: 2 },
    { action: 3, from: 1 },
    { targetType: 'Issue', until: 2 },
  ];

  for (const analysed of [false, true]) {
    it(`statements of a feed read an index in the order of the feed and no other rows${analysed ? ', also with statistics' : ''}`, async () => {
      if (analysed) platform.store.run('ANALYZE');
      for (const owner of [
        { kind: 'author', id: 1 },
        { kind: 'project', id: 1 },
        { kind: 'projects', ids: [1, 2] },
      ] as const) {
        for (const filter of filters) {
          for (const visibility of [everything, some, withOwn]) {
            const index = visibility === withOwn ? /^SEARCH e USING (?:COVERING )?INDEX/ : /^SEARCH e USING COVERING INDEX/;
            const feed: Feed = { owner, ...filter, visibility };
            const reported = JSON.stringify([owner, filter]);
            const counted = await plans(platform, () => countEvents(platform.store, feed, 10_001));
            const search = counted.filter((step) => / e(?: |$)/.test(step));
            assert.deepEqual(
              search.filter((step) => !index.test(step)),
              [],
              reported,
            );
            const listed = await plans(platform, () => listEvents(platform.store, feed, { sort: 'desc', limit: 21, offset: 0 }));
            const scans = listed.filter((step) => /^SCAN (?:e|candidate)\b/.test(step));
            assert.deepEqual(scans, [], reported);
            const inner = listed.filter((step) => index.test(step));
            assert.equal(inner.length, 1, `${reported}: ${listed.join('; ')}`);
            // One sort for the rows of the page, and another one if several projects are merged.
            const sorts = listed.filter((step) => step.startsWith('USE TEMP B-TREE')).length;
            assert.equal(sorts, owner.kind === 'projects' ? 2 : 1, `${reported}: ${listed.join('; ')}`);
          }
        }
      }
    });
  }

  it('a feed without visible events needs no scan', async () => {
    const feed: Feed = { owner: { kind: 'author', id: 1 }, visibility: partial };
    const steps = await plans(platform, () => countEvents(platform.store, feed, 10));
    assert.equal(countEvents(platform.store, feed, 10), 0);
    assert.ok(steps.length > 0);
  });
});
