// Every text that a model passes to the editor must be translatable: in a language that puts translated texts into brackets, nothing is
// left outside brackets. The data of these tests contains no letters, and dates are Japanese, which contain no Latin letters.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { fatalCodes } from '../../../server/core/fatal.ts';
import { appearanceOf } from '../../../src/activity/appearance.ts';
import { formatAge } from '../../../src/support/ages.ts';
import { groupByDay } from '../../../src/activity/days.ts';
import { describeEvent } from '../../../src/activity/describe.ts';
import type { LoadedPush } from '../../../src/activity/documentLoad.ts';
import { eventDocument, issueDocument, mergeRequestDocument } from '../../../src/activity/documentText.ts';
import { formatAction, formatDates, filterActions, filterTargets, formatTarget } from '../../../src/activity/filter.ts';
import { hoverOfEvent } from '../../../src/activity/hover.ts';
import type { FeedState } from '../../../src/activity/model.ts';
import { rowsOf } from '../../../src/activity/rows.ts';
import { createClient } from '../../../src/api/client.ts';
import { ApiFailure, failureOfResponse } from '../../../src/api/failures.ts';
import { createTransport, type Send, TransportFailure } from '../../../src/api/transport.ts';
import { oauthFailure } from '../../../src/auth/tokenEndpoint.ts';
import { readCommit, readFileChange } from '../../../src/contract/changes.ts';
import { readDiscussion } from '../../../src/contract/discussions.ts';
import { readIssue } from '../../../src/contract/issues.ts';
import { readMergeRequest } from '../../../src/contract/mergeRequests.ts';
import { readProjectBasic } from '../../../src/contract/projects.ts';
import { checkInstanceUrl, localInstance } from '../../../src/instances/instances.ts';
import { startFailure } from '../../../src/local/failures.ts';
import { profileNameProblem } from '../../../src/local/profiles.ts';
import { event, noteEvent, pushEvent } from '../activity/events.ts';
import { json } from '../../support/extension/fakes.ts';
import { bracketedTexts, outsideBrackets, useLanguage } from '../../support/extension/language.ts';

const LOCALE = 'ja';
const HOST = '10.0.0.1';
const author = { id: 7, username: '7', name: '77', web_url: 'http://10.0.0.1/7' };
const numbers = { author, author_username: '7', target_title: '88' };
const project = readProjectBasic({ id: 42, name: '42', path_with_namespace: '4/42', web_url: 'http://10.0.0.1/4/42' });
const actions = [
  'opened',
  'closed',
  'reopened',
  'accepted',
  'approved',
  'created',
  'updated',
  'destroyed',
  'removed',
  'joined',
  'left',
];
const types = [
  'Issue',
  'WorkItem',
  'MergeRequest',
  'Epic',
  'Snippet',
  'Milestone',
  'WikiPage::Meta',
  'DesignManagement::Design',
  null,
];
const push = { ref: '9', commit_title: '88', commit_from: null, commit_to: null };
const events = [
  ...actions.flatMap((action_name) =>
    types.flatMap((target_type) =>
      ['88', null].flatMap((target_title) =>
        [12, null].map((target_iid) => event({ ...numbers, action_name, target_type, target_title, target_iid })),
      ),
    ),
  ),
  ...types.flatMap((noteable_type) =>
    [12, null].map((noteable_iid) => noteEvent({ noteable_type: noteable_type ?? 'Commit', noteable_iid, body: '1' }, numbers)),
  ),
  ...['branch', 'tag'].flatMap((ref_type) =>
    ['pushed', 'created', 'removed'].flatMap((action) =>
      [0, 1, 2].flatMap((count) => [
        pushEvent('pushed', { ...push, ref_type, action, commit_count: count }),
        pushEvent('pushed', { ...push, ref_type, action, commit_count: count, commit_title: null }),
        pushEvent('pushed', { ...push, ref_type, action, ref: null, ref_count: count }),
      ]),
    ),
  ),
].map((one) => ({ ...one, author: one.author === null ? null : { ...one.author, ...author }, author_username: '7' }));

const discussion = readDiscussion({
  id: '1',
  notes: [
    { id: 1, body: '6', author: null, position: { new_path: '7', new_line: 8 } },
    { id: 2, body: '6', author },
  ],
});
const commit = readCommit({ id: '1234', message: '5\n\n6', author_name: '7' });
const changes = [
  readFileChange({ new_path: '1', new_file: true, diff: '+1' }),
  readFileChange({ old_path: '1', deleted_file: true, too_large: true }),
  readFileChange({ old_path: '1', new_path: '2', renamed_file: true }),
  readFileChange({ new_path: '1', diff: '\n'.repeat(5_000) }),
];

/** Returns a complete list, an incomplete one and none. */
function parts<T>(...some: readonly (T | undefined)[]) {
  const items = some.filter((one) => one !== undefined);
  return [{ items, isWhole: true }, { items, isWhole: false }, { failure: '9' }] as const;
}

/** Removes the language names of code blocks, which are not translated. */
function withoutFences(text: string): string {
  return text.replaceAll('```diff', '');
}

/** Asserts that every letter of the text comes from a translation; addresses are not translated. */
function isTranslated(text: string): void {
  const rest = outsideBrackets(text.replaceAll('http://', '//'));
  assert.doesNotMatch(rest, /[a-z]/i, `${text} → ${rest}`);
}

const failing = (error: Error): Send =>
  createTransport({
    userAgent: '',
    timeout: 1_000,
    loadLoopback: async () => assert.fail('not used'),
    sendByHost: async () => {
      throw error;
    },
  });
const request = { method: 'GET', url: `http://${HOST}/`, headers: {} } as const;

async function messageOfFailure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof TransportFailure || error instanceof ApiFailure);
  return error.message;
}

describe('every text of the models can be translated in', () => {
  useLanguage(bracketedTexts);

  it('every text of events can be translated', () => {
    for (const one of events) {
      for (const who of [undefined, '7']) {
        const { label, spoken } = describeEvent(one, LOCALE, who);
        isTranslated(label);
        isTranslated(spoken);
      }
    }
  });

  it('every text of days and rows can be translated', () => {
    const now = new Date(2026, 10, 20, 15);
    const at = (day: number) => event({ ...numbers, created_at: new Date(2026, 10, day, 9).toISOString() });
    for (const day of groupByDay([at(20), at(19), at(18)], now, LOCALE)) isTranslated(day.label);
    const state: FeedState = { kind: 'ready', events: [at(20)], next: undefined, at: 0, isCached: false, problem: undefined };
    const settings = { prefix: '', maxEvents: 9, now, locale: LOCALE, project: () => project, isUnread: () => true } as const;
    for (const details of ['project', 'author', 'both'] as const) {
      const [day] = rowsOf(state, { ...settings, details });
      assert.ok(day?.kind === 'day');
      for (const row of day.rows) {
        assert.ok(row.kind === 'event');
        for (const text of [row.label, row.description, row.spoken]) isTranslated(text);
      }
    }
  });

  it('every text of hovers can be translated', () => {
    const gone = { ...event(numbers), author: null, author_username: null };
    for (const one of [...events, gone]) isTranslated(hoverOfEvent(one, project, LOCALE).replaceAll(/\]\([^)]*\)/g, ''));
  });

  it('every text of documents can be translated', () => {
    for (const state of ['opened', 'closed']) {
      const issue = readIssue({
        id: 1,
        iid: 2,
        title: '3',
        state,
        author,
        assignees: [author],
        labels: ['5'],
        confidential: true,
      });
      assert.ok(issue !== undefined);
      for (const discussions of parts(discussion))
        isTranslated(issueDocument({ issue: { ...issue, due_date: '2026-12-01' }, discussions }, project, LOCALE).text);
    }
    for (const one of events) isTranslated(eventDocument(one, undefined, project, undefined, LOCALE).text);
  });

  it('every text of merge requests and pushes can be translated', () => {
    for (const state of ['opened', 'closed', 'merged', 'locked']) {
      const mergeRequest = readMergeRequest({
        ...{ id: 1, iid: 2, title: '3', state, draft: true, author, assignees: [author], reviewers: [author], labels: ['5'] },
        ...{ merged_at: '2026-11-20T10:15:00Z', milestone: { title: '6' }, source_project_id: state === 'closed' ? 1 : 2 },
      });
      assert.ok(mergeRequest !== undefined);
      const [commits, discussions] = [parts(commit), parts(discussion)];
      for (const [at, diffs] of parts(...changes).entries()) {
        const [these = { failure: '' }, those = { failure: '' }] = [commits[at], discussions[at]];
        isTranslated(
          withoutFences(mergeRequestDocument({ mergeRequest, discussions: those, commits: these, diffs }, project, LOCALE).text),
        );
      }
    }
    const gone: LoadedPush = { message: '7', isGone: true, commits: { items: [], isWhole: true } };
    for (const one of events) isTranslated(eventDocument(one, gone, project, undefined, LOCALE).text);
  });

  it('every text of filters can be translated', () => {
    for (const action of filterActions) isTranslated(formatAction(action));
    for (const target of filterTargets) isTranslated(formatTarget(target));
    for (const days of [1, 7]) isTranslated(formatDates({ kind: 'last', days }));
    isTranslated(formatDates({ kind: 'between', first: '2026-11-01', last: '2026-11-02' }));
  });

  it('every text around the rows can be translated', () => {
    const state = { instance: localInstance('data-1'), kind: 'signedIn', account: author, sessionId: '1' } as const;
    const ready = { kind: 'ready', events: [], next: undefined, at: 0 } as const;
    const moment = { now: 5 * 60_000, locale: LOCALE };
    const subject = { text: '1', ifEmpty: 'empty' } as const;
    for (const feed of [
      { ...ready, isCached: true, problem: undefined },
      { ...ready, isCached: false, problem: new ApiFailure('unreachable', '1') },
      { ...ready, isCached: false, problem: new ApiFailure('refused', '1') },
    ]) {
      isTranslated(appearanceOf(state, feed, subject, moment).message);
    }
    isTranslated(formatAge(5 * 60_000, LOCALE));
    const stopped = appearanceOf(
      { instance: localInstance('data-1'), kind: 'serverStopped' },
      { kind: 'idle' },
      'missing',
      moment,
    );
    assert.match(stopped.description, /⟦/);
    isTranslated(stopped.description);
  });

  it('every text of failed responses can be translated', async () => {
    for (const status of [301, 400, 401, 403, 404, 418, 429, 500, 103]) {
      for (const body of [{}, { message: '99' }]) {
        for (const headers of [{}, { location: '/1' }]) {
          const wire = json(status, body, headers);
          isTranslated(failureOfResponse(HOST, wire, 0).message);
          isTranslated(oauthFailure(wire).message);
        }
      }
    }
    const sending = (body: unknown, headers = {}) =>
      createClient({
        baseUrl: `http://${HOST}`,
        send: async () => json(200, body, headers),
        credentials: { token: async () => undefined, renewed: async () => undefined },
        now: Date.now,
        sleep: async () => undefined,
      });
    isTranslated(await messageOfFailure(sending({}).list('/1', (item) => item)));
    isTranslated(await messageOfFailure(sending({}).get('/1', () => undefined)));
    for (const link of ['http://', 'http://10.0.0.2/1'])
      isTranslated(await messageOfFailure(sending([]).follow(link, (item) => item)));
  });

  it('every text of connection failures can be translated', async () => {
    for (const code of [
      'ECONNREFUSED',
      'ECONNRESET',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'UND_ERR_SOCKET',
      'UND_ERR_CONNECT_TIMEOUT',
      'EPIPE',
      'E_OF_TOMORROW',
    ]) {
      const text = await messageOfFailure(failing(Object.assign(new Error('1'), { code }))(request));
      assert.match(text, /⟦/);
      isTranslated(text);
    }
    isTranslated(await messageOfFailure(failing(new TransportFailure('tooLarge', 'text of the sender'))(request)));
  });

  it('every text of failed starts of the local server can be translated', () => {
    for (const code of [...fatalCodes, 'a_code_of_tomorrow']) {
      const { text, hint } = startFailure(code, '1', '2');
      isTranslated(text);
      isTranslated(hint);
    }
  });

  it('every text of validation errors of addresses and names can be translated', () => {
    for (const address of ['1', 'ftp://10.0.0.1', 'http://1:2@10.0.0.1', 'http://10.0.0.1?1']) {
      const checked = checkInstanceUrl(address);
      assert.ok(checked.kind === 'refused');
      isTranslated(checked.text);
    }
    const near = checkInstanceUrl(`http://${HOST}`);
    assert.ok(near.kind === 'accepted' && near.warning !== undefined);
    isTranslated(near.warning);
    isTranslated(profileNameProblem('-') ?? assert.fail('it is no name'));
  });
});
