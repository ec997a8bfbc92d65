import assert from 'node:assert/strict';
import { changeErrorStatus } from '../../../server/features/errorTracking/status/errorStatus.ts';
import { writeSettings } from '../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { createTag } from '../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { findProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../errorTracking/senders.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { ask, at } from './queries.ts';

const DETAILED = 'gid://gitlab/Gitlab::ErrorTracking::DetailedError/';

describe('tracked errors in GraphQL', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  /** Returns the value of `sentryErrors` for some fields. */
  const errors = async (fields: string, variables: Readonly<Record<string, unknown>> = {}, token = project.owner.token) => {
    const declared = Object.keys(variables).map(
      (name) => `$${name}: ${name === 'id' ? 'GitlabErrorTrackingDetailedErrorID!' : 'String'}`,
    );
    const head = declared.length === 0 ? 'query' : `query Q(${declared.join(', ')})`;
    const query = `${head} { project(fullPath: "${project.path}") { sentryErrors { ${fields} } } }`;
    const { data, errors: validationErrors } = await ask(server, token, query, variables);
    return { sentryErrors: at(data, 'project', 'sentryErrors'), validationErrors };
  };
  const idOf = async (index = 0): Promise<string> => {
    const fingerprint = (await project.errors())[index]?.fingerprint;
    assert.ok(fingerprint !== undefined);
    return `${DETAILED}${fingerprint}`;
  };
  const titles = async (args: string): Promise<unknown> => {
    const { sentryErrors, validationErrors } = await errors(`errors${args === '' ? '' : `(${args})`} { nodes { culprit } }`);
    if (validationErrors.length > 0) return validationErrors;
    const nodes = at(sentryErrors, 'errors', 'nodes');
    assert.ok(Array.isArray(nodes));
    return nodes.map((node) => String(at(node, 'culprit')).split(' ')[0]);
  };

  it('sentryErrors has every field of an error, including those that are not nullable', async () => {
    const now = server.platform.clock.now();
    await project.send(errorEvent('load', { release: 'ship@1.0.0', user: { id: 1 }, level: 'warning', logger: 'app.ship' }));
    await project.send(errorEvent('load', { release: 'ship@1.1.0', user: { id: 2 } }));
    const fields = `count culprit externalUrl firstSeen frequency { time count } id lastSeen message sentryId sentryProjectId
      sentryProjectName sentryProjectSlug shortId status title type userCount`;
    const detailed = `externalBaseUrl firstReleaseLastCommit firstReleaseShortVersion firstReleaseVersion lastReleaseLastCommit
      lastReleaseShortVersion lastReleaseVersion gitlabCommit gitlabCommitPath gitlabIssuePath integrated tags { level logger }`;
    const id = await idOf();
    const { sentryErrors, validationErrors } = await errors(
      `externalUrl errors { nodes { ${fields} } edges { cursor } } detailedError(id: $id) { ${fields} ${detailed} }`,
      { id },
    );
    assert.deepEqual(validationErrors, []);
    const fingerprint = id.slice(DETAILED.length);
    const at60 = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
    const [error] = await project.errors();
    assert.ok(error);
    const hour = Math.floor(now / 3_600_000);
    const common = {
      count: 2,
      culprit: 'load (app/ship.py)',
      externalUrl: `${server.origin}/${project.path}/-/error_tracking/${fingerprint}/details`,
      firstSeen: at60(error.first_seen_at),
      frequency: Array.from({ length: 24 }, (_, index) => ({
        time: at60((hour - 23 + index) * 3_600_000),
        count: index === 23 ? 2 : 0,
      })),
      lastSeen: at60(error.last_seen_at),
      message: 'cannot load',
      sentryId: fingerprint,
      sentryProjectId: `gid://gitlab/SentryProject/${project.id}`,
      sentryProjectName: findProject(server.platform, project.id, { user: project.owner.user })?.project.name,
      sentryProjectSlug: project.path.split('/')[1],
      shortId: fingerprint,
      status: 'UNRESOLVED',
      title: 'ValueError: cannot load',
      type: 'ValueError',
      userCount: 2,
    };
    assert.equal(at(sentryErrors, 'externalUrl'), null);
    assert.deepEqual(at(sentryErrors, 'errors', 'nodes'), [
      { ...common, id: `gid://gitlab/Gitlab::ErrorTracking::Error/${fingerprint}` },
    ]);
    assert.deepEqual(at(sentryErrors, 'detailedError'), {
      ...common,
      id,
      externalBaseUrl: `${server.origin}/${project.path}`,
      firstReleaseLastCommit: null,
      firstReleaseShortVersion: '1.0.0',
      firstReleaseVersion: 'ship@1.0.0',
      lastReleaseLastCommit: null,
      lastReleaseShortVersion: '1.1.0',
      lastReleaseVersion: 'ship@1.1.0',
      gitlabCommit: null,
      gitlabCommitPath: null,
      gitlabIssuePath: null,
      integrated: true,
      tags: { level: 'error', logger: null },
    });
  });

  it('sentryErrors lists a message, which has no type', async () => {
    await project.send({ event_id: 'a'.repeat(32), platform: 'python', message: 'The lamp is dark' });
    const { sentryErrors, validationErrors } = await errors('errors { nodes { title type message shortId } }');
    assert.deepEqual(validationErrors, []);
    assert.equal(at(sentryErrors, 'errors', 'nodes', 0, 'type'), '');
  });

  it('sentryErrors lists unresolved errors only, and detailedError returns each by ID', async () => {
    for (const fails of ['load', 'save', 'print']) await project.send(errorEvent(fails, { release: 'ship@1.0.0' }));
    const [, second, third] = await project.errors();
    assert.ok(second && third);
    changeErrorStatus(server.platform, second, { status: 'resolved_in_next_release' });
    changeErrorStatus(server.platform, third, { status: 'ignored' });
    const [listed] = await project.errors();
    assert.ok(listed);
    const { sentryErrors } = await errors('errors { nodes { sentryId } }');
    assert.equal(Object(at(sentryErrors, 'errors', 'nodes')).length, 1);
    const statuses = await Promise.all(
      [second, third].map(async ({ fingerprint }) => {
        const read = await errors('detailedError(id: $id) { status }', { id: `${DETAILED}${fingerprint}` });
        return at(read.sentryErrors, 'detailedError', 'status');
      }),
    );
    assert.deepEqual(statuses, ['RESOLVED_IN_NEXT_RELEASE', 'IGNORED']);
  });

  it('sentryErrors has twenty errors per page for any requested size, with cursors in both directions', async () => {
    const events = Array.from({ length: 45 }, (_, index) => ({
      event: errorEvent(`step${index}`, { timestamp: server.platform.clock.now() / 1000 - 60 * index }),
    }));
    await project.post('envelope', envelope({}, ...events));
    for (const sort of ['last_seen', 'first_seen', 'frequency']) {
      const pages: string[][] = [];
      const cursors: unknown[] = [];
      let location: unknown = null;
      do {
        const { sentryErrors, validationErrors } = await errors(
          `errors(sort: "${sort}", first: 3, after: $place) { nodes { culprit } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`,
          { place: location },
        );
        assert.deepEqual(validationErrors, []);
        const page = at(sentryErrors, 'errors');
        const nodes = at(page, 'nodes');
        assert.ok(Array.isArray(nodes));
        pages.push(nodes.map((node) => String(at(node, 'culprit'))));
        cursors.push(at(page, 'pageInfo', 'startCursor'));
        location = at(page, 'pageInfo', 'endCursor');
        assert.equal(at(page, 'pageInfo', 'hasNextPage'), location !== null);
        assert.equal(at(page, 'pageInfo', 'hasPreviousPage'), at(page, 'pageInfo', 'startCursor') !== null);
      } while (location !== null && pages.length < 10);
      assert.deepEqual(
        pages.map((page) => page.length),
        [20, 20, 5],
      );
      assert.equal(new Set(pages.flat()).size, 45);
      assert.equal(cursors[0], null);
      // GitLab also accepts the cursor of the previous page as `after`.
      for (const way of ['after', 'before']) {
        const back = await errors(
          `errors(sort: "${sort}", ${way}: $place) { nodes { culprit } pageInfo { startCursor hasNextPage } }`,
          { place: cursors[1] },
        );
        const nodes = at(back.sentryErrors, 'errors', 'nodes');
        assert.ok(Array.isArray(nodes));
        assert.deepEqual(
          nodes.map((node) => at(node, 'culprit')),
          pages[0],
        );
        assert.deepEqual(at(back.sentryErrors, 'errors', 'pageInfo'), { startCursor: null, hasNextPage: true });
      }
    }
  });

  it('sentryErrors sorts by frequency, first and last time, and searches', async () => {
    const ago = (minutes: number) => ({ timestamp: server.platform.clock.now() / 1000 - 60 * minutes });
    await project.send(errorEvent('load', ago(30)));
    await project.send(errorEvent('save', ago(20)));
    await project.send(errorEvent('save', ago(15)));
    await project.send(errorEvent('print', ago(10)));
    await project.send(errorEvent('load', ago(5)));
    await project.send(errorEvent('load', ago(4)));
    assert.deepEqual(await titles(''), ['load', 'print', 'save']);
    assert.deepEqual(await titles('sort: "last_seen"'), ['load', 'print', 'save']);
    assert.deepEqual(await titles('sort: "first_seen"'), ['print', 'save', 'load']);
    assert.deepEqual(await titles('sort: "frequency"'), ['load', 'save', 'print']);
    assert.deepEqual(await titles('searchTerm: "cannot SAVE"'), ['save']);
    assert.deepEqual(await titles('searchTerm: "\\"; DROP"'), []);
    assert.deepEqual(await titles('sort: "size"'), ['Errors are sorted by last_seen, first_seen, frequency']);
    assert.deepEqual(await titles('after: "bm8"'), ['The cursor is none of this list in this order']);
  });

  it('sentryErrors is null below the Reporter role and for what does not exist', async () => {
    await project.send(errorEvent('load'));
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    const member = (name: string, level: number): Actor => {
      const somebody = actor(server.platform, name);
      addMember(server.platform, found.project, somebody.user, { level }, { user: project.owner.user, access: found.access });
      return somebody;
    };
    const fields = `sentryDetailedError(id: $id) { title } sentryErrors { errors { nodes { title } } detailedError(id: $id) { title }
      errorStackTrace(id: $id) { issueId } }`;
    const query = `query Q($id: GitlabErrorTrackingDetailedErrorID!) { project(fullPath: "${project.path}") { ${fields} } }`;
    const id = await idOf();
    const guest = await ask(server, member('guest', 10).token, query, { id });
    assert.deepEqual(guest, { status: 200, data: { project: { sentryDetailedError: null, sentryErrors: null } }, errors: [] });
    const stranger = await ask(server, actor(server.platform, 'stranger').token, query, { id });
    assert.deepEqual(stranger, { status: 200, data: { project: null }, errors: [] });
    const reporter = await ask(server, member('reporter', 20).token, query, { id });
    assert.equal(at(reporter.data, 'project', 'sentryDetailedError', 'title'), 'ValueError: cannot load');
    assert.equal(at(reporter.data, 'project', 'sentryErrors', 'errorStackTrace', 'issueId'), id.slice(DETAILED.length));
    const nothing = { errors: { nodes: [{ title: 'ValueError: cannot load' }] }, detailedError: null, errorStackTrace: null };
    const unknown = await ask(server, project.owner.token, query, { id: `${DETAILED}1` });
    assert.deepEqual(unknown.data, { project: { sentryDetailedError: null, sentryErrors: nothing } });

    writeSettings(server.platform, project.id, { active: false, integrated: true });
    const off = await ask(server, project.owner.token, query, { id });
    assert.deepEqual(off.data, {
      project: { sentryDetailedError: null, sentryErrors: { ...nothing, errors: null } },
    });
    assert.deepEqual(off.errors, []);
  });

  it('sentryErrors of a public project is null without a role in it', async () => {
    await server.request('PUT', `/api/v4/projects/${project.id}`, { token: project.owner.token, json: { visibility: 'public' } });
    const query = `{ project(fullPath: "${project.path}") { name sentryErrors { errors { nodes { title } } } } }`;
    assert.equal(at((await ask(server, undefined, query)).data, 'project', 'sentryErrors'), null);
    assert.ok(at((await ask(server, undefined, query)).data, 'project', 'name'));
  });

  it('sentryErrors refuses an ID of another type with a message', async () => {
    await project.send(errorEvent('load'));
    for (const id of ['7', 'gid://gitlab/Gitlab::ErrorTracking::Error/7', 'gid://gitlab/Project/7', `${DETAILED}x`]) {
      const { sentryErrors, validationErrors } = await errors('detailedError(id: $id) { title }', { id });
      assert.deepEqual(validationErrors, [`"${id}" does not represent an instance of Gitlab::ErrorTracking::DetailedError`]);
      assert.equal(at(sentryErrors, 'detailedError'), null);
    }
  });

  describe('the stack of the latest event', () => {
    const frame = (name: string, more: object = {}) => ({ filename: `app/${name}.py`, function: name, lineno: 7, ...more });
    const stack = async (event: object) => {
      await project.send(event);
      const { sentryErrors, validationErrors } = await errors(
        'errorStackTrace(id: $id) { issueId dateReceived stackTraceEntries { fileName function line col traceContext { line code } } }',
        { id: await idOf() },
      );
      assert.deepEqual(validationErrors, []);
      return at(sentryErrors, 'errorStackTrace');
    };

    it('errorStackTrace is the stack of the first exception that has one, callers first, all of it text', async () => {
      const read = await stack(
        errorEvent('load', {
          exception: {
            values: [
              { type: 'OSError', value: 'no such file' },
              {
                type: 'KeyError',
                value: 'a',
                stacktrace: {
                  frames: [
                    frame('main'),
                    frame('open', { colno: 9, pre_context: ['a', 'b'], context_line: 'c', post_context: ['d'] }),
                  ],
                },
              },
              { type: 'ValueError', value: 'b', stacktrace: { frames: [frame('outer')] } },
            ],
          },
        }),
      );
      assert.deepEqual(at(read, 'stackTraceEntries'), [
        { fileName: 'app/main.py', function: 'main', line: '7', col: '0', traceContext: [] },
        {
          fileName: 'app/open.py',
          function: 'open',
          line: '7',
          col: '9',
          traceContext: [
            { line: 5, code: 'a' },
            { line: 6, code: 'b' },
            { line: 7, code: 'c' },
            { line: 8, code: 'd' },
          ],
        },
      ]);
      assert.match(String(at(read, 'dateReceived')), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.equal(at(read, 'issueId'), (await idOf()).slice(DETAILED.length));
    });

    it('errorStackTrace is the stack of a thread if no exception has one, and empty if there is none', async () => {
      const read = await stack({
        event_id: 'b'.repeat(32),
        platform: 'java',
        message: 'stuck',
        threads: { values: [{ id: 1 }, { id: 2, current: true, stacktrace: { frames: [frame('run')] } }] },
      });
      assert.equal(at(read, 'stackTraceEntries', 0, 'function'), 'run');
      server.platform.clock.advance(1000);
      assert.deepEqual(
        at(await stack({ event_id: 'c'.repeat(32), platform: 'java', message: 'nothing' }), 'stackTraceEntries'),
        [],
      );
    });
  });

  it('gitlabCommit is the commit of the first release, found by full or abbreviated ID or by tag', async () => {
    const { platform } = server;
    const found = findProject(platform, project.id, { user: project.owner.user });
    assert.ok(found);
    const { user } = project.owner;
    const commit = await createCommit(platform, found, user, {
      branch: 'main',
      message: 'Lamps',
      actions: [{ action: 'create', path: 'a.txt', content: Buffer.from('a') }],
    });
    await createTag(platform, found, user, { name: 'v2.0.0', ref: 'main' });
    for (const [fails, release, known] of [
      ['whole', commit, true],
      ['part', `ship@${commit.slice(0, 8)}`, true],
      ['tag', 'ship@2.0.0', true],
      ['branch', 'main', false],
      ['other', 'ship@3.0.0', false],
    ] as const) {
      await project.send(errorEvent(fails, { release }));
      const error = (await project.errors()).find(({ culprit }) => culprit.startsWith(fails));
      assert.ok(error);
      const fields = 'gitlabCommit gitlabCommitPath firstReleaseLastCommit lastReleaseLastCommit';
      const { sentryErrors, validationErrors } = await errors(`detailedError(id: $id) { ${fields} }`, {
        id: `${DETAILED}${error.fingerprint}`,
      });
      assert.deepEqual(validationErrors, []);
      assert.deepEqual(
        at(sentryErrors, 'detailedError'),
        {
          gitlabCommit: known ? commit : null,
          gitlabCommitPath: known ? `/${project.path}/-/commit/${commit}` : null,
          firstReleaseLastCommit: known ? commit : null,
          lastReleaseLastCommit: known ? commit : null,
        },
        fails,
      );
    }
    const later = await createCommit(platform, found, user, {
      branch: 'main',
      message: 'More lamps',
      actions: [{ action: 'create', path: 'b.txt', content: Buffer.from('b') }],
    });
    await project.send(errorEvent('tag', { release: later }));
    const error = (await project.errors()).find(({ culprit }) => culprit.startsWith('tag'));
    const fields = 'firstReleaseLastCommit firstReleaseShortVersion lastReleaseLastCommit lastReleaseShortVersion';
    const { sentryErrors } = await errors(`detailedError(id: $id) { ${fields} }`, { id: `${DETAILED}${error?.fingerprint}` });
    assert.deepEqual(at(sentryErrors, 'detailedError'), {
      firstReleaseLastCommit: commit,
      firstReleaseShortVersion: '2.0.0',
      lastReleaseLastCommit: later,
      lastReleaseShortVersion: later.slice(0, 12),
    });
  });

  it('the number of lists and stacks per GraphQL request is limited', async () => {
    await project.send(errorEvent('load'));
    const id = await idOf();
    const many = (count: number, field: string) => Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
    const lists = await errors(many(21, 'errors(first: 1) { nodes { title } }'));
    assert.deepEqual(lists.validationErrors, ['"errors" can be asked for 20 times in one request']);
    const stacks = await errors(many(41, 'errorStackTrace(id: $id) { issueId }'), { id });
    assert.deepEqual(stacks.validationErrors, ['"errorStackTrace" can be asked for 40 times in one request']);
  });
});
