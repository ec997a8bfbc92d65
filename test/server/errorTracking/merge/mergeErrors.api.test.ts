import type { Invalid } from '../../../../server/core/errors.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HOUR } from '../../../../server/core/clock.ts';
import { changeErrorStatus } from '../../../../server/features/errorTracking/status/errorStatus.ts';
import { eventsOf, findError, listErrors, type TrackedError } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { mergeErrors, splitError } from '../../../../server/features/errorTracking/merge/mergeErrors.ts';
import { groupingRows } from '../../../../server/features/errorTracking/read/errorReadStore.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { recount } from '../write/recount.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

const statuses = ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'] as const;

describe('merging and splitting tracked errors', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    const { clock } = server.platform;
    clock.freeze(clock.now());
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  const later = (): void => server.platform.clock.advance(HOUR);

  /** Returns the error named `name`, by its culprit. */
  async function errorOf(name: string): Promise<TrackedError> {
    const error = (await project.errors()).find(({ culprit }) => culprit === `${name} (app/ship.py)`);
    assert.ok(error, name);
    return error;
  }
  function again({ fingerprint }: TrackedError): TrackedError {
    const error = findError(server.platform, project.id, fingerprint);
    assert.ok(error);
    return error;
  }
  /** Hashes with events, the oldest first. */
  const hashesOf = (error: TrackedError): Buffer[] =>
    groupingRows(server.platform.store, error.id)
      .filter(({ event_count: count }) => count > 0)
      .toSorted((one, other) => one.id - other.id)
      .map(({ hash }) => Buffer.from(hash));
  const search = async (text: string): Promise<string[]> =>
    (
      await listErrors(
        server.platform,
        project.id,
        { statuses, search: text },
        { order: 'first_seen', direction: 'asc', limit: 10 },
      )
    ).map(({ culprit }) => culprit);

  it('a merged error has the events, distinct users, and first and last times of both; the other is deleted', async () => {
    await project.send(errorEvent('load', { user: { id: 1 }, release: 'ship@1' }));
    later();
    await project.send(errorEvent('save', { user: { id: 1 }, release: 'ship@2' }));
    later();
    await project.send(errorEvent('save', { user: { id: 2 }, release: 'ship@3', level: 'fatal' }));
    const [load, save] = [await errorOf('load'), await errorOf('save')];
    mergeErrors(server.platform, load, [save]);
    recount(server.platform);
    const [merged, ...others] = await project.errors();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [merged?.fingerprint, merged?.event_count, merged?.user_count, merged?.first_release, merged?.last_release],
      [load.fingerprint, 3, 2, 'ship@1', 'ship@3'],
    );
    assert.deepEqual(
      [merged?.title, merged?.level, merged?.first_seen_at, merged?.last_seen_at],
      ['ValueError: cannot save', 'fatal', load.first_seen_at, save.last_seen_at],
    );
    assert.deepEqual(
      [await search('cannot load'), await search('cannot save')],
      [['save (app/ship.py)'], ['save (app/ship.py)']],
    );
  });

  it('new events of a merged error go to the error it was merged into, and to a separate error after a split', async () => {
    await project.send(errorEvent('load'));
    await project.send(errorEvent('save'));
    const [load, save] = [await errorOf('load'), await errorOf('save')];
    const [ofSave] = hashesOf(save);
    mergeErrors(server.platform, load, [save]);
    await project.send(errorEvent('save'));
    assert.deepEqual([again(load).event_count, (await project.errors()).length], [3, 1]);
    assert.ok(ofSave);
    const fingerprint = splitError(server.platform, again(load), ofSave).fingerprint;
    assert.equal(fingerprint, save.fingerprint, 'it has the number of before, which is free');
    await project.send(errorEvent('save'));
    recount(server.platform);
    assert.deepEqual([(await errorOf('load')).event_count, (await errorOf('save')).event_count], [1, 3]);
    assert.deepEqual(
      [await search('cannot load'), await search('cannot save')],
      [['load (app/ship.py)'], ['save (app/ship.py)']],
    );
  });

  it('an error without its first or latest event after a split shows the remaining events', async () => {
    await project.send(errorEvent('load', { release: 'ship@1' }));
    later();
    await project.send(errorEvent('save', { release: 'ship@2' }));
    later();
    await project.send(errorEvent('load', { release: 'ship@3', level: 'fatal' }));
    const save = await errorOf('save');
    const load = await errorOf('load');
    const [ofLoad] = hashesOf(load);
    assert.ok(ofLoad);
    mergeErrors(server.platform, save, [load]);
    const own = splitError(server.platform, again(save), ofLoad).fingerprint;
    const shown = (error: TrackedError | undefined): unknown[] => [
      error?.title,
      error?.level,
      error?.first_release,
      error?.last_release,
      error?.first_seen_at,
      error?.last_seen_at,
    ];
    assert.deepEqual(shown(again(save)), shown(save));
    assert.deepEqual(shown(findError(server.platform, project.id, own)), shown(load));
  });

  it('a split moves the whole-stack grouping too, so that similar events are separate again', async () => {
    const frames = (name: string, library: string, isOwn: boolean): object => ({
      exception: {
        values: [
          {
            type: 'ValueError',
            value: 'no',
            stacktrace: {
              frames: [
                { filename: 'app/ship.py', function: name, in_app: true },
                { filename: 'lib/db.py', function: library, in_app: isOwn },
              ],
            },
          },
        ],
      },
    });
    await project.send(errorEvent('load'));
    await project.send(errorEvent('save', frames('save', 'query', false)));
    const [load, save] = [await errorOf('load'), await errorOf('save')];
    const [ofSave] = hashesOf(save);
    assert.ok(ofSave);
    mergeErrors(server.platform, load, [save]);
    const own = splitError(server.platform, again(load), ofSave).fingerprint;
    // The same frames, all marked as application frames: they match by whole stack only.
    await project.send(errorEvent('save', frames('save', 'query', true)));
    assert.deepEqual([again(load).event_count, findError(server.platform, project.id, own)?.event_count], [1, 2]);
    recount(server.platform);
  });

  it('an error ignored for a number of events does not count those of a merged error as new', async () => {
    for (let index = 0; index < 5; index += 1) await project.send(errorEvent('save'));
    await project.send(errorEvent('load'));
    const [load, save] = [await errorOf('load'), await errorOf('save')];
    changeErrorStatus(server.platform, load, { status: 'ignored', until: { kind: 'occurrences_per_hour', count: 2 } });
    mergeErrors(server.platform, again(load), [save]);
    await project.send(errorEvent('load'));
    assert.equal(again(load).status, 'ignored');
    await project.send(errorEvent('save'));
    assert.equal(again(load).status, 'unresolved');
  });

  const refusals: readonly (readonly [
    name: string,
    attempt: (load: TrackedError, save: TrackedError) => unknown,
    words: RegExp,
  ])[] = [
    ['none to merge with', (load) => mergeErrors(server.platform, load, []), /fingerprints/],
    ['itself', (load, save) => mergeErrors(server.platform, load, [save, load]), /fingerprints/],
    ['a hash of another error', (load, save) => splitError(server.platform, load, hashesOf(save)[0] ?? Buffer.alloc(0)), /hash/],
    ['the only hash', (load) => splitError(server.platform, load, hashesOf(load)[0] ?? Buffer.alloc(0)), /hash/],
    ['the error of what was too much', (load, save) => mergeErrors(server.platform, load, [{ ...save, is_overflow: 1 }]), /base/],
  ];
  for (const [name, attempt, text] of refusals) {
    it(`merging or splitting refuses ${name}, and changes nothing`, async () => {
      await project.send(errorEvent('load'));
      await project.send(errorEvent('save'));
      const before = await project.errors();
      const [load, save] = [await errorOf('load'), await errorOf('save')];
      assert.throws(
        () => attempt(load, save),
        ({ fields }: Invalid) => text.test(JSON.stringify(fields)),
      );
      assert.deepEqual(await project.errors(), before);
    });
  }

  it('after any merges and splits, the counts are correct and no event is lost', async () => {
    const names = ['aa', 'bb', 'cc', 'dd', 'ee'];
    for (let index = 0; index < 40; index += 1) {
      await project.send(
        errorEvent(names[(index * 7) % 5] ?? '', {
          user: { id: index % 6 },
          release: `r${index % 3}`,
          environment: `e${index % 2}`,
        }),
      );
      if (index % 10 === 9) later();
    }
    const step = fc.record({ isMerge: fc.boolean(), one: fc.nat(), other: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const { isMerge, one, other } of steps) {
          const errors = (await project.errors()).toSorted((a, b) => a.id - b.id);
          const error = errors[one % errors.length];
          assert.ok(error);
          if (isMerge) {
            const second = errors[other % errors.length];
            if (second === undefined || second === error) continue;
            mergeErrors(server.platform, error, [second]);
          } else {
            const hashes = hashesOf(error);
            const hash = hashes[other % hashes.length];
            if (hash === undefined || hashes.length === 1) continue;
            splitError(server.platform, error, hash);
          }
          recount(server.platform);
        }
        const errors = await project.errors();
        assert.equal(
          errors.reduce((sum, error) => sum + eventsOf(server.platform, error, { limit: 100 }).length, 0),
          40,
        );
        for (const error of errors) {
          const times = eventsOf(server.platform, error, { limit: 100 }).map(({ occurred_at: at }) => at);
          assert.deepEqual([error.first_seen_at, error.last_seen_at], [Math.min(...times), Math.max(...times)]);
        }
      }),
      { numRuns: 25 },
    );
  });
});
