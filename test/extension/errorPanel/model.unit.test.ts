import assert from 'node:assert/strict';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { ErrorDetail, ErrorEvent } from '../../../src/contract/errorDetail.ts';
import type { ErrorState } from '../../../src/contract/trackedErrors.ts';
import { createPanelModel } from '../../../src/errorPanel/model.ts';
import type { PanelState } from '../../../src/errorPanel/protocol.ts';
import type { DetailSource, TimeRange } from '../../../src/errorPanel/source.ts';
import { errorDetail, errorEvent } from './details.ts';

describe('model of the panel of an error', () => {
  it('the latest event is shown first, and older ones page by page', async () => {
    const { model, shown } = modelOf({ events: ['c', 'b', 'a'], perPage: 2 });
    assert.equal(model.state().kind, 'loading');
    await model.refresh();
    assert.deepEqual(shown(), { event: 'c', hasNewer: false, hasOlder: true });
    await model.showOlder();
    assert.deepEqual(shown(), { event: 'b', hasNewer: true, hasOlder: true });
    await model.showOlder();
    assert.deepEqual(shown(), { event: 'a', hasNewer: true, hasOlder: false });
    await model.showOlder();
    assert.equal(shown().event, 'a');
    model.showNewer();
    assert.equal(shown().event, 'b');
    await model.showLatest();
    assert.equal(shown().event, 'c');
  });

  it('a refresh keeps the event that the user has selected', async () => {
    const { model, shown } = modelOf({ events: ['b', 'a'] });
    await model.refresh();
    await model.showOlder();
    await model.refresh();
    assert.equal(shown().event, 'a');
  });

  it('a range of time limits the events until all are shown again', async () => {
    const { model, shown, ranges } = modelOf({ events: ['b', 'a'] });
    await model.refresh();
    const range = { from: 0, until: 10 };
    await model.limitTo(range);
    assert.deepEqual(ranges.at(-1), range);
    assert.equal(ready(model.state()).range, range);
    await model.limitTo(null);
    assert.deepEqual([ranges.at(-1), shown().event], [undefined, 'b']);
  });

  it('an instance that does not list events shows the latest one', async () => {
    const { model, shown, ranges } = modelOf({ events: [], listsEvents: false, detail: { latestEvent: errorEvent('x') } });
    await model.refresh();
    assert.deepEqual(shown(), { event: 'x', hasNewer: false, hasOlder: false });
    assert.deepEqual(ranges, []);
  });

  it('a failure of the first request can be tried again, later ones keep what is shown', async () => {
    const { model, fail, shown } = modelOf({ events: ['a'] });
    fail('no connection');
    await model.refresh();
    assert.deepEqual(model.state(), { kind: 'failed', text: 'no connection' });
    fail(undefined);
    await model.refresh();
    assert.equal(shown().event, 'a');
    fail('gone');
    await model.refresh();
    assert.deepEqual([shown().event, ready(model.state()).problem], ['a', 'gone']);
  });

  it('an update in the background takes one request, shows the latest event, and lists the older ones when they are wanted', async () => {
    const ids = ['b', 'a'];
    const { model, shown, ranges, show } = modelOf({ events: ids, detail: { count: 2 } });
    await model.refresh();
    const before = ranges.length;
    for (const [count, id] of [
      [3, 'c'],
      [4, 'd'],
    ] as const) {
      ids.unshift(id);
      show({ count, latestEvent: errorEvent(id) });
      assert.ok(await model.update());
      assert.deepEqual(shown(), { event: id, hasNewer: false, hasOlder: true });
      assert.deepEqual([ready(model.state()).detail.count, ready(model.state()).isBusy], [count, false]);
    }
    assert.equal(ranges.length, before);
    for (const id of ['c', 'b', 'a']) {
      await model.showOlder();
      assert.equal(shown().event, id);
    }
    show({ count: 5, latestEvent: errorEvent('e') });
    await model.update();
    assert.deepEqual([shown().event, ready(model.state()).detail.count], ['a', 5], 'the event that the user has selected stays');
    await model.showLatest();
    assert.equal(shown().event, 'd');
  });

  it('an update in the background that fails keeps what is shown and says why, until one succeeds', async () => {
    const { model, fail, shown } = modelOf({ events: ['a'] });
    await model.refresh();
    fail('gone');
    assert.equal(await model.update(), false);
    assert.deepEqual([shown().event, ready(model.state()).problem], ['a', 'gone']);
    fail(undefined);
    assert.ok(await model.update());
    assert.equal(ready(model.state()).problem, null);
    fail('no connection');
    await model.showLatest();
    fail(undefined);
    await model.update();
    assert.equal(ready(model.state()).problem, 'no connection', 'the failure of an action stays');
  });

  it('the first update loads the error with its events', async () => {
    const { model, shown } = modelOf({ events: ['b', 'a'] });
    assert.ok(await model.update());
    assert.deepEqual(shown(), { event: 'b', hasNewer: false, hasOlder: true });
  });

  const fixes = [
    ['an unresolved error', {}, null],
    [
      'a resolved error waits for a newer release',
      { status: 'resolved', statusReleases: ['web@1.0', 'api@2.0'] },
      { kind: 'waiting', after: ['web@1.0', 'api@2.0'] },
    ],
    [
      'a resolved error of an instance that does not say when it occurred waits for a release after the last one',
      { status: 'resolved', lastRelease: { version: '1.0', commit: null } },
      { kind: 'waiting', after: ['1.0'] },
    ],
    ['a resolved error without releases waits for the next one', { status: 'resolved' }, { kind: 'waiting', after: [] }],
    [
      'a newer release that reports something else proves the fix',
      { status: 'resolved', statusReleases: ['1.0'], fixedIn: '1.1' },
      { kind: 'proven', release: '1.1' },
    ],
    [
      'an error resolved in the next release is proven by it',
      { status: 'resolved_in_next_release', statusReleases: ['1.0'], fixedIn: '1.1' },
      { kind: 'proven', release: '1.1' },
    ],
    [
      'an error that occurred again came back',
      { isRegression: true, lastRelease: { version: '1.1', commit: null } },
      { kind: 'cameBack', release: '1.1' },
    ],
  ] as const satisfies readonly (readonly [string, Partial<ErrorDetail>, unknown])[];
  for (const [name, detail, expected] of fixes) {
    it(`fix: ${name}`, async () => {
      const { model } = modelOf({ events: ['a'], detail });
      await model.refresh();
      assert.deepEqual(ready(model.state()).fix, expected);
    });
  }

  it('a failure for lack of a scope is told apart, because signing in again helps', async () => {
    const { model, fail } = modelOf({ events: ['a'] });
    fail(new ApiFailure('insufficientScope', 'no scope', { scope: 'api', account: 'local#7' }));
    await model.refresh();
    assert.deepEqual(model.state(), { kind: 'failed', text: 'no scope', lacksScope: true });
    fail(new ApiFailure('forbidden', 'no role', { account: 'local#7' }));
    await model.refresh();
    assert.deepEqual(model.state(), { kind: 'failed', text: 'no role' });
  });

  it('a closed panel shows nothing more', async () => {
    const { model, changesShown } = modelOf({ events: ['a'] });
    const loading = model.refresh();
    model.dispose();
    const before = changesShown();
    await loading;
    assert.equal(changesShown(), before);
  });
});

interface FakeSettings {
  /** IDs of the events, the latest first. */
  readonly events: readonly string[];
  readonly perPage?: number;
  readonly listsEvents?: boolean;
  readonly detail?: Partial<ErrorDetail>;
}

function modelOf({ events, perPage = 5, listsEvents = true, detail = {} }: FakeSettings) {
  const ranges: (TimeRange | undefined)[] = [];
  const changes: ErrorState[] = [];
  let failure: Error | undefined;
  let shows = 0;
  let present = detail;
  const pageFrom = (start: number): { items: readonly ErrorEvent[]; next: string | undefined } => ({
    items: events.slice(start, start + perPage).map((id) => errorEvent(id)),
    next: start + perPage < events.length ? String(start + perPage) : undefined,
  });
  const source: DetailSource = {
    detail: async () => {
      if (failure !== undefined) throw failure;
      return { detail: errorDetail(present), abilities: { listsEvents, changesStatus: true } };
    },
    events: async (range) => {
      ranges.push(range);
      return pageFrom(0);
    },
    followEvents: async (next) => pageFrom(Number(next)),
    releasesBefore: async () => [],
  };
  const model = createPanelModel({
    source,
    describeFailure: (error) => (error instanceof Error ? error.message : ''),
    changed: () => {
      shows += 1;
    },
  });
  return {
    model,
    ranges,
    changes,
    changesShown: () => shows,
    fail: (reason: string | Error | undefined) => {
      failure = typeof reason === 'string' ? new Error(reason) : reason;
    },
    /** Replaces what the instance says of the error. */
    show: (next: Partial<ErrorDetail>) => {
      present = next;
    },
    shown: () => {
      const { event, hasNewer, hasOlder } = ready(model.state());
      return { event: event?.id, hasNewer, hasOlder };
    },
  };
}

function ready(state: PanelState): Extract<PanelState, { kind: 'ready' }> {
  assert.ok(state.kind === 'ready', JSON.stringify(state));
  return state;
}
