import assert from 'node:assert/strict';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { TrackedError, TrackedFrame } from '../../../src/contract/trackedErrors.ts';
import { clientKeysRow } from '../../../src/clientKeys/rows.ts';
import { errorAppearance } from '../../../src/errorTracking/appearance.ts';
import { type ErrorFilter, queryOfFilter, USUAL_FILTER } from '../../../src/errorTracking/filter.ts';
import { createListLoads, type ListLoads } from '../../../src/errorTracking/loadLists.ts';
import { createErrorList, type ErrorList, type ErrorListSource, type ErrorListState } from '../../../src/errorTracking/model.ts';
import { type ErrorRow, errorRows, projectRow } from '../../../src/errorTracking/rows.ts';
import type { ErrorPage, ErrorSource } from '../../../src/errorTracking/source.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const abilities = { filters: true, changesStatus: true };

function error(id: string, more: Partial<TrackedError> = {}): TrackedError {
  return {
    ...{ id, title: `Error ${id}`, message: null, culprit: '', level: 'error' },
    ...{ status: 'unresolved' as const, ignored: null, statusReleases: [], countSinceStatus: null, statusChangedAt: null },
    ...{ first_seen: NOW - 86_400_000, last_seen: NOW - 120_000, count: 1, user_count: 0, hourly: [] },
    ...{ assignee: null, issue: null, lastChange: null, isRegression: false, environments: [] },
    ...more,
  };
}

function frame(filename: string, more: Partial<TrackedFrame> = {}): TrackedFrame {
  return {
    ...{ filename, abs_path: null, module: null, function: null, line: 1, column: null, code: null },
    ...{ codeBefore: [], codeAfter: [], in_app: null },
    ...more,
  };
}

/** Source whose pages can be changed. Its requests are recorded in `calls`. */
function fakeSource(pages: TrackedError[][]) {
  const calls: string[] = [];
  const pageAt = (index: number): ErrorPage => ({
    ...{ items: pages[index] ?? [], isDisabled: false, abilities },
    next: index + 1 < pages.length ? String(index + 1) : undefined,
  });
  const source: ErrorSource = {
    list: async () => {
      calls.push('list');
      return pageAt(0);
    },
    follow: async (_, next) => {
      calls.push(`page ${next}`);
      return pageAt(Number(next));
    },
    frames: async (id) => {
      calls.push(`frames ${id}`);
      return [frame('greet.js')];
    },
    facet: async (id, kind) => [`${kind} of ${id}`, 'production'],
  };
  const listSource = (key: string): ErrorListSource => ({
    key,
    query: { order: 'last_seen', ...queryOfFilter(USUAL_FILTER) },
    source: () => source,
  });
  return { calls, listSource, source };
}

function ids(state: ErrorListState): readonly string[] | string {
  return state.kind === 'ready' ? state.errors.map(({ id }) => id) : state.kind;
}

/** Waits until all pending promise callbacks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns the loads of lists, each with the ID of its project. */
function loadsOf(lists: readonly (readonly [id: string, list: ErrorList])[], loadOthers = async () => undefined): ListLoads {
  const shown = lists.map(([id, list]) => ({ project: { account: 'a#1', id: Number(id), path: `ada/${id}` }, list }));
  return createListLoads({ shown: () => shown, withProgress: (work) => work(), loadOthers });
}

describe('the list of tracked errors', () => {
  it('the list of tracked errors loads page by page, and refreshes all loaded pages together', async () => {
    const pages = [[error('1'), error('2')], [error('3')], [error('4')]];
    const { calls, listSource } = fakeSource(pages);
    const list = createErrorList(() => NOW);
    list.setSource(listSource('a'));
    await list.refresh();
    await list.loadMore();
    assert.deepEqual(ids(list.state()), ['1', '2', '3']);
    pages[0] = [error('3'), error('1')];
    pages[1] = [error('2')];
    calls.length = 0;
    await list.refresh();
    assert.deepEqual(ids(list.state()), ['3', '1', '2']);
    assert.deepEqual(calls, ['list', 'page 1']);
  });

  it('the list of tracked errors keeps its rows and shows the reason when a later request fails', async () => {
    const { listSource, source } = fakeSource([[error('1')]]);
    const list = createErrorList(() => NOW);
    let isDown = false;
    const broken: ErrorSource = {
      ...source,
      list: (...args) => (isDown ? Promise.reject(new ApiFailure('unreachable', 'no response')) : source.list(...args)),
    };
    list.setSource({ ...listSource('a'), source: () => broken });
    await list.refresh();
    isDown = true;
    await list.refresh();
    const state = list.state();
    assert.deepEqual(ids(state), ['1']);
    assert.equal(state.kind === 'ready' ? state.problem?.message : undefined, 'no response');
    list.setSource({ ...listSource('b'), source: () => broken });
    await list.refresh();
    assert.equal(list.state().kind, 'failed');
  });

  it('the list of tracked errors loads the stack of an error when it is expanded, and again when there are newer events', async () => {
    const pages = [[error('1'), error('2')]];
    const { calls, listSource } = fakeSource(pages);
    const list = createErrorList(() => NOW);
    list.setSource(listSource('a'));
    await list.refresh();
    list.open('1');
    list.open('1');
    await settled();
    assert.deepEqual(list.frames('1'), { kind: 'ready', frames: [frame('greet.js')] });
    await list.refresh();
    assert.deepEqual(calls, ['list', 'frames 1', 'list']);
    pages[0] = [error('1', { count: 2 }), error('2')];
    await list.refresh();
    await settled();
    assert.deepEqual(calls.slice(3), ['list', 'frames 1']);
  });

  it('the list of tracked errors is loaded again after a change, even if a load from before is running', async () => {
    const pages = [[error('1'), error('2')]];
    const { calls, listSource } = fakeSource(pages);
    const list = createErrorList(() => NOW);
    list.setSource(listSource('a'));
    const before = list.refresh();
    const after = list.refreshAfterChange();
    pages[0] = [error('2')];
    await Promise.all([before, after]);
    assert.deepEqual(ids(list.state()), ['2']);
    assert.deepEqual(calls, ['list', 'list']);
  });

  it('errors that occur while the list is loaded appear with the next poll', async () => {
    const pages = [[error('1')]];
    const { calls, listSource } = fakeSource(pages);
    const list = createErrorList(() => NOW);
    list.setSource(listSource('a'));
    await list.refresh();
    const running = list.refresh();
    const poll = loadsOf([['1', list]]).load();
    pages[0] = [error('1'), error('2')];
    await Promise.all([running, poll]);
    assert.deepEqual(ids(list.state()), ['1', '2']);
    assert.deepEqual(calls, ['list', 'list', 'list']);
  });

  it('several pages of tracked errors are refreshed with one request where the instance allows it', async () => {
    const pages = [[error('1'), error('2')], [error('3')], [error('4')]];
    const { calls, listSource, source } = fakeSource(pages);
    const wanted: (number | undefined)[] = [];
    const several: ErrorSource = {
      ...source,
      list: async (query, signal, count = 1) => {
        wanted.push(count);
        const page = await source.list(query, signal);
        return { ...page, pages: count, items: pages.slice(0, count).flat() };
      },
    };
    const list = createErrorList(() => NOW);
    list.setSource({ ...listSource('a'), source: () => several });
    await list.refresh();
    await list.loadMore();
    calls.length = 0;
    pages[1] = [error('3', { count: 5 })];
    await list.refresh();
    assert.deepEqual([wanted, calls], [[1, 2], ['list']]);
    assert.deepEqual(ids(list.state()), ['1', '2', '3']);
  });

  it('only the lists of projects that changes are about are loaded, until all are asked for', async () => {
    const lists = ['1', '2', '3'].map((id) => {
      const { calls, listSource } = fakeSource([[error(id)]]);
      const list = createErrorList(() => NOW);
      list.setSource(listSource(id));
      return { id, calls, list };
    });
    let others = 0;
    const loads = loadsOf(
      lists.map(({ id, list }) => [id, list] as const),
      async () => {
        others += 1;
      },
    );
    const loaded = async (): Promise<readonly unknown[]> => {
      for (const { calls } of lists) calls.length = 0;
      others = 0;
      assert.deepEqual(await loads.load(), { ok: true, retryAfter: undefined });
      return [...lists.map(({ calls }) => calls.length), others];
    };
    assert.deepEqual(await loaded(), [1, 1, 1, 1]);
    const count = { kind: 'count', projectId: 2, id: 2 } as const;
    assert.ok(loads.expire([count, { kind: 'key', projectId: 3, id: 1 }]));
    assert.deepEqual(await loaded(), [0, 1, 0, 0]);
    assert.deepEqual(await loaded(), [1, 1, 1, 1], 'the usual load of all');
    assert.ok(!loads.expire([{ kind: 'count', projectId: 9, id: 2 }, { kind: 'key' }]), 'nothing shown has changed');
    assert.ok(loads.expire([count]));
    loads.expireAll();
    assert.deepEqual(await loaded(), [1, 1, 1, 1]);
    assert.ok(loads.expire([{ kind: 'error' }]));
    assert.deepEqual(await loaded(), [1, 1, 1, 0]);
  });

  it('the list of tracked errors returns the environments of its errors, each once', async () => {
    const { listSource } = fakeSource([[error('1'), error('2')]]);
    const list = createErrorList(() => NOW);
    list.setSource(listSource('a'));
    await list.refresh();
    assert.deepEqual(await list.facet('environment'), ['environment of 1', 'production', 'environment of 2']);
  });

  it('the list of tracked errors ignores a response for a list that is no longer shown', async () => {
    const { listSource, source } = fakeSource([[error('1')]]);
    const list = createErrorList(() => NOW);
    let respond = (): void => undefined;
    const waiting = new Promise<void>((resolve) => {
      respond = resolve;
    });
    list.setSource({
      ...listSource('a'),
      source: () => ({ ...source, list: (query) => waiting.then(() => source.list(query)) }),
    });
    const loading = list.refresh();
    list.setSource(undefined);
    respond();
    await loading;
    assert.equal(list.state().kind, 'idle');
  });
});

describe('rows of tracked errors', () => {
  const ready = (errors: readonly TrackedError[], next?: string): ErrorListState => ({
    ...{ kind: 'ready', errors, next, isDisabled: false, abilities, at: NOW, problem: undefined },
  });
  const base = {
    prefix: 'p',
    project: { account: 'https://gitlab.example.com#1', id: 1, path: 'ada/lamps' },
    now: NOW,
    locale: 'en',
  };
  const rowsOf = (state: ErrorListState, frames: readonly TrackedFrame[] = [], isNew = () => false): readonly ErrorRow[] =>
    errorRows(state, { ...base, keys: undefined, isNew, frames: () => ({ kind: 'ready', frames }) });

  for (const [more, description, icon] of [
    [{ count: 1 }, '1 event · 2 minutes ago', 'error'],
    [{ count: 1234, user_count: 1 }, '1,234 events · 1 user · 2 minutes ago', 'error'],
    [{ user_count: 12, level: 'fatal' }, '1 event · 12 users · 2 minutes ago', 'flame'],
    [{ level: 'warning' }, '1 event · 2 minutes ago', 'warning'],
    [{ level: null }, '1 event · 2 minutes ago', 'error'],
    [{ status: 'resolved' }, '1 event · 2 minutes ago', 'pass'],
    [{ status: 'ignored' }, '1 event · 2 minutes ago', 'circle-slash'],
  ] as const satisfies readonly (readonly [Partial<TrackedError>, string, string])[])
    it(`rows of tracked errors show ${description} for ${JSON.stringify(more)}`, () => {
      const [row] = rowsOf(ready([error('1', more)]));
      assert.deepEqual([row?.label, row?.description, row?.icon], ['Error 1', description, icon]);
    });

  for (const [title, label, description] of [
    ['TypeError: fetch failed', 'TypeError', 'loadTable (tides.js) · fetch failed · 1 event · 2 minutes ago'],
    [
      '*errors.errorString: no: such file',
      '*errors.errorString',
      'loadTable (tides.js) · no: such file · 1 event · 2 minutes ago',
    ],
    ['The tide table is empty: north', 'The tide table is empty: north', 'loadTable (tides.js) · 1 event · 2 minutes ago'],
    ['', 'Untitled error', 'loadTable (tides.js) · 1 event · 2 minutes ago'],
  ] as const)
    it(`rows of tracked errors begin with the type and the location of “${title}”, so that they differ in a narrow side bar`, () => {
      const culprit = 'loadTable (/srv/berth-api/tides.js)';
      const [row] = rowsOf(ready([error('1', { title, culprit })]));
      assert.deepEqual([row?.label, row?.description], [label, description]);
      assert.ok(row?.tooltip.includes(`\n${culprit}\n`) && row.tooltip.startsWith(title), row?.tooltip);
      assert.ok(row?.spoken.startsWith(`${title === '' ? 'Untitled error' : title}, ${culprit}, error`), row?.spoken);
    });

  it('rows of new errors have a mark, which screen readers read as a word', () => {
    const [row] = rowsOf(ready([error('1', { culprit: 'load' })]), [], () => true);
    assert.equal(row?.description, '● · load · 1 event · 2 minutes ago');
    assert.ok(row?.spoken.startsWith('New, Error 1, load'), row?.spoken);
  });

  it('rows of tracked errors name who is assigned, the issue, and the events of each hour on hover', () => {
    const assignee = { id: 7, username: 'ada', name: 'Ada', avatar_url: null, web_url: '', state: 'active' };
    const hourly = [0, 1, 4].map((count, index) => ({ from: NOW + index, count }));
    const issue = { iid: 3, title: 'Sails tear', state: 'opened', url: 'http://127.0.0.1/x' };
    const [row] = rowsOf(ready([error('1', { assignee, hourly, issue })]));
    assert.equal(row?.description, '1 event · 2 minutes ago · @ada');
    assert.match(row.tooltip, /▁▃█ 5 events in 24 hours\nAssigned to Ada\nIssue: #3 Sails tear$/);
    assert.match(row.spoken, /, Assigned to Ada$/);
  });

  it('rows of errors that are resolved in the next release say how often older releases still report them', () => {
    const state = { statusChangedAt: NOW, countSinceStatus: 1200 };
    const [next] = rowsOf(ready([error('1', { status: 'resolved_in_next_release', ...state })]));
    const text = /still reported by older releases: 1,200 since /;
    assert.match(next?.tooltip ?? '', text);
    assert.match(next?.spoken ?? '', text);
    for (const other of [
      error('1', { status: 'resolved_in_next_release', ...state, countSinceStatus: 0 }),
      error('1', { status: 'resolved_in_next_release' }),
      error('1', { status: 'resolved', ...state }),
    ])
      assert.doesNotMatch(rowsOf(ready([other]))[0]?.tooltip ?? '', /still reported/);
  });

  it('rows of projects show the state of their errors, and the errors below', () => {
    const rowOf = (state: ErrorListState) =>
      projectRow(state, { ...base, keys: undefined, isNew: () => false, frames: () => undefined });
    const failed: ErrorListState = { kind: 'failed', failure: new ApiFailure('unreachable', 'No response.') };
    const none = ready([]);
    assert.ok(none.kind === 'ready');
    const shown = [ready([error('1')]), ready([error('1'), error('2')], 'next'), none, { ...none, isDisabled: true }, failed].map(
      (state) => {
        const { label, description, rows } = rowOf(state);
        return [label, description, rows.map(({ kind }) => kind)];
      },
    );
    assert.deepEqual(shown, [
      ['ada/lamps', '1 error', ['error']],
      ['ada/lamps', '2 or more errors', ['error', 'error', 'more']],
      ['ada/lamps', 'no errors', ['text']],
      ['ada/lamps', 'Error tracking is off', ['text']],
      ['ada/lamps', 'No response.', ['text']],
    ]);
  });

  it('rows of tracked errors end with "Load more" if there are more errors', () => {
    assert.deepEqual(
      rowsOf(ready([error('1')], 'next')).map(({ kind, id }) => [kind, id]),
      [
        ['error', 'p/error/1'],
        ['more', 'p/more'],
      ],
    );
  });

  it('rows of tracked errors are below the client keys, which are shown unless a welcome text replaces all rows', () => {
    const keys = clientKeysRow('k', { account: 'https://gitlab.example.com#1', id: 1, path: 'ada/lamps' }, undefined, {
      now: 0,
      locale: 'en',
    });
    const kinds = (state: ErrorListState): readonly string[] =>
      errorRows(state, { ...base, keys, isNew: () => false, frames: () => undefined }).map(({ kind }) => kind);
    const none = ready([]);
    assert.ok(none.kind === 'ready');
    assert.deepEqual(kinds(ready([error('1')], 'next')), ['clientKeys', 'error', 'more']);
    assert.deepEqual(kinds(none), ['clientKeys']);
    assert.deepEqual(kinds({ ...none, isDisabled: true }), []);
    assert.deepEqual(kinds({ ...none, problem: new ApiFailure('unreachable', 'No response.') }), []);
    assert.deepEqual(kinds({ kind: 'loading' }), []);
  });

  it('rows of frames without a file name their package, and those without a function their address', () => {
    const none = { filename: null, line: null, in_app: true };
    const native = { ...none, package: '/opt/gate/libmotor.so.2', address: '0x7f01' };
    const frames = [
      frame('', { ...native, function: 'turn' }),
      frame('', native),
      frame('', { ...none, address: '0x7f01' }),
      frame('motor.c', { package: native.package, line: 7, in_app: true }),
    ];
    const [row] = rowsOf(ready([error('1')]), frames);
    assert.deepEqual(
      row?.rows.map(({ label, description, tooltip }) => [label, description, tooltip]),
      [
        ['turn', 'libmotor.so.2', '/opt/gate/libmotor.so.2'],
        ['0x7f01', 'libmotor.so.2', '/opt/gate/libmotor.so.2'],
        ['0x7f01', '', ''],
        ['motor.c:7', '', 'motor.c:7'],
      ],
    );
  });

  it('rows of tracked errors contain the frames of the application, and those of libraries collapsed in one row', () => {
    const frames = [
      frame('node_modules/x/a.js', { function: 'inner' }),
      frame('app:///src/greet.js', { function: 'greet', line: 3, column: 9, code: '  throw it' }),
      frame('node:internal/timers', { function: 'tick' }),
      frame('site.py', { in_app: false }),
      frame('lib.js', { line: null }),
    ];
    const [row] = rowsOf(ready([error('1')]), frames);
    assert.deepEqual(
      row?.rows.map(({ kind, label, description }) => [kind, label, description]),
      [
        ['frame', 'greet', 'greet.js:3'],
        ['frame', 'lib.js', ''],
        ['libraries', '3 library frames', ''],
      ],
    );
    assert.equal(row?.rows[0]?.tooltip, 'app:///src/greet.js:3:9\nthrow it');
    assert.deepEqual(
      row?.rows[2]?.rows.map(({ label }) => label),
      ['inner', 'tick', 'site.py:1'],
    );
  });
});

describe('state, description and message of the Tracked Errors view', () => {
  const signedIn: ConnectionState = {
    instance: { key: 'https://x', kind: 'remote', label: 'x', clientId: 'c' },
    kind: 'signedIn',
    account: { id: 1, username: 'ada', name: 'Ada' },
    sessionId: 's',
  };
  const state = (more: Partial<ErrorListState & { kind: 'ready' }>): ErrorListState => ({
    ...{ kind: 'ready', errors: [], next: undefined, isDisabled: false, abilities, at: NOW - 60_000, problem: undefined },
    ...more,
  });
  const NONE = 'No unresolved errors. Applications report errors with the DSN of a client key.';
  const MISSING = 'This instance has no error tracking.';
  const problem = new ApiFailure('unreachable', 'No response.');
  const subject = { project: 'ada/lamps', isAlone: true, filter: USUAL_FILTER, order: 'last_seen' } as const;
  const resolved: ErrorFilter = { ...USUAL_FILTER, statuses: ['resolved', 'ignored'], environment: 'production' };
  for (const [name, list, shown, expected] of [
    ['errors', state({ errors: [error('1')] }), subject, ['ready', 'ada/lamps', '']],
    ['no errors', state({}), subject, ['empty', 'ada/lamps', NONE]],
    [
      'an instance without error tracking',
      state({ isDisabled: true, isMissing: true }),
      subject,
      ['missing', 'ada/lamps', MISSING],
    ],
    [
      'several projects of an instance without error tracking',
      state({ isDisabled: true, isMissing: true }),
      { ...subject, project: '2 projects', isAlone: false },
      ['missing', '2 projects', MISSING],
    ],
    ['disabled error tracking', state({ isDisabled: true }), subject, ['off', 'ada/lamps', '']],
    ['no project', state({}), { ...subject, project: undefined }, ['noProject', '', '']],
    [
      'a filter that no error matches',
      state({}),
      { ...subject, filter: resolved },
      ['emptyFiltered', 'ada/lamps · Resolved, Ignored · production · Last seen', 'No errors match the filter.'],
    ],
    [
      'an instance that lists unresolved errors only',
      state({ abilities: { filters: false, changesStatus: false } }),
      { ...subject, filter: resolved },
      ['empty', 'ada/lamps', NONE],
    ],
    [
      'a text search in an instance that lists unresolved errors only',
      state({ abilities: { filters: false, changesStatus: false } }),
      { ...subject, filter: { ...resolved, text: 'tide' } },
      ['emptyFiltered', 'ada/lamps · Unresolved · “tide” · Last seen', 'No errors match the filter.'],
    ],
    [
      'outdated errors',
      state({ errors: [error('1')], problem }),
      subject,
      ['ready', 'ada/lamps', 'Last updated 1 minute ago. No response.'],
    ],
    ['a failure', { kind: 'failed', failure: problem }, subject, ['unreachable', 'No response.', '']],
  ] as const)
    it(`state, description and message of the view are correct for ${name}`, () => {
      const appearance = errorAppearance(signedIn, list, shown, { now: NOW, locale: 'en' });
      assert.deepEqual([appearance.state, appearance.description, appearance.message], expected);
    });

  it('state, description and message of the view say that the instance has ended the sign-in, above errors that stay', () => {
    const { instance } = signedIn;
    const account = { id: 7, username: 'ana', name: 'Ana' };
    const ended: ConnectionState = { instance, kind: 'signedOut', ended: account };
    const end = `${instance.label} no longer accepts the sign-in of @ana. Sign in again.`;
    const of = (list: ErrorListState) => Object.values(errorAppearance(ended, list, subject, { now: NOW, locale: 'en' }));
    const stale = ['ready', 'ada/lamps', `Last updated 1 minute ago. ${end}`];
    assert.deepEqual(of(state({ errors: [error('1')] })), stale);
    assert.deepEqual(of(state({ errors: [error('1')], problem })), stale);
    const failure = new ApiFailure('signedOut', 'no');
    assert.deepEqual(of({ kind: 'failed', failure }), ['signedOut', end, '']);
  });
});
