import assert from 'node:assert/strict';
import { notificationLevels } from '../../../src/contract/notifications.ts';
import { DAY } from '../../../server/core/clock.ts';
import { checkPassword } from '../../../server/features/users/accounts.ts';
import { type DemoPassword, seedDemo } from '../../../server/seeds/demo.ts';
import { ingestReport } from '../../../server/features/errorTracking/receive/ingestReport.ts';
import { recount } from '../errorTracking/write/recount.ts';
import { actor } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

const NOW = Date.UTC(2026, 4, 10, 15, 30);
/** Events of tracked errors: those of 12 weeks, those of a server that was not updated, and those of the further errors. */
const EVENTS = 20_000 + 41 + (58 + 9 + 46 + 17);

/** Full paths of the first projects by ID from 1. They must never change, because users may have noted them. */
const FIRST_PROJECTS = [
  'amara/berth-api',
  'mei/skipper-app',
  'tomasz/harbour-desk',
  'jonas/gate-firmware',
  'rafael/platform',
  'amara/billing',
  'leila/tide-data',
  'tomasz/design-kit',
  'priya/handbook',
  'mei/notify',
  'leila/support-desk',
  'jonas/pedestal-simulator',
];

interface StoredEvent {
  readonly id: number;
  readonly project_id: number;
  readonly author_id: number;
  readonly action: number;
  readonly target_type: string | null;
  readonly target_id: number | null;
  readonly target_title: string | null;
  readonly body: string | null;
  readonly created_at: number;
}

function stored(server: TestServer): StoredEvent[] {
  return server.platform.store.all<StoredEvent>(
    `SELECT e.id, e.project_id, e.author_id, e.action, e.target_type, e.target_id, e.target_title, n.body, e.created_at
     FROM events e LEFT JOIN notes n ON n.id = e.note_id ORDER BY e.id`,
  );
}

async function seeded(now: number): Promise<{ server: TestServer; people: DemoPassword[] | undefined }> {
  const server = await startTestServer({ systemNow: () => now });
  return { server, people: await seedDemo(server.platform) };
}

describe('the demo data', function () {
  // Every seed hashes eight passwords, which is slow by design.
  let server: TestServer;
  let people: DemoPassword[] | undefined;
  before(async () => {
    ({ server, people } = await seeded(NOW));
  });
  after(() => server.close());

  it('the demo data has the same first users and projects, whatever was added later', () => {
    const { store } = server.platform;
    const names = (sql: string): string[] => store.all<{ name: string }>(sql).map(({ name }) => name);
    assert.deepEqual(names('SELECT username AS name FROM users ORDER BY id LIMIT 8'), [
      'root',
      'amara',
      'jonas',
      'mei',
      'rafael',
      'priya',
      'tomasz',
      'leila',
    ]);
    assert.deepEqual(
      store.all('SELECT id, full_path AS path FROM projects WHERE id <= 12 ORDER BY id'),
      FIRST_PROJECTS.map((path, index) => ({ id: index + 1, path })),
    );
  });

  it('the demo data has notification settings at every level, and mails about the last evening only', async () => {
    const { store } = server.platform;
    const read = async (path: string, sudo: string): Promise<unknown> =>
      (await server.request('GET', `/api/v4${path}/notification_settings`, { token: admin, headers: { Sudo: sudo } })).json();
    assert.deepEqual(await read('/groups/tidemark', 'amara'), { level: 'watch' });
    assert.deepEqual(await read('/projects/leila%2Ftide-data', 'amara'), { level: 'disabled' });
    assert.deepEqual(await read('', 'rafael'), { level: 'watch', notification_email: 'oncall@tidemark.example' });
    const levels = store.all<{ level: number }>('SELECT DISTINCT level FROM notification_settings ORDER BY level');
    assert.deepEqual(
      levels.map(({ level }) => notificationLevels[level]),
      ['disabled', 'watch', 'mention', 'custom'],
    );
    for (const username of ['amara', 'root']) {
      const mails = store.get<{ n: number }>(
        'SELECT count(*) AS n FROM mails m JOIN users u ON u.id = m.user_id WHERE u.username = $username',
        { username },
      );
      assert.ok(mails !== undefined && mails.n >= 15 && mails.n <= 25, `${username}: ${mails?.n}`);
    }
    assert.deepEqual(store.all('SELECT 1 FROM notification_events WHERE decided_to IS NOT NULL'), []);
    assert.deepEqual(store.all('SELECT 1 FROM mails WHERE created_at < $earliest', { earliest: NOW - 2 * DAY }), []);
  });

  it('the demo data has nested groups whose members work in their projects', () => {
    const { store } = server.platform;
    const groups = "SELECT full_path AS path, visibility FROM namespaces WHERE kind = 'group' ORDER BY id";
    assert.deepEqual(store.all(groups), [
      { path: 'tidemark', visibility: 'internal' },
      { path: 'tidemark/operations', visibility: 'private' },
      { path: 'open-harbour', visibility: 'public' },
    ]);
    assert.deepEqual(store.all('SELECT id, full_path AS path FROM projects WHERE id > 12 ORDER BY id'), [
      { id: 13, path: 'tidemark/season-plan' },
      { id: 14, path: 'tidemark/operations/on-call' },
      { id: 15, path: 'open-harbour/harbour-register' },
      { id: 16, path: 'priya/tide-data' },
    ]);
    for (const id of [13, 14, 15]) {
      const authors = store.get<{ n: number }>('SELECT count(DISTINCT author_id) AS n FROM events WHERE project_id = $id', {
        id,
      });
      assert.ok((authors?.n ?? 0) >= 3, `project ${id}`);
    }
  });

  it('the demo data has 8 users, 16 projects of every visibility, and more than 5,000 events of every kind', () => {
    const { store } = server.platform;
    const count = (sql: string): number => store.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n ?? 0;
    assert.equal(count('users'), 8);
    assert.equal(count('projects'), 16);
    for (const visibility of ['public', 'internal', 'private']) {
      assert.ok(count(`projects WHERE visibility = '${visibility}'`) >= 3, visibility);
    }
    assert.ok(Math.abs(count('events') - 5500) <= 500, `${count('events')} events`);
    for (const action of [1, 3, 4, 5, 6, 7, 8, 9, 12])
      assert.ok(count(`events WHERE action = ${action}`) > 0, `action ${action}`);
    assert.ok(count('issues WHERE confidential = 1') >= 5);
    assert.ok(count('notes WHERE internal = 1') >= 20);
    assert.ok(count("issues WHERE state = 'opened'") >= 100);
  });

  it('the demo data covers the 90 days before today in order, with activity on every day', () => {
    const midnight = Math.floor(NOW / DAY) * DAY;
    const times = stored(server).map((event) => event.created_at);
    assert.ok(Math.min(...times) >= midnight - 90 * DAY && Math.max(...times) < midnight);
    assert.ok(times.every((time, index) => time >= (times[index - 1] ?? 0)));
    assert.equal(new Set(times.map((time) => Math.floor(time / DAY))).size, 90);
  });

  it('the demo data has 43 errors in 6 releases with sessions and 2 of other programs, some resolved, ignored and back again, counted as a recount does', async () => {
    const { platform } = server;
    const rows = platform.store.all<{ status: string; errors: number; regressions: number }>(
      'SELECT status, count(*) AS errors, sum(is_regression) AS regressions FROM tracked_errors GROUP BY status ORDER BY status',
    );
    assert.deepEqual(rows, [
      { status: 'ignored', errors: 3, regressions: 0 },
      { status: 'resolved', errors: 12, regressions: 0 },
      { status: 'resolved_in_next_release', errors: 1, regressions: 0 },
      { status: 'unresolved', errors: 27, regressions: 2 },
    ]);
    const [events] = platform.store.all(
      'SELECT count(*) AS n, min(received_at) > $from AS young, max(received_at) <= $now AS past FROM tracked_events',
      { from: NOW - 85 * DAY, now: NOW },
    );
    assert.deepEqual(events, { n: EVENTS, young: 1, past: 1 });
    recount(platform);
    const { accepted } = ingestReport(platform, 1).counts;
    assert.equal(accepted.find(({ name }) => name === 'event')?.quantity, EVENTS);
    const response = await server.request('GET', '/api/v4/projects/1/error_tracking/releases', { token: admin });
    const releases = response.json() as { readonly version: string; readonly sessions: { readonly total: number } }[];
    assert.deepEqual(
      releases.map(({ version, sessions }) => [version, sessions.total > 1000]),
      [
        ['gate-driver@0.9.2', false],
        ['booking-page@1.4.0', false],
        ...['1.4.0', '1.3.1', '1.3.0', '1.2.0', '1.1.0', '1.0.0'].map((version) => [`berth-api@${version}`, true]),
      ],
    );
    const day = platform.store.get<{ n: number }>('SELECT count(*) AS n FROM tracked_events WHERE occurred_at > $from', {
      from: NOW - DAY,
    });
    assert.ok((day?.n ?? 0) > 100);
  });

  it('the demo data has repositories with commits, branches and tags, whose pushes are in the activity', async () => {
    const { store } = server.platform;
    const repositories = store.all<{ id: number; branches: number; tags: number }>(
      `SELECT project_id AS id, sum(kind = 'branch') AS branches, sum(kind = 'tag') AS tags FROM repository_refs GROUP BY project_id`,
    );
    assert.deepEqual(
      repositories.map(({ id }) => id),
      [...FIRST_PROJECTS, 'those of groups', 'which', 'are three', 'a fork'].map((_, index) => index + 1),
    );
    assert.ok(repositories.filter(({ branches, tags }) => branches > 1 && tags > 0).length >= 5);
    const read = async <T>(target: string): Promise<T> => {
      const response = await server.request('GET', `/api/v4/projects/1/repository/${target}`, { token: admin });
      assert.equal(response.status, 200, response.text);
      return response.json() as T;
    };
    const commits = await read<{ id: string; title: string; created_at: string; message: string }[]>(
      'commits?first_parent=true&per_page=100',
    );
    assert.ok(commits.length >= 6);
    assert.equal(commits.at(-1)?.title, 'Initial commit');
    const pushed = store.all<{ commit_to: string; created_at: number }>(
      `SELECT p.commit_to, e.created_at FROM events e JOIN push_payloads p ON p.event_id = e.id
       WHERE e.project_id = 1 AND p.ref = 'main' ORDER BY e.id DESC`,
    );
    assert.deepEqual(
      pushed.map(({ commit_to, created_at }) => [commit_to, created_at]),
      commits.map(({ id, created_at }) => [id, Date.parse(created_at)]),
    );
    assert.match((await read<{ path: string }[]>('tree?path=src')).map(({ path }) => path).join(' '), /src\/\w+\.js/);
  });

  it('the demo data has a push of many branches, which is one event', async () => {
    const response = await server.request('GET', '/api/v4/projects/4/events?action=pushed&per_page=100', { token: admin });
    const [bulk, ...others] = (response.json() as { readonly push_data: Readonly<Record<string, unknown>> }[])
      .map(({ push_data: data }) => data)
      .filter(({ ref_count: count }) => count !== null);
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(bulk, { action: 'created', ref_type: 'branch', ref: null, ref_count: 5, commit_count: 0 });
    const branches = await server.request('GET', '/api/v4/projects/4/repository/branches?search=^gate-', { token: admin });
    assert.equal((branches.json() as unknown[]).length, 5);
  });

  it('the demo data has topics, stars, milestones, releases of its tags, and pipelines of its pushes', () => {
    const { store } = server.platform;
    const count = (sql: string): number => store.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n ?? 0;
    assert.equal(count('milestones'), FIRST_PROJECTS.length + 1);
    assert.ok(count('issues WHERE milestone_id IS NOT NULL') >= 300);
    assert.equal(count('releases'), count("repository_refs WHERE kind = 'tag' AND project_id <= 15"));
    assert.equal(count('pipelines'), count("push_payloads WHERE ref_type = 'branch' AND ref IS NOT NULL"));
    assert.ok(count("pipelines WHERE status = 'failed'") >= 5);
    assert.equal(count('jobs'), 3 * count('pipelines'));
    assert.ok(count('project_stars') >= 20);
    assert.equal(
      count(
        'projects p WHERE p.forked_from_id IS NULL AND NOT EXISTS (SELECT 1 FROM project_topics t WHERE t.project_id = p.id)',
      ),
      0,
    );
  });

  it('the demo data has merge requests: open ones and drafts, merged ones whose commits are in the code, and closed ones, discussed and approved', async () => {
    const { store } = server.platform;
    const count = (sql: string): number => store.get<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n ?? 0;
    assert.ok(count("merge_requests WHERE state = 'opened' AND draft = 0") >= 5);
    assert.ok(count("merge_requests WHERE state = 'opened' AND draft = 1") >= 1);
    assert.ok(count("merge_requests WHERE state = 'merged'") >= 10);
    assert.ok(count("merge_requests WHERE state = 'closed'") >= 3);
    assert.ok(count("notes WHERE noteable_type = 'MergeRequest' AND system = 0") >= 40);
    const feed = await Promise.all(
      ['pushed', 'approved', 'merged', 'created'].map(async (action) => {
        const response = await server.request('GET', `/api/v4/projects/2/events?action=${action}&per_page=100`, { token: admin });
        return (response.json() as { action_name: string; target_type: string | null }[]).map(
          ({ action_name: name, target_type: type }) => `${name} ${String(type)}`,
        );
      }),
    );
    for (const wanted of ['accepted MergeRequest', 'approved MergeRequest', 'opened MergeRequest', 'pushed null'])
      assert.ok(feed.flat().includes(wanted), wanted);
    const merged = store.all<{ project: number; sha: string; iid: number }>(
      "SELECT project_id AS project, merge_commit_sha AS sha, iid FROM merge_requests WHERE state = 'merged' ORDER BY id LIMIT 3",
    );
    for (const { project, sha, iid } of merged) {
      const at = `/api/v4/projects/${project}`;
      const refs = await server.request('GET', `${at}/repository/commits/${sha}/refs?type=branch`, { token: admin });
      assert.ok(
        (refs.json() as { name: string }[]).some(({ name }) => name === 'main'),
        refs.text,
      );
      const changes = await server.request('GET', `${at}/merge_requests/${iid}/diffs`, { token: admin });
      assert.equal((changes.json() as unknown[]).length, 1, changes.text);
    }
    const [open] = store.all<{ project: number; iid: number }>(
      "SELECT project_id AS project, iid FROM merge_requests WHERE state = 'opened' AND draft = 0 ORDER BY id DESC LIMIT 1",
    );
    const reported = await server.request('GET', `/api/v4/projects/${open?.project}/merge_requests/${open?.iid}`, {
      token: admin,
    });
    assert.equal((reported.json() as { detailed_merge_status: string }).detailed_merge_status, 'mergeable');
  });

  it('the demo data has entries in every list that new users look at', async () => {
    const empty: string[] = [];
    const lists = [
      'events',
      'projects',
      'groups',
      'users',
      'audit_events',
      'merge_requests',
      'snippets',
      'snippets/public',
      'snippets/all',
      'users/1/following',
      'users/6/followers',
      'issues?scope=all&milestone=Season%20opening',
      'groups/tidemark/labels',
      'groups/tidemark/milestones',
      'groups/tidemark/epics',
      'groups/tidemark/epics?labels=season',
      'groups/tidemark/epics?confidential=true',
      'groups/tidemark/epics/1/issues',
      'groups/tidemark/merge_requests',
      'groups/tidemark/audit_events',
      'groups/tidemark/-/virtual_registries/packages/maven/registries',
      'groups/tidemark/-/virtual_registries/packages/maven/upstreams',
      'groups/open-harbour/packages',
      'groups/open-harbour/registry/repositories',
      'projects/1/audit_events',
      'projects/1/jobs',
      'projects/1/packages',
      'projects/1/pipelines',
      'projects/1/registry/repositories',
      'projects/1/releases',
      'projects/1/releases/v0.1.0/assets/links',
      'projects/1/snippets',
      'projects/1/milestones/1/issues',
      'projects/4/packages?package_type=generic',
      'projects/7/forks',
      'projects/7/merge_requests?state=opened',
      'projects/tidemark%2Fseason-plan/issues/3/closed_by',
      'projects/tidemark%2Fseason-plan/issues/2/related_merge_requests',
      'projects/tidemark%2Fseason-plan/merge_requests/1/closes_issues',
      'projects/tidemark%2Fseason-plan/merge_requests/1/notes',
    ];
    for (const list of lists) {
      const response = await server.request('GET', `/api/v4/${list}`, { token: admin });
      if (response.status !== 200 || (response.json() as unknown[]).length === 0) empty.push(`${list}: ${response.status}`);
    }
    assert.deepEqual(empty, []);
  });

  it('the demo data has packages with their pipelines, and images whose newest tag is that of the latest release', async () => {
    const read = async <T>(target: string): Promise<T> => {
      const response = await server.request('GET', `/api/v4/projects/1/${target}`, { token: admin });
      assert.equal(response.status, 200, response.text);
      return response.json() as T;
    };
    const packages = await read<{ id: number; version: string; package_type: string }[]>('packages');
    assert.deepEqual(
      packages.map(({ version, package_type: type }) => `${type} ${version}`),
      ['maven 0.1.0', 'maven 0.2.0'],
    );
    for (const { id } of packages) {
      assert.ok((await read<unknown[]>(`packages/${id}/pipelines`)).length >= 2);
      assert.equal((await read<unknown[]>(`packages/${id}/package_files`)).length, 2);
    }
    const [repository] = await read<{ id: number; path: string }[]>('registry/repositories');
    assert.equal(repository?.path, 'amara/berth-api');
    const tagged = async (tag: string): Promise<string> =>
      (await read<{ digest: string }>(`registry/repositories/${repository?.id}/tags/${tag}`)).digest;
    assert.equal(await tagged('latest'), await tagged('0.2.0'));
    assert.notEqual(await tagged('0.1.0'), await tagged('0.2.0'));
  });

  it('the demo data has a fork with the code of its source, and a merge request from it', async () => {
    const read = async <T>(target: string): Promise<T> => {
      const response = await server.request('GET', `/api/v4/projects/${target}`, { token: admin });
      assert.equal(response.status, 200, response.text);
      return response.json() as T;
    };
    const branches = async (project: string): Promise<string[]> =>
      (await read<{ name: string; commit: { id: string } }[]>(`${project}/repository/branches?per_page=100`)).map(
        ({ name, commit }) => `${name} ${commit.id}`,
      );
    const [source, fork] = [await branches('7'), await branches('16')];
    assert.deepEqual(
      fork.filter((branch) => !branch.startsWith('lighthouse-tides ')),
      source,
    );
    assert.equal(fork.length, source.length + 1);
    assert.ok((await read<{ readme_url: string | null }>('16')).readme_url?.endsWith('/priya/tide-data/-/blob/main/README.md'));
    const requests = await read<{ iid: number; source_project_id: number }[]>('7/merge_requests?state=opened&per_page=100');
    const iid = requests.find(({ source_project_id: id }) => id === 16)?.iid;
    const changes = await read<{ new_path: string; new_file: boolean }[]>(`7/merge_requests/${iid}/diffs`);
    assert.deepEqual(
      changes.map(({ new_path: path, new_file: isNew }) => [path, isNew]),
      [['tides/lighthouses.csv', true]],
    );
    assert.equal((await read<{ detailed_merge_status: string }>(`7/merge_requests/${iid}`)).detailed_merge_status, 'mergeable');
  });

  it('the demo data has merge requests in projects of groups that close issues, and one of root', async () => {
    const list = await server.request('GET', '/api/v4/merge_requests', { token: admin });
    assert.deepEqual(
      (list.json() as { references: { full: string } }[]).map(({ references }) => references.full),
      ['tidemark/season-plan!2'],
    );
    const closed = await server.request('GET', '/api/v4/projects/tidemark%2Fseason-plan/issues/3', { token: admin });
    assert.equal((closed.json() as { state: string }).state, 'closed');
    const files = await server.request('GET', '/api/v4/snippets/all', { token: admin });
    const snippets = files.json() as { title: string; visibility: string; files: unknown[] }[];
    assert.deepEqual(new Set(snippets.map(({ visibility }) => visibility)), new Set(['public', 'internal', 'private']));
    assert.ok(snippets.some((snippet) => snippet.files.length === 2));
  });

  it('seeding demo data leaves the clock unchanged', () => {
    assert.equal(server.platform.clock.now(), NOW);
    assert.deepEqual(server.platform.clock.state(), { offset: 0, frozenAt: null });
  });

  it('seeding demo data returns a working password for every user once', async () => {
    assert.equal(people?.length, 8);
    assert.equal(new Set(people.map(({ password }) => password)).size, 8);
    for (const { username, password } of people.slice(0, 2)) {
      assert.equal((await checkPassword(server.platform, username, password))?.username, username);
    }
    const texts = JSON.stringify(server.platform.store.all('SELECT * FROM users'));
    assert.ok(people.every(({ password }) => !texts.includes(password)));
  });

  it('the demo data has unique issue titles in a project, and numbers without gaps', () => {
    const { store } = server.platform;
    assert.deepEqual(store.all('SELECT title FROM issues GROUP BY project_id, title HAVING count(*) > 1'), []);
    assert.deepEqual(store.all('SELECT project_id FROM issues GROUP BY project_id HAVING max(iid) <> count(*)'), []);
    assert.deepEqual(store.all("SELECT body FROM notes WHERE body LIKE '%{%'"), []);
    assert.deepEqual(store.all("SELECT title FROM issues WHERE title LIKE '%{%'"), []);
  });

  it('the demo data is not created if there are users besides root', async () => {
    assert.equal(await seedDemo(server.platform), undefined);
    await using used = await startTestServer();
    actor(used.platform, 'ada');
    assert.equal(await seedDemo(used.platform), undefined);
    assert.deepEqual(used.platform.store.get('SELECT count(*) AS n FROM projects'), { n: 0 });
  });

  describe('demo data without git, with a password of root', () => {
    const lines: string[] = [];
    let other: TestServer;
    let reported: DemoPassword[] | undefined;
    before(async () => {
      other = await startTestServer({ systemNow: () => NOW, git: '/nowhere/git', log: (line) => lines.push(line) });
      other.platform.store.run("UPDATE users SET password_hash = 'chosen before' WHERE id = 1");
      reported = await seedDemo(other.platform);
    });
    after(() => other.close());

    it('the demo data without git has no repositories', () => {
      const { store } = other.platform;
      assert.deepEqual(store.get('SELECT count(*) AS n FROM repositories'), { n: 0 });
      assert.deepEqual(store.get('SELECT count(*) AS n FROM epics'), { n: 4 });
      assert.deepEqual(store.get('SELECT count(*) AS n FROM projects'), { n: 15 });
      assert.ok(lines.some((line) => line.includes('the demo data has no repositories')));
    });

    it('seeding demo data keeps the password of root', () => {
      assert.equal(reported?.length, 7);
      assert.ok(!reported.some(({ username }) => username === 'root'));
      const others = new Set(people?.map(({ password }) => password));
      assert.ok(!reported.some(({ password }) => others.has(password)), 'passwords are random');
      assert.deepEqual(other.platform.store.get('SELECT password_hash FROM users WHERE id = 1'), {
        password_hash: 'chosen before',
      });
    });
  });
});
