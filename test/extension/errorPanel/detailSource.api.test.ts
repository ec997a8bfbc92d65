import assert from 'node:assert/strict';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import type { Send } from '../../../src/api/transport.ts';
import type { ErrorState } from '../../../src/contract/trackedErrors.ts';
import { createErrorChanges } from '../../../src/errorActions/changes.ts';
import { readSentryDetail } from '../../../src/contract/sentryDetail.ts';
import { createDetailSource } from '../../../src/errorPanel/detailSource.ts';
import { queryOfFilter, USUAL_FILTER } from '../../../src/errorTracking/filter.ts';
import type { DetailSource } from '../../../src/errorPanel/source.ts';
import { createErrorSources, createResourceChoice } from '../../../src/errorTracking/sources.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../../server/errorTracking/senders.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { detailedError, stackTrace } from '../errorTracking/sentryErrors.ts';

/** Acts as an instance of GitLab, which does not have the local resource. */
const withoutResource: Send = async (request, signal) =>
  /\/error_tracking\/errors\b/.test(request.url)
    ? { status: 404, headers: new Map(), body: '{"error":"404 Not Found"}' }
    : sendByFetch(request, signal);
const ways = { rest: sendByFetch, graphql: withoutResource } as const;

for (const way of ['rest', 'graphql'] as const)
  for (const dialect of ['documented', 'observed'] as const) {
    describe(`the source of an error panel by ${way}, dialect ${dialect}`, () => {
      let server: TestServer;
      let project: TrackedProject;
      before(async () => {
        server = await startTestServer({ profile: { dialect } });
      });
      after(() => server.close());
      beforeEach(() => {
        project = trackedProject(server);
      });

      const clientOfOwner = (): Client =>
        createClient({
          ...{ baseUrl: server.origin, send: ways[way], now: Date.now, sleep },
          credentials: { token: async () => project.owner.token, renewed: async () => undefined },
        });

      async function sourceOfFirst(): Promise<DetailSource> {
        const client = clientOfOwner();
        const choice = createResourceChoice();
        const target = { id: project.id, path: project.path };
        const list = createErrorSources(choice, async () => undefined)(client, target);
        const [error] = (await list.list({ order: 'last_seen', ...queryOfFilter(USUAL_FILTER) })).items;
        assert.ok(error);
        return createDetailSource(() => client, target, error.id, choice);
      }

      it('an error has its numbers and the stack of its latest event, the innermost frame first', async () => {
        for (let count = 0; count < 3; count += 1) await project.send(errorEvent('load', { release: 'ship@1.0' }));
        const { detail, abilities } = await (await sourceOfFirst()).detail();
        const isRest = way === 'rest';
        assert.deepEqual(abilities, { listsEvents: isRest, changesStatus: isRest });
        assert.deepEqual([detail.count, detail.status, detail.isRegression], [3, 'unresolved', false]);
        assert.equal(
          detail.hourly.reduce((sum, { count }) => sum + count, 0),
          3,
        );
        assert.deepEqual([detail.firstRelease?.version, detail.lastRelease?.version], ['ship@1.0', 'ship@1.0']);
        assert.equal(detail.daily.length, isRest ? 28 : 0);
        const [exception] = detail.latestEvent?.data?.exceptions ?? [];
        assert.deepEqual(
          exception?.frames.map(({ filename, function: name, line, code }) => [filename, name, line, code]),
          [
            ['app/ship.py', 'load', 10, [{ line: 10, text: '    raise ValueError()' }]],
            ['app/main.py', 'main', 3, []],
          ],
        );
        assert.deepEqual(
          [exception?.type, exception?.value],
          isRest ? ['ValueError', 'cannot load'] : [null, 'ValueError: cannot load'],
        );
      });

      if (way === 'graphql') return;

      it('a frame says whether its source map may be of another release', async () => {
        const map = { version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' };
        const json = { file: JSON.stringify(map), name: 'app.js', release: 'ship@1' };
        const { token } = project.owner;
        const path = `/api/v4/projects/${project.id}/error_tracking/source_maps`;
        assert.equal((await server.request('POST', path, { token, json })).status, 201);
        for (const [release, isDoubtful] of [
          [undefined, true],
          ['ship@1', false],
        ] as const) {
          const frames = [{ filename: 'app.js', function: 'load', lineno: 1, colno: 1, in_app: true }];
          const values = [{ type: 'Error', value: 'x', stacktrace: { frames } }];
          await project.send(errorEvent('load', { platform: 'javascript', release, exception: { values } }));
          const { detail } = await (await sourceOfFirst()).detail();
          const [frame] = detail.latestEvent?.data?.exceptions[0]?.frames ?? [];
          assert.deepEqual([frame?.filename, frame?.isMapDoubtful], ['a.ts', isDoubtful], String(release));
          assert.match(frame?.mapProblem ?? '', isDoubtful ? /^The position may be wrong: / : /^$/);
        }
      });

      it('events are listed page by page and within a range of time', async () => {
        for (let count = 0; count < 7; count += 1) await project.send(errorEvent('load'));
        const source = await sourceOfFirst();
        const first = await source.events(undefined);
        assert.equal(first.items.length, 5);
        const second = await source.followEvents(first.next ?? '');
        assert.deepEqual([second.items.length, second.next], [2, undefined]);
        assert.equal(new Set([...first.items, ...second.items].map(({ id }) => id)).size, 7);
        const now = Date.now();
        assert.deepEqual((await source.events({ from: now + 3_600_000, until: now + 7_200_000 })).items, []);
        assert.equal((await source.events({ from: now - 3_600_000, until: now + 3_600_000 })).items.length, 5);
      });

      it('the status can be changed, also until something happens, and newer releases are found', async () => {
        await project.send(errorEvent('load', { release: 'ship@1.0' }));
        const source = await sourceOfFirst();
        const { detail } = await source.detail();
        const change = (state: ErrorState) =>
          createErrorChanges(clientOfOwner(), { id: project.id, path: project.path }, createResourceChoice()).apply(detail.id, {
            kind: 'status',
            state,
          });
        await change({
          status: 'ignored',
          ignored: { ignored_until: 'occurrences', ignored_count: 5, ignored_until_date: undefined },
        });
        const ignored = (await source.detail()).detail;
        assert.deepEqual([ignored.status, ignored.ignored?.ignored_count], ['ignored', 5]);
        await change({ status: 'resolved', ignored: null });
        const resolved = (await source.detail()).detail;
        assert.deepEqual([resolved.statusReleases, resolved.countSinceStatus, resolved.fixedIn], [['ship@1.0'], 0, null]);
        await project.send(errorEvent('store', { release: 'ship@1.1' }));
        assert.equal((await source.detail()).detail.fixedIn, 'ship@1.1');
        assert.deepEqual(await source.releasesBefore('ship@1.1'), ['ship@1.0']);
        assert.deepEqual([await source.releasesBefore('ship@1.0'), await source.releasesBefore('ship@9')], [[], []]);
      });
    });
  }

describe('an error that GraphQL has returned', () => {
  const read = (sentryErrors: unknown) => readSentryDetail({ project: { sentryErrors } });

  it('is read with its frequency, releases and frames', () => {
    const found = read({ detailedError, errorStackTrace: stackTrace });
    assert.ok(typeof found === 'object');
    assert.deepEqual(
      [found.id, found.status, found.level, found.firstRelease, found.lastRelease, found.webUrl],
      ['7', 'unresolved', null, null, { version: '1.1', commit: null }, detailedError.externalUrl],
    );
    assert.deepEqual(found.hourly, [{ from: Date.parse('2026-03-04T00:00:00Z'), count: 4 }]);
    assert.deepEqual(
      found.latestEvent?.data?.exceptions[0]?.frames.map(({ filename, line, column }) => [filename, line, column]),
      [
        ['greet.js', 3, null],
        ['main.js', 1, null],
      ],
    );
  });

  it('has the columns that another backend knows', () => {
    const stackTraceEntries = stackTrace.stackTraceEntries.map((entry) => ({ ...entry, col: '26' }));
    const found = read({ detailedError, errorStackTrace: { ...stackTrace, stackTraceEntries } });
    assert.ok(typeof found === 'object');
    assert.deepEqual(
      found.latestEvent?.data?.exceptions[0]?.frames.map(({ column }) => column),
      [26, 26],
    );
  });

  it('may be missing, may have no stack, and may not be visible', () => {
    assert.equal(read({ detailedError: null, errorStackTrace: null }), 'noError');
    const found = read({ detailedError, errorStackTrace: null });
    assert.equal(typeof found === 'object' ? found.latestEvent : found, null);
    assert.equal(read(null), 'forbidden');
    assert.equal(readSentryDetail({ project: null }), 'noProject');
    assert.equal(readSentryDetail({ data: 1 }), undefined);
  });
});
