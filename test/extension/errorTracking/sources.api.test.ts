import assert from 'node:assert/strict';
import { writeSettings } from '../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import type { Send, WireResponse } from '../../../src/api/transport.ts';
import { CannotChange, createErrorChanges, type ErrorChange, type ErrorChanges } from '../../../src/errorActions/changes.ts';
import { createDetailSource } from '../../../src/errorPanel/detailSource.ts';
import { ERROR_STATUSES, type ErrorState, type TrackedError, type TrackedFrame } from '../../../src/contract/trackedErrors.ts';
import { isWithoutTracking } from '../../../src/errorTracking/missing.ts';
import { queryOfFilter, USUAL_FILTER } from '../../../src/errorTracking/filter.ts';
import type { ErrorQuery, ErrorSource } from '../../../src/errorTracking/source.ts';
import { createErrorSources, createResourceChoice } from '../../../src/errorTracking/sources.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../../server/errorTracking/senders.ts';

/** Acts as an instance of GitLab, which does not have the local resource. */
const withoutResource: Send = async (request, signal) =>
  /\/error_tracking\/errors\b/.test(request.url)
    ? { status: 404, headers: new Map(), body: '{"error":"404 Not Found"}' }
    : sendByFetch(request, signal);

const ways = { rest: sendByFetch, graphql: withoutResource } as const;
const unresolved: ErrorQuery = { order: 'last_seen', ...queryOfFilter(USUAL_FILTER) };
const titles = (errors: readonly TrackedError[]): readonly string[] => errors.map(({ title }) => title);
const failure = (kind: ApiFailure['kind']) => (thrown: unknown) => thrown instanceof ApiFailure && thrown.kind === kind;

for (const way of ['rest', 'graphql'] as const)
  for (const dialect of ['documented', 'observed'] as const) {
    describe(`tracked errors in the extension by ${way}, dialect ${dialect}`, () => {
      let server: TestServer;
      let project: TrackedProject;
      let asked: string[];
      before(async () => {
        server = await startTestServer({ profile: { dialect } });
      });
      after(() => server.close());
      beforeEach(() => {
        project = trackedProject(server);
        asked = [];
      });

      function clientOf({ token }: Actor): Client {
        const send: Send = (request, signal) => {
          asked.push(new URL(request.url).pathname);
          return ways[way](request, signal);
        };
        return createClient({
          ...{ baseUrl: server.origin, send, now: Date.now, sleep },
          credentials: { token: async () => token, renewed: async () => undefined },
        });
      }
      const sourceFor = (who: Actor, of: { readonly id: number; readonly path: string } = project): ErrorSource =>
        createErrorSources(createResourceChoice(), async () => undefined)(clientOf(who), { id: of.id, path: of.path });

      const changesFor = (who: Actor): ErrorChanges =>
        createErrorChanges(clientOf(who), { id: project.id, path: project.path }, createResourceChoice());

      it('tracked errors are assigned, linked, merged and split, and each change is undone', async () => {
        for (const fails of ['load', 'store']) await project.send(errorEvent(fails));
        const source = sourceFor(project.owner);
        const changes = changesFor(project.owner);
        const [store, load] = (await source.list(unresolved)).items;
        assert.ok(load !== undefined && store !== undefined);
        const issue = await changes.createIssue('Loading fails', 'See the stack.');
        if (way === 'graphql') {
          for (const change of [
            { kind: 'assignee', userId: null },
            { kind: 'issue', iid: issue.iid },
            { kind: 'merge', others: [store.id] },
            { kind: 'split', hash: '00' },
            { kind: 'undo', changeId: 1 },
          ] satisfies readonly ErrorChange[])
            await assert.rejects(changes.apply(load.id, change), (thrown) => thrown instanceof CannotChange);
          return;
        }
        const undo = ({ id, lastChange }: TrackedError) => changes.apply(id, { kind: 'undo', changeId: lastChange?.id ?? 0 });
        const assigned = await changes.apply(load.id, { kind: 'assignee', userId: project.owner.user.id });
        assert.deepEqual([assigned.assignee?.username, assigned.lastChange?.kind], [project.owner.user.username, 'assignee']);
        const found = await source.list({ ...unresolved, assignee: project.owner.user.id });
        assert.deepEqual(titles(found.items), [load.title]);
        assert.deepEqual(titles((await source.list({ ...unresolved, assignee: 'None' })).items), [store.title]);
        assert.equal((await undo(assigned)).assignee, null);
        const linked = await changes.apply(load.id, { kind: 'issue', iid: issue.iid });
        assert.deepEqual([linked.issue?.iid, linked.issue?.title, linked.issue?.state], [issue.iid, 'Loading fails', 'opened']);
        assert.equal((await undo(linked)).issue, null);
        const merged = await changes.apply(load.id, { kind: 'merge', others: [store.id] });
        assert.equal(merged.count, 2);
        const { groupings } = (
          await createDetailSource(() => clientOf(project.owner), project, load.id, createResourceChoice()).detail()
        ).detail;
        assert.deepEqual(new Set(groupings.map(({ title }) => title)), new Set([load.title, store.title]));
        const split = await changes.apply(load.id, { kind: 'split', hash: groupings[1]?.hash ?? '' });
        assert.equal(split.count, 1);
        assert.deepEqual([(await undo(split)).id, (await source.list(unresolved)).items.length], [load.id, 1]);
        const [whole] = (await source.list(unresolved)).items;
        assert.ok(whole !== undefined);
        await undo(whole);
        assert.equal((await source.list(unresolved)).items.length, 2);
      });

      it('tracked errors are listed with the data of rows, in every order', async () => {
        const before = Date.now();
        for (const fails of ['load', 'store', 'load', 'load']) await project.send(errorEvent(fails, { user: { id: fails } }));
        const source = sourceFor(project.owner);
        const { items, next, isDisabled, abilities } = await source.list(unresolved);
        assert.deepEqual([next, isDisabled], [undefined, false]);
        assert.deepEqual(abilities, { filters: way === 'rest', changesStatus: way === 'rest' });
        const load = items.find(({ title }) => title === 'ValueError: cannot load');
        assert.ok(load !== undefined, JSON.stringify(items));
        assert.deepEqual([load.count, load.user_count, load.status], [3, 1, 'unresolved']);
        assert.ok(before - 1000 <= load.first_seen && load.first_seen <= load.last_seen && load.last_seen <= Date.now());
        assert.equal(load.level, way === 'rest' ? 'error' : null);
        const frequent = await source.list({ ...unresolved, order: 'frequency' });
        assert.deepEqual(titles(frequent.items), ['ValueError: cannot load', 'ValueError: cannot store']);
      });

      it('tracked errors are listed in pages, each once', async () => {
        const names = Array.from(
          { length: 45 },
          (_, index) => `fail${String.fromCharCode(97 + (index % 26))}${'x'.repeat(1 + index / 26)}`,
        );
        for (const name of names) await project.send(errorEvent(name));
        const source = sourceFor(project.owner);
        const first = await source.list({ ...unresolved, order: 'first_seen' });
        let page = first;
        const seen = [...first.items];
        for (let pages = 1; page.next !== undefined && pages < 10; pages += 1) {
          page = await source.follow({ ...unresolved, order: 'first_seen' }, page.next);
          seen.push(...page.items);
        }
        assert.equal(first.items.length, 20);
        assert.deepEqual(new Set(titles(seen)), new Set(names.map((name) => `ValueError: cannot ${name}`)));
        assert.equal(seen.length, names.length);
      });

      it('tracked errors have frames, innermost first', async () => {
        await project.send(errorEvent('load'));
        const source = sourceFor(project.owner);
        const [error] = (await source.list(unresolved)).items;
        assert.ok(error !== undefined);
        const isRest = way === 'rest';
        const frame = (more: Partial<TrackedFrame>): TrackedFrame => ({
          ...{ abs_path: null, module: null, column: null, code: null, filename: null, function: null, line: null },
          ...{ codeBefore: [], codeAfter: [] },
          ...more,
          in_app: isRest ? true : null,
        });
        assert.deepEqual(await source.frames(error.id), [
          frame({ filename: 'app/ship.py', function: 'load', line: 10, code: '    raise ValueError()' }),
          frame({ filename: 'app/main.py', function: 'main', line: 3 }),
        ]);
      });

      it('tracked errors are resolved and listed by status if the instance supports it', async () => {
        await project.send(errorEvent('load'));
        await project.send(errorEvent('store'));
        const source = sourceFor(project.owner);
        const error = (await source.list(unresolved)).items.find(({ title }) => title.endsWith('load'));
        assert.ok(error !== undefined);
        const resolve: ErrorChange = { kind: 'status', state: { status: 'resolved', ignored: null } };
        if (way === 'graphql') {
          await assert.rejects(changesFor(project.owner).apply(error.id, resolve), (thrown) => thrown instanceof CannotChange);
          return;
        }
        await changesFor(project.owner).apply(error.id, resolve);
        assert.deepEqual(titles((await source.list(unresolved)).items), ['ValueError: cannot store']);
        const { items } = await source.list({ ...unresolved, statuses: ['resolved', 'ignored'] });
        assert.deepEqual(
          items.map(({ id, status }) => [id, status]),
          [[error.id, 'resolved']],
        );
      });

      it('tracked errors are searched by text, and filtered by level, environment and release if the instance supports it', async () => {
        await project.send(errorEvent('load', { environment: 'production', release: 'ship@1', level: 'error' }));
        await project.send(errorEvent('store', { environment: 'staging', release: 'ship@2', level: 'warning' }));
        const source = sourceFor(project.owner);
        const found = async (more: Partial<ErrorQuery>) =>
          titles((await source.list({ ...unresolved, ...more })).items).toSorted();
        const [load, store] = ['ValueError: cannot load', 'ValueError: cannot store'];
        assert.deepEqual(await found({ search: 'stor' }), [store]);
        const isRest = way === 'rest';
        for (const more of [{ level: 'warning' }, { environment: 'staging' }, { release: 'ship@2' }])
          assert.deepEqual(await found(more), isRest ? [store] : [load, store], JSON.stringify(more));
        const error = (await source.list(unresolved)).items.find(({ title }) => title === store);
        assert.deepEqual(await source.facet(error?.id ?? '', 'environment'), isRest ? ['staging'] : []);
        assert.deepEqual(await source.facet(error?.id ?? '', 'release'), isRest ? ['ship@2'] : []);
      });

      it('tracked errors have the code around the line of a frame', async () => {
        const frames = [
          {
            ...{ filename: 'app/ship.py', function: 'load', lineno: 10, in_app: true },
            ...{ pre_context: ['def load():', '    check()'], context_line: '    raise ValueError()', post_context: [''] },
          },
        ];
        await project.send(
          errorEvent('load', { exception: { values: [{ type: 'ValueError', value: 'cannot load', stacktrace: { frames } }] } }),
        );
        const source = sourceFor(project.owner);
        const [error] = (await source.list(unresolved)).items;
        const [frame] = await source.frames(error?.id ?? '');
        assert.deepEqual(
          [frame?.codeBefore, frame?.code, frame?.codeAfter],
          [['def load():', '    check()'], '    raise ValueError()', ['']],
        );
      });

      if (way === 'rest')
        it('tracked errors that are ignored until something happens can be resolved and ignored until then again', async () => {
          await project.send(errorEvent('load'));
          const source = sourceFor(project.owner);
          const listed = async () => (await source.list({ ...unresolved, statuses: ERROR_STATUSES })).items[0];
          const id = (await listed())?.id ?? '';
          const ignored = { ignored_until: 'occurrences', ignored_count: 5, ignored_until_date: undefined };
          const change = (state: ErrorState) => changesFor(project.owner).apply(id, { kind: 'status', state });
          await change({ status: 'ignored', ignored });
          const before = await listed();
          assert.deepEqual([before?.status, before?.ignored], ['ignored', ignored]);
          await change({ status: 'resolved', ignored: null });
          assert.deepEqual((await listed())?.ignored, null);
          await change({ status: 'ignored', ignored: before?.ignored ?? null });
          assert.deepEqual((await listed())?.ignored, ignored);
        });

      it('disabled tracking, hidden projects and forbidden errors are distinguished', async () => {
        const [guest, stranger] = [actor(server.platform, `guest${project.id}`), actor(server.platform, `stranger${project.id}`)];
        const { project: hidden } = projectWith(
          server.platform,
          project.owner,
          { name: `Hidden ${project.id}`, visibility: 'private' },
          [[guest, 10]],
        );
        const location = { id: hidden.id, path: hidden.full_path };
        assert.equal((await sourceFor(project.owner, location).list(unresolved)).isDisabled, true);
        writeSettings(server.platform, hidden.id, { active: true, integrated: true });
        assert.deepEqual(titles((await sourceFor(project.owner, location).list(unresolved)).items), []);
        assert.equal((await sourceFor(project.owner, location).list(unresolved)).isDisabled, false);
        await assert.rejects(sourceFor(guest, location).list(unresolved), failure('forbidden'));
        await assert.rejects(sourceFor(stranger, location).list(unresolved), failure('notFound'));
      });

      it('tracked errors are requested from one address once it is known', async () => {
        const source = sourceFor(project.owner);
        await source.list(unresolved);
        asked = [];
        await source.list(unresolved);
        const resource = `/api/v4/projects/${project.id}/error_tracking/errors`;
        assert.deepEqual(asked, [way === 'rest' ? resource : '/api/graphql']);
      });
    });
  }

describe('errors of another backend', () => {
  const page = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
  function sourceOf(
    settings: object | undefined,
    responses: unknown[],
  ): { readonly source: ErrorSource; readonly pauses: number[] } {
    const pauses: number[] = [];
    const send: Send = async ({ url }) => {
      const json = (status: number, body: unknown) => ({ status, headers: new Map(), body: JSON.stringify(body) });
      if (url.endsWith('/settings'))
        return settings === undefined ? json(403, { message: '403 Forbidden' }) : json(200, settings);
      if (url.endsWith('/graphql'))
        return json(200, { data: { project: { sentryErrors: { errors: responses.shift() ?? null } } } });
      return json(404, { error: '404 Not Found' });
    };
    const credentials = { token: async () => 'token', renewed: async () => undefined };
    const client = createClient({ baseUrl: 'https://platform.example', send, credentials, now: Date.now, sleep });
    const sources = createErrorSources(createResourceChoice(), async (milliseconds) => void pauses.push(milliseconds));
    return { source: sources(client, { id: 1, path: 'group/lamps' }), pauses };
  }

  for (const settings of [{ active: true, integrated: false }, undefined]) {
    it(`the extension waits for errors of another backend ${settings === undefined ? 'without access to the settings' : 'if tracking is on'}`, async () => {
      const { source, pauses } = sourceOf(settings, [null, null, page]);
      assert.deepEqual((await source.list(unresolved)).isDisabled, false);
      assert.deepEqual(pauses, [2000, 2000]);
    });
  }

  it('the extension does not wait for errors of another backend if tracking is off', async () => {
    const { source, pauses } = sourceOf({ active: false, integrated: false }, []);
    assert.equal((await source.list(unresolved)).isDisabled, true);
    assert.deepEqual(pauses, []);
  });
});

describe('errors of an instance without error tracking', () => {
  const json = (status: number, body: unknown): WireResponse => ({ status, headers: new Map(), body: JSON.stringify(body) });
  const unknownRoute = json(404, { error: '404 Not Found' });
  const graphqlError = (message: string): WireResponse => json(200, { errors: [{ message }] });
  const noErrors = json(200, { data: { project: { sentryErrors: { errors: null } } } });
  const MINUTE = 60_000;

  /** Responds to requests for errors, GraphQL and the settings of a project. */
  function instanceWith({ errors = unknownRoute, graphql = unknownRoute, settings = unknownRoute }) {
    const asked: string[] = [];
    const responses = { errors, graphql, settings };
    let time = 0;
    const send: Send = async ({ url }) => {
      const name = url.endsWith('/graphql') ? 'graphql' : url.endsWith('/settings') ? 'settings' : 'errors';
      asked.push(name);
      return responses[name];
    };
    const credentials = { token: async () => 'token', renewed: async () => undefined };
    const pause = async (): Promise<void> => undefined;
    const client = createClient({ baseUrl: 'https://platform.example', send, credentials, now: Date.now, sleep: pause });
    const choice = createResourceChoice(() => time);
    const source = createErrorSources(choice, pause)(client, { id: 1, path: 'group/lamps' });
    return { client, choice, source, asked, responses, pass: (milliseconds: number) => void (time += milliseconds) };
  }

  for (const [what, graphql] of [
    ['it has no GraphQL', unknownRoute],
    ['its GraphQL has no such field', graphqlError("Field 'sentryErrors' doesn't exist on type 'Project'")],
    [
      'its GraphQL has no such field, as another program says it',
      graphqlError('Cannot query field "sentryErrors" on type "Project".'),
    ],
    ['its GraphQL has no errors, and there are no settings', noErrors],
  ] as const) {
    it(`an instance has no error tracking if ${what}`, async () => {
      const { source, asked } = instanceWith({ graphql });
      assert.equal((await source.list(unresolved)).isMissing, true);
      const requests = asked.length;
      assert.equal((await source.list(unresolved)).isMissing, true);
      assert.equal(asked.length, requests, 'nothing is requested again');
    });

    it(`a command learns that an instance has no error tracking if ${what}`, async () => {
      const { client } = instanceWith({ graphql });
      const address = { id: 1, path: 'group/lamps' };
      const unknown = await client.get('/projects/1/error_tracking/settings', () => true).catch((error: unknown) => error);
      assert.ok(unknown instanceof ApiFailure);
      assert.equal(await isWithoutTracking(unknown, client, address), true);
      assert.equal(await isWithoutTracking(new ApiFailure('forbidden', 'no'), client, address), false);
    });
  }

  for (const [what, responses] of [
    ['the project is gone', { errors: json(404, { message: '404 Project Not Found' }) }],
    ['GraphQL does not respond', { graphql: json(503, {}) }],
    ['a gateway responds in place of the errors', { errors: { ...unknownRoute, body: '<html></html>' } }],
    ['a gateway responds in place of GraphQL', { graphql: { ...unknownRoute, body: '<html></html>' } }],
    ['GraphQL refuses the query for another reason', { graphql: graphqlError('Query has complexity of 300') }],
    ['the account may not read the errors', { graphql: json(200, { data: { project: { sentryErrors: null } } }) }],
  ] as const)
    it(`an instance may have error tracking if ${what}`, async () => {
      await assert.rejects(instanceWith(responses).source.list(unresolved), ApiFailure);
    });

  it('an instance may have error tracking if GraphQL has no errors, and the settings of the project are off', async () => {
    const settings = json(200, { active: false, integrated: true });
    const page = await instanceWith({ graphql: noErrors, settings }).source.list(unresolved);
    assert.deepEqual([page.isDisabled, page.isMissing], [true, undefined]);
  });

  it('an instance that had no error tracking is asked again after ten minutes, and when the user refreshes', async () => {
    const { source, choice, responses, pass } = instanceWith({});
    assert.equal((await source.list(unresolved)).isMissing, true);
    responses.errors = json(200, []);
    assert.equal((await source.list(unresolved)).isMissing, true);
    pass(10 * MINUTE);
    assert.equal((await source.list(unresolved)).isMissing, undefined);

    responses.errors = unknownRoute;
    assert.equal((await source.list(unresolved)).isMissing, true);
    responses.errors = json(200, []);
    choice.retry();
    assert.equal((await source.list(unresolved)).isMissing, undefined);
  });
});
