import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DAY, HOUR, isoDate, isoTime } from '../../../server/core/clock.ts';
import { checkPassword } from '../../../server/features/users/accounts.ts';
import { SeedRefused } from '../../../server/seeds/document.ts';
import { type AppliedSeed, applySeed } from '../../../server/seeds/seeds.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';

const NOW = Date.UTC(2026, 4, 10, 15, 30);
const DEMO = path.join(import.meta.dirname, '../../../media/seeds/harbour.signalbox.yaml');

async function refused(server: TestServer, text: string): Promise<readonly string[]> {
  try {
    await applySeed(server.platform, 'seed.yaml', text);
  } catch (error) {
    assert.ok(error instanceof SeedRefused, String(error));
    return error.validationErrors;
  }
  assert.fail('the file was accepted');
}

async function get<T>(server: TestServer, target: string, as = token): Promise<T> {
  const response = await server.request('GET', `/api/v4${target}`, { token: as });
  assert.equal(response.status, 200, `${target}: ${response.text}`);
  return response.json() as T;
}

interface Named {
  readonly name: string;
  readonly path: string;
  readonly id: number;
}

describe('the example seed file', function () {
  let server: TestServer;
  let applied: AppliedSeed;
  before(async () => {
    server = await startTestServer({ systemNow: () => NOW });
    applied = await applySeed(server.platform, 'harbour.yaml', readFileSync(DEMO, 'utf8'));
  });
  after(() => server.close());

  it('the example seed file creates users, and reports generated passwords', async () => {
    const people = await get<{ username: string; bio: string; external: boolean; created_at: string }[]>(
      server,
      '/users?sort=asc',
    );
    assert.deepEqual(
      people.map(({ username, created_at }) => [username, created_at]),
      [
        ['ines', isoTime(NOW - 60 * DAY)],
        ['bo', isoTime(NOW - 10 * DAY)],
        ['kenji', isoTime(NOW - 20 * DAY)],
        ['root', isoTime(NOW)],
      ].toSorted(([one = ''], [other = '']) => idOf(one) - idOf(other)),
    );
    assert.deepEqual(
      applied.passwords.map(({ username }) => username),
      ['root', 'ines', 'bo'],
    );
    for (const { username, password } of applied.passwords)
      assert.equal((await checkPassword(server.platform, username, password))?.username, username);
    const stored = server.platform.store.get("SELECT password_hash FROM users WHERE username = 'kenji'");
    assert.deepEqual(stored, { password_hash: null });

    function idOf(username: string): number {
      return server.platform.store.get<{ id: number }>('SELECT id FROM users WHERE username = $username', { username })?.id ?? 0;
    }
  });

  it('the example seed file creates nested groups with their members', async () => {
    const groups = await get<(Named & { full_path: string; visibility: string })[]>(server, '/groups');
    assert.deepEqual(
      groups.map(({ full_path, visibility }) => [full_path, visibility]),
      [
        ['harbour/crew', 'private'],
        ['harbour', 'internal'],
      ],
    );
    const members = await get<{ username: string; access_level: number }[]>(server, '/groups/harbour/members');
    assert.deepEqual(members.map(({ username, access_level }) => [username, access_level]).toSorted(), [
      ['bo', 40],
      ['ines', 50],
    ]);
  });

  it('the example seed file creates projects with real commits, branches and tags at their times', async () => {
    const project = await get<{ created_at: string; readme_url: string; topics: string[]; star_count: number }>(
      server,
      '/projects/harbour%2Fberths',
    );
    assert.deepEqual([project.topics.toSorted(), project.star_count], [['harbour', 'planning'], 2]);
    assert.equal(project.created_at, isoTime(NOW - 45 * DAY));
    assert.match(project.readme_url, /README\.md$/);
    const branches = await get<Named[]>(server, '/projects/harbour%2Fberths/repository/branches');
    assert.deepEqual(
      branches.map(({ name }) => name),
      ['ask-width', 'main', 'prices', 'sort-berths'],
    );
    const commits = await get<{ title: string; author_name: string; authored_date: string; parent_ids: string[]; id: string }[]>(
      server,
      '/projects/harbour%2Fberths/repository/commits?ref_name=sort-berths',
    );
    assert.deepEqual(
      commits.map(({ title, author_name, authored_date }) => [title, author_name, Date.parse(authored_date)]),
      [
        ['Sort berths by length', 'Bo Lindgren', NOW - 3 * DAY - 4 * 3_600_000],
        ['Describe the berths', 'Ines Duarte', NOW - 44 * DAY],
      ],
    );
    assert.deepEqual(commits[0]?.parent_ids, [commits[1]?.id]);
    const tree = await get<{ path: string; mode: string }[]>(
      server,
      '/projects/harbour%2Fberths/repository/tree?recursive=true&ref=sort-berths',
    );
    assert.deepEqual(
      tree
        .filter(({ mode }) => mode !== '040000')
        .map(({ path: file, mode }) => [file, mode])
        .toSorted(),
      [
        ['README.md', '100644'],
        ['bin/sort', '100755'],
        ['data/berths.csv', '100644'],
        ['src/sort.js', '100644'],
      ],
    );
    const tags = await get<{ name: string; message: string; commit: { id: string } }[]>(
      server,
      '/projects/harbour%2Fberths/repository/tags',
    );
    assert.deepEqual(
      tags.map(({ name, message, commit }) => [name, message.trim(), commit.id]),
      [['v0.1.0', 'What the harbour office tried first', commits[1]?.id]],
    );
    const raw = await server.request('GET', '/api/v4/projects/harbour%2Fberths/repository/files/README.md/raw', { token });
    assert.equal(raw.text, '# Berths\n\nWhich berth is free when.\n');
  });

  it('the example seed file creates issues with comments, numbered by time', async () => {
    const issues = await get<Record<string, unknown>[]>(server, '/projects/harbour%2Fberths/issues?sort=asc');
    assert.deepEqual(
      issues.map(({ iid, title, state, closed_at }) => [iid, title, state, closed_at]),
      [
        [1, 'Show the length of a boat', 'closed', isoTime(NOW - 10 * DAY)],
        [2, 'Berth 2 is listed as free in winter', 'opened', null],
      ],
    );
    const [, winter] = issues;
    assert.deepEqual(winter?.['labels'], ['bug', 'winter']);
    assert.deepEqual([winter['due_date'], winter['weight']], [isoDate(NOW + 14 * DAY), 3]);
    assert.partialDeepStrictEqual(winter, { author: { username: 'kenji' }, assignees: [{ username: 'bo' }] });
    const notes = await get<{ body: string; internal: boolean; created_at: string }[]>(
      server,
      '/projects/harbour%2Fberths/issues/2/notes?sort=asc',
    );
    assert.deepEqual(
      notes.map(({ body, internal, created_at }) => [body, internal, created_at]),
      [
        ['The season is missing in the data.', false, isoTime(NOW - 4 * DAY)],
        ['Is there a list of the seasons?', false, isoTime(NOW - 3 * DAY)],
        ['Please tell nobody before the crane is gone.', true, isoTime(NOW)],
      ],
    );
  });

  it('the example seed file creates merge requests that are opened, approved, discussed, merged and closed', async () => {
    const at = '/projects/harbour%2Fberths/merge_requests';
    const found = await get<Record<string, unknown>[]>(server, `${at}?state=all&sort=asc`);
    assert.deepEqual(
      found.map(({ iid, title, state, draft, created_at }) => [iid, title, state, draft, created_at]),
      [
        [1, 'Show prices', 'closed', false, isoTime(NOW - 30 * DAY)],
        [2, 'Sort berths by length', 'merged', false, isoTime(NOW - 3 * DAY)],
        [3, 'Draft: Ask for the width', 'opened', true, isoTime(NOW - 20 * 3_600_000)],
        [4, 'Sort berths by width, too', 'opened', false, isoTime(NOW - 3 * HOUR)],
      ],
    );
    assert.partialDeepStrictEqual(found[0], { closed_at: isoTime(NOW - 29 * DAY), closed_by: { username: 'ines' } });
    assert.partialDeepStrictEqual(found[1], {
      author: { username: 'bo' },
      assignees: [{ username: 'bo' }],
      reviewers: [{ username: 'ines' }],
      labels: ['bug'],
      milestone: { title: 'Opening day' },
      merged_at: isoTime(NOW - DAY),
      merge_user: { username: 'ines' },
    });
    const approvals = await get<{ approved_by: { user: { username: string } }[] }>(server, `${at}/2/approvals`);
    assert.deepEqual(
      approvals.approved_by.map(({ user }) => user.username),
      ['ines'],
    );
    const threads = await get<
      { individual_note: boolean; notes: { body: string; system: boolean; author: { username: string } }[] }[]
    >(server, `${at}/2/discussions`);
    assert.deepEqual(
      threads
        .filter(({ notes }) => notes[0]?.system === false)
        .map(({ individual_note: alone, notes }) => [alone, ...notes.map(({ author, body }) => `${author.username}: ${body}`)]),
      [[false, 'ines: Does the crane count as a boat?', 'bo: Only in winter.']],
    );
    const [merged, ...others] = await get<{ title: string; message: string; id: string; parent_ids: string[] }[]>(
      server,
      '/projects/harbour%2Fberths/repository/commits?first_parent=true',
    );
    assert.equal(merged?.id, found[1]?.['merge_commit_sha']);
    assert.equal(
      merged?.message.trimEnd(),
      "Merge branch 'sort-berths' into 'main'\n\nSort berths by length\n\nSee merge request harbour/berths!2",
    );
    assert.equal(merged.parent_ids.length, 2);
    assert.deepEqual(
      others.map(({ title }) => title),
      ['Describe the berths'],
    );
    const diffs = await get<{ new_path: string }[]>(server, `${at}/2/diffs`);
    assert.deepEqual(diffs.map(({ new_path }) => new_path).toSorted(), ['bin/sort', 'src/sort.js']);
  });

  it('the example seed file creates forks with the code of their source, and merge requests from them', async () => {
    const fork = await get<Record<string, unknown>>(server, '/projects/bo%2Fberths');
    const source = await get<Record<string, unknown>>(server, '/projects/harbour%2Fberths');
    assert.partialDeepStrictEqual(fork, {
      forked_from_project: { id: source['id'] },
      description: 'Which berth is free when',
      visibility: 'internal',
      default_branch: 'main',
      created_at: isoTime(NOW - 5 * HOUR),
    });
    const branches = async (project: string): Promise<string[]> =>
      (await get<{ name: string; commit: { id: string } }[]>(server, `/projects/${project}/repository/branches`)).map(
        ({ name, commit }) => `${name} ${commit.id}`,
      );
    const [own, others] = [await branches('bo%2Fberths'), await branches('harbour%2Fberths')];
    assert.deepEqual(
      own.filter((branch) => !branch.startsWith('sort-by-width ')),
      others,
    );
    assert.equal(own.length, others.length + 1);
    const tags = await get<Named[]>(server, '/projects/bo%2Fberths/repository/tags');
    assert.deepEqual(
      tags.map(({ name }) => name),
      ['v0.1.0'],
    );
    const [commit] = await get<{ title: string; created_at: string }[]>(
      server,
      '/projects/bo%2Fberths/repository/commits?ref_name=sort-by-width&per_page=2',
    );
    assert.equal(commit?.title, 'Sort berths by width');
    assert.equal(Date.parse(commit.created_at), NOW - 4 * HOUR);
    const [request] = await get<Record<string, unknown>[]>(server, '/projects/harbour%2Fberths/merge_requests?per_page=1');
    assert.partialDeepStrictEqual(request, {
      title: 'Sort berths by width, too',
      author: { username: 'bo' },
      source_project_id: fork['id'],
      target_project_id: source['id'],
    });
    const changes = await get<{ new_path: string }[]>(
      server,
      `/projects/harbour%2Fberths/merge_requests/${String(request?.['iid'])}/diffs`,
    );
    assert.deepEqual(
      changes.map(({ new_path: path }) => path),
      ['src/byWidth.js'],
    );
  });

  it('the example seed file creates epics with issues', async () => {
    const epics = await get<Record<string, unknown>[]>(server, '/groups/harbour/epics?sort=asc&order_by=created_at');
    assert.deepEqual(
      epics.map(({ title, state, labels, start_date, due_date, created_at, closed_at }) => [
        title,
        state,
        labels,
        start_date,
        due_date,
        created_at,
        closed_at,
      ]),
      [
        ['Paint the pier', 'closed', [], null, null, isoTime(NOW - 45 * DAY), isoTime(NOW - 40 * DAY)],
        [
          'Ready for spring',
          'opened',
          ['winter'],
          isoDate(NOW - 20 * DAY),
          isoDate(NOW + 28 * DAY),
          isoTime(NOW - 20 * DAY),
          null,
        ],
      ],
    );
    const issues = await get<{ title: string }[]>(server, `/groups/harbour/epics/${String(epics[1]?.['iid'])}/issues`);
    assert.deepEqual(
      issues.map(({ title }) => title),
      ['Berth 2 is listed as free in winter'],
    );
  });

  it('the example seed file creates personal and project snippets with their files', async () => {
    for (const [list, title, author, name, content] of [
      ['/snippets/public', 'Knots', 'ines', 'bowline.txt', 'Up through the hole, round the tree, down again.\n'],
      [
        '/projects/harbour%2Fberths/snippets',
        'Free berths of a length',
        'bo',
        'free.sql',
        'SELECT number FROM berths WHERE length >= 9;\n',
      ],
    ] as const) {
      const found = await get<{ id: number; title: string; author: { username: string }; files: { path: string }[] }[]>(
        server,
        list,
      );
      assert.deepEqual(
        found.map((one) => [one.title, one.author.username, one.files.map(({ path: file }) => file)]),
        [[title, author, [name]]],
      );
      const at = list.startsWith('/snippets') ? '/snippets' : list;
      const raw = await server.request('GET', `/api/v4${at}/${found[0]?.id}/files/main/${name}/raw`, { token });
      assert.equal(raw.text, content);
      const put = await server.request('PUT', `/api/v4${at}/${found[0]?.id}`, { token, json: { content: 'changed' } });
      assert.equal(put.status, 200, put.text);
      assert.equal((await server.request('GET', `/api/v4${at}/${found[0]?.id}/raw`, { token })).text, 'changed');
    }
  });

  it('the example seed file writes audit events of its users at their times', async () => {
    const events = await get<{ created_at: string; author_id: number; details: Record<string, unknown> }[]>(
      server,
      '/projects/harbour%2Fberths/audit_events',
    );
    const ines = server.platform.store.get<{ id: number }>("SELECT id FROM users WHERE username = 'ines'")?.id;
    assert.deepEqual(
      events
        .filter(({ details }) => details['event_name'] === 'member_created')
        .map(({ created_at, author_id }) => [created_at, author_id]),
      [[isoTime(NOW - 20 * DAY), ines]],
    );
  });

  it('the work of the example seed file appears in the activity of its users in the order of time', async () => {
    const events = await get<{ action_name: string; author_username: string; created_at: string; target_type: string | null }[]>(
      server,
      '/projects/harbour%2Fberths/events?sort=asc&per_page=100',
    );
    assert.deepEqual(
      events.map(({ action_name, author_username, target_type }) => [author_username, action_name, target_type]),
      [
        ['ines', 'created', null],
        ['ines', 'pushed', null],
        ['ines', 'opened', 'Milestone'],
        ['ines', 'pushed', null],
        ['ines', 'closed', 'Milestone'],
        ['ines', 'pushed', null],
        ['ines', 'opened', 'Issue'],
        ['ines', 'opened', 'MergeRequest'],
        ['ines', 'closed', 'MergeRequest'],
        ['kenji', 'joined', null],
        ['bo', 'closed', 'Issue'],
        ['ines', 'opened', 'Milestone'],
        ['kenji', 'opened', 'Issue'],
        ['bo', 'commented on', 'Note'],
        ['bo', 'pushed', null],
        ['kenji', 'commented on', 'DiscussionNote'],
        ['bo', 'opened', 'MergeRequest'],
        ['ines', 'commented on', 'Note'],
        ['ines', 'approved', 'MergeRequest'],
        ['ines', 'pushed', null],
        ['ines', 'accepted', 'MergeRequest'],
        ['bo', 'pushed', null],
        ['bo', 'opened', 'MergeRequest'],
        ['bo', 'opened', 'MergeRequest'],
        ['ines', 'commented on', 'Note'],
        ['bo', 'commented on', 'DiscussionNote'],
      ],
    );
    const times = events.map(({ created_at }) => created_at);
    assert.deepEqual(times, times.toSorted());
  });

  it('the example seed file creates access tokens, reports generated ones, and stores only hashes', async () => {
    const [random] = applied.tokens;
    assert.deepEqual(
      applied.tokens.map(({ username, name }) => [username, name]),
      [['ines', 'scripts']],
    );
    assert.partialDeepStrictEqual(await get(server, '/user', random?.token), { username: 'ines' });
    assert.partialDeepStrictEqual(await get(server, '/user', 'bo-local-experiments-0001'), { username: 'bo' });
    const rows = JSON.stringify(server.platform.store.all('SELECT * FROM personal_access_tokens'));
    assert.ok(!rows.includes(random?.token ?? '') && !rows.includes('bo-local-experiments-0001'));
  });

  it('the example seed file creates labels and milestones of issues', async () => {
    const labels = await get<{ name: string; color: string; is_project_label: boolean }[]>(
      server,
      '/projects/harbour%2Fberths/labels',
    );
    assert.deepEqual(
      labels.map(({ name, color, is_project_label }) => [name, color, is_project_label]),
      [
        ['bug', '#DC143C', true],
        ['winter', '#1068bf', false],
      ],
    );
    const milestones = await get<Record<string, unknown>[]>(server, '/projects/harbour%2Fberths/milestones');
    assert.deepEqual(
      milestones.map(({ title, state, due_date, created_at }) => [title, state, due_date, created_at]).toSorted(),
      [
        ['First try', 'closed', null, isoTime(NOW - 43 * DAY)],
        ['Opening day', 'active', isoDate(NOW + 21 * DAY), isoTime(NOW - 5 * DAY)],
      ],
    );
    assert.partialDeepStrictEqual(await get(server, '/projects/harbour%2Fberths/issues/2'), {
      milestone: { title: 'Opening day' },
    });
  });

  it('the example seed file creates releases of tags, pipelines with jobs, packages and images', async () => {
    const at = '/projects/harbour%2Fberths';
    const [release, ...others] = await get<Record<string, unknown>[]>(server, `${at}/releases`);
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(release, {
      tag_name: 'v0.1.0',
      name: 'First try',
      author: { username: 'ines' },
      released_at: isoTime(NOW - 39 * DAY),
      milestones: [{ title: 'First try' }],
      commit: { title: 'Describe the berths' },
    });
    const pipelines = await get<Record<string, unknown>[]>(server, `${at}/pipelines?sort=asc`);
    assert.deepEqual(
      pipelines.map(({ iid, name, ref, status }) => [iid, name, ref, status]),
      [
        [1, 'first build', 'main', 'success'],
        [2, null, 'sort-berths', 'failed'],
      ],
    );
    const jobs = await get<{ name: string; status: string; commit: { title: string }; user: { username: string } }[]>(
      server,
      `${at}/jobs`,
    );
    assert.deepEqual(
      jobs.map(({ name, status, commit, user }) => [name, status, commit.title, user.username]),
      [
        ['test', 'failed', 'Sort berths by length', 'bo'],
        ['test', 'success', 'Describe the berths', 'ines'],
        ['lint', 'success', 'Describe the berths', 'ines'],
      ],
    );
    const packages = await get<Record<string, unknown>[]>(server, `${at}/packages`);
    assert.deepEqual(
      packages.map(({ name, version, package_type, created_at }) => [name, version, package_type, created_at]),
      [['berths', '0.1.0', 'npm', isoTime(NOW - 38 * DAY)]],
    );
    const from = await get<{ id: number }[]>(server, `${at}/packages/${String(packages[0]?.['id'])}/pipelines`);
    assert.deepEqual(
      from.map(({ id }) => id),
      [pipelines[0]?.['id']],
    );
    const [repository] = await get<{ id: number; name: string }[]>(server, `${at}/registry/repositories`);
    assert.equal(repository?.name, 'app');
    const tags = await get<{ name: string }[]>(server, `${at}/registry/repositories/${repository.id}/tags`);
    assert.deepEqual(tags.map(({ name }) => name).toSorted(), ['latest', 'v0.1.0']);
  });

  it('the example seed file turns error tracking on, with the client keys of the file', async () => {
    const at = '/projects/harbour%2Fberths/error_tracking';
    const settings = await get<{ active: boolean; integrated: boolean }>(server, `${at}/settings`);
    assert.deepEqual([settings.active, settings.integrated], [true, true]);
    const [chosen, random, ...others] = await get<{ active: boolean; public_key: string }[]>(server, `${at}/client_keys`);
    assert.deepEqual([chosen?.public_key, chosen?.active], ['glet_00112233445566778899aabbccddeeff', true]);
    assert.match(random?.public_key ?? '', /^glet_[0-9a-f]{32}$/);
    assert.deepEqual([random?.active, others], [false, []]);
    const made = server.platform.store.get<{ created_at: number }>(
      'SELECT min(created_at) AS created_at FROM error_tracking_client_keys',
    );
    assert.equal(made?.created_at, NOW - 36 * DAY);
  });

  it('the example seed file registers applications', async () => {
    const applications = await get<Record<string, unknown>[]>(server, '/applications');
    const display = applications.find(({ application_name }) => application_name === 'Harbour display');
    assert.partialDeepStrictEqual(display, { callback_url: 'http://127.0.0.1/callback', confidential: false });
    assert.deepEqual(applied.applications, [
      { name: 'Harbour display', application_id: display?.['application_id'], secret: null },
    ]);
  });

  it('applying the example seed file leaves the clock unchanged, and reports the number of created objects', () => {
    assert.equal(server.platform.clock.now(), NOW);
    assert.deepEqual(applied.counts, {
      users: 3,
      groups: 2,
      projects: 3,
      commits: 5,
      tags: 1,
      labels: 2,
      milestones: 2,
      epics: 2,
      issues: 3,
      merge_requests: 4,
      notes: 5,
      snippets: 2,
      releases: 1,
      pipelines: 2,
      jobs: 3,
      packages: 1,
      container_repositories: 1,
      client_keys: 2,
      personal_access_tokens: 2,
      applications: 1,
    });
  });
});

describe('a refused seed file', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ systemNow: () => NOW });
    await applySeed(
      server.platform,
      'seed.yaml',
      'users: [{username: zoe, password: null}]\ngroups: [{path: dock, creator: zoe}]',
    );
  });
  after(() => server.close());

  const table: Readonly<Record<string, readonly [text: string, ...validationErrors: string[]]>> = {
    'with unknown users': [
      'users: [{username: ines}]\nprojects:\n  - path: ines/a\n    members: [{user: inez, access_level: guest}]\n    issues:\n      - {title: t, author: someone, assignees: [zoe, kimberley]}\n',
      'seed.yaml:4: projects[0].members[0].user is not a user in this file or on the server; did you mean ines?',
      'seed.yaml:6: projects[0].issues[0].author is not a user in this file or on the server',
      'seed.yaml:6: projects[0].issues[0].assignees[1] is not a user in this file or on the server',
    ],
    'with a missing group': [
      'groups:\n  - path: pier/crew\nprojects:\n  - path: quay/a\n  - path: alone\n',
      'seed.yaml:2: groups[0].path is in the group "pier", which is neither in this file nor on the server',
      'seed.yaml:4: projects[0].path is in "quay", which is neither a user nor a group in this file or on the server',
      'seed.yaml:5: projects[1].path must begin with the username of a user or the path of a group: harbour/berths',
    ],
    'with duplicates': [
      'users: [{username: ines}, {username: Ines, email: b@example.com}]\ngroups: [{path: a}, {path: A}]\nprojects: [{path: a/b}, {path: a/b}]\n',
      'seed.yaml:1: users[1].username has already been taken',
      'seed.yaml:2: groups[1].path is used by another group in this file',
      'seed.yaml:3: projects[1].path is used by another project in this file',
    ],
    'with a username that exists on the server': [
      'users: [{username: zoe}]\ngroups:\n  - {path: dock}\n',
      'seed.yaml:1: users[0].username has already been taken',
    ],
    'with the path of an existing group': [
      'groups:\n  - {path: dock}\n',
      'seed.yaml:2: groups[0] is not possible: Failed to save group {:path=>["has already been taken"]}',
    ],
    'with invalid usernames, addresses and passwords': [
      'users:\n  - username: -x\n  - username: api\n  - username: a\n    email: nowhere\n    password: short\n',
      "seed.yaml:2: users[0].username may contain only letters, digits, '_', '-' and '.', must begin with a letter, digit or '_', and must not be reserved",
      "seed.yaml:3: users[1].username may contain only letters, digits, '_', '-' and '.', must begin with a letter, digit or '_', and must not be reserved",
      'seed.yaml:5: users[2].email is not a valid email address',
      'seed.yaml:6: users[2].password is too short (minimum is 8 characters)',
    ],
    'with an entry before one that it requires': [
      'users:\n  - username: ines\n    created_at: 3 days ago\nprojects:\n  - path: ines/a\n    issues:\n      - title: t\n        created_at: 4 days ago\n',
      'seed.yaml:7: projects[0].issues[0] is earlier than users[0] on line 2, which it requires',
    ],
    'with a time in the future': [
      'users:\n  - username: ines\n    created_at: 2030-01-01\n  - username: bo\n    created_at: 2026-02-30\n',
      'seed.yaml:3: users[0].created_at is in the future',
      'seed.yaml:5: users[1].created_at is not a valid time',
    ],
    'with actions that its users are not allowed to perform': [
      'users: [{username: ines, password: null}, {username: bo, password: null}, {username: kim, password: null, external: true}]\nprojects:\n  - path: ines/a\n    members: [{user: bo, access_level: reporter}]\n    commits:\n      - {message: one, files: {a: x}}\n      - {message: two, author: bo, files: {b: x}}\n    issues:\n      - title: t\n        notes:\n          - {body: x, author: zoe}\n  - path: kim/b\n    issues: [{title: left out}]\n',
      'seed.yaml:7: projects[0].commits[1] is not possible: bo cannot push to main',
      'seed.yaml:11: projects[0].issues[0].notes[0] is not possible: zoe cannot see the project',
      'seed.yaml:12: projects[1] is not possible: external users cannot create projects',
    ],
    'with a project that is more visible than its group': [
      'projects:\n  - path: dock/a\n    visibility: public\n',
      'seed.yaml:3: projects[0].visibility public is not allowed in a private group.',
    ],
    'with impossible commits': [
      'users: [{username: ines, password: null}]\nprojects:\n  - path: ines/a\n    commits:\n      - {message: one, files: {a: x}}\n      - {message: two, files: {a/b: x}}\n      - {message: three, files: {c: null}}\n      - {message: four, branch: "a b", files: {d: x}}\n      - {message: five, branch: side, start_branch: nowhere, files: {d: x}}\n      - {message: six, files: {../e: x}}\n    tags:\n      - {name: v1, branch: nowhere}\n      - {name: v2}\n      - {name: v2}\n',
      'seed.yaml:6: projects[0].commits[1] is not possible: A file with this name already exists',
      "seed.yaml:7: projects[0].commits[2] is not possible: A file with this name doesn't exist",
      'seed.yaml:8: projects[0].commits[3] is not possible: "a b" is not a valid branch name',
      'seed.yaml:9: projects[0].commits[4] is not possible: branch nowhere has no commit at that time',
      'seed.yaml:10: projects[0].commits[5] is not possible: Path cannot include directory traversal',
      'seed.yaml:12: projects[0].tags[0] is not possible: branch nowhere has no commit at that time',
      'seed.yaml:14: projects[0].tags[2] is not possible: tag v2 already exists',
    ],
    'with invalid tokens and applications': [
      `personal_access_tokens:\n  - {user: root, name: a, scopes: [everything]}\n  - {user: root, name: b, scopes: [api], expires_at: in 60 weeks}\n  - {user: root, name: c, scopes: [api], token: ${token}}\napplications:\n  - {name: d, redirect_uris: ["javascript:x"], scopes: [api]}\n`,
      'seed.yaml:2: personal_access_tokens[0].scopes can only contain available scopes',
      'seed.yaml:3: personal_access_tokens[1].expires_at must be before 2027-05-10',
      'seed.yaml:4: personal_access_tokens[2].token is already in use by another token',
      'seed.yaml:6: applications[0].redirect_uris is forbidden by the server.',
    ],
    'with a closing user of an open issue': [
      'projects:\n  - path: zoe/a\n    issues:\n      - {title: t, state: opened, closed_by: zoe}\n',
      'seed.yaml:4: projects[0].issues[0].state is opened, but closed_at or closed_by is set',
    ],
    'with references to missing objects of a project': [
      'projects:\n  - path: zoe/a\n    releases: [{tag: v1}]\n    packages: [{name: p, pipelines: [build]}]\n    pipelines: [{status: failed, jobs: [{name: j}]}]\n',
      'seed.yaml:3: projects[0].releases[0].tag is not a tag of the project in this file',
      'seed.yaml:4: projects[0].packages[0].pipelines[0] is not a pipeline of the project',
      'seed.yaml:5: projects[0].pipelines[0].status must be omitted, because it follows from the jobs',
    ],
    'with impossible merges': [
      'projects:\n  - path: zoe/a\n    commits:\n      - {message: one, files: {a: x}, created_at: 9 days ago}\n      - {message: two, branch: try, files: {a: y}, created_at: 8 days ago}\n      - {message: three, files: {a: z}, created_at: 7 days ago}\n    merge_requests:\n      - {title: one, source_branch: try, merged_at: 1 day ago}\n      - {title: two, source_branch: none, state: merged}\n',
      'seed.yaml:8: projects[0].merge_requests[0].merged_at is not possible: merging try into main conflicts in a',
      'seed.yaml:9: projects[0].merge_requests[1].state is not possible: branch none has no commit at that time',
    ],
    'with a merge time of a closed merge request': [
      'projects:\n  - path: zoe/a\n    merge_requests:\n      - {title: one, source_branch: try, merged_by: zoe, state: closed}\n',
      'seed.yaml:4: projects[0].merge_requests[0].state is closed, but merged_at or merged_by is set',
    ],
    'with merge requests of missing branches and an approval by the author': [
      'projects:\n  - path: zoe/a\n    commits:\n      - {message: one, files: {a: x}}\n      - {message: two, branch: try, files: {b: y}}\n    merge_requests:\n      - {title: one, source_branch: none}\n      - {title: two, source_branch: try, milestone: none}\n      - {title: three, source_branch: try, approvals: [{user: zoe}]}\n',
      'seed.yaml:7: projects[0].merge_requests[0].source_branch does not exist',
      'seed.yaml:8: projects[0].merge_requests[1].milestone is not a milestone of the project or its parent groups',
      'seed.yaml:9: projects[0].merge_requests[2].approvals[0] is not possible: only developers can approve, only once, and only open merge requests that are not their own',
    ],
    'with forks of missing projects and of themselves': [
      'projects:\n  - path: zoe/a\n    forked_from: zoe/b\n  - path: zoe/c\n    forked_from: zoe/d\n  - path: zoe/d\n    forked_from: Zoe/c\n  - path: zoe/e\n    merge_requests: [{title: t, source_project: zoe/a2, source_branch: x}]\n',
      'seed.yaml:3: projects[0].forked_from is not a project in this file',
      'seed.yaml:5: projects[1].forked_from is circular, or refers to a project that does not exist',
      'seed.yaml:7: projects[2].forked_from is circular, or refers to a project that does not exist',
      'seed.yaml:9: projects[3].merge_requests[0].source_project is not a project in this file',
    ],
    'with fields that a fork inherits': [
      'projects:\n  - path: zoe/a\n    commits: [{message: one, files: {a: x}}]\n    merge_requests:\n      - {title: t, source_project: zoe/b, source_branch: x, merged_by: zoe}\n  - path: zoe/b\n    forked_from: zoe/a\n    topics: [x]\n    default_branch: x\n    issues_access_level: disabled\n',
      'seed.yaml:5: projects[0].merge_requests[0].state is not possible: a merge request from a fork cannot be merged by a seed file',
      'seed.yaml:8: projects[1].topics is inherited from the forked project and must be omitted',
      'seed.yaml:9: projects[1].default_branch is inherited from the forked project and must be omitted',
      'seed.yaml:10: projects[1].issues_access_level is inherited from the forked project and must be omitted',
    ],
    'with a commit to a fork that conflicts with its source': [
      'projects:\n  - path: zoe/a\n    commits: [{message: one, files: {a: x}}]\n  - path: zoe/d\n    forked_from: zoe/a\n    commits: [{message: two, files: {a/b: y}}]\n',
      'seed.yaml:6: projects[1].commits[0] is not possible: A file with this name already exists',
    ],
    'with forks that its users are not allowed to create': [
      'users: [{username: kim, password: null}, {username: lou, password: null}]\nprojects:\n  - path: zoe/a\n    members: [{user: lou, access_level: reporter}]\n    commits: [{message: one, files: {a: x}}]\n    merge_requests:\n      - {title: t, source_project: zoe/f, source_branch: main}\n  - path: kim/b\n    forked_from: zoe/a\n  - path: lou/c\n    forked_from: zoe/a\n    visibility: public\n  - path: zoe/f\n    commits: [{message: one, files: {a: x}}]\n',
      'seed.yaml:7: projects[0].merge_requests[0] is not possible: Source project is not a fork of the target project',
      'seed.yaml:9: projects[1].forked_from is not possible: kim cannot see the project',
      'seed.yaml:12: projects[2].visibility is higher than that of the forked project or of the group',
    ],
    'with a missing epic': [
      'users: [{username: kim, password: null}]\ngroups:\n  - path: pier\n    epics: [{title: one, author: kim}]\nprojects:\n  - path: pier/a\n    issues: [{title: t, epic: two}]\n',
      'seed.yaml:7: projects[0].issues[0].epic is not an epic in this file of a parent group of the project',
    ],
    'with an epic whose author is not allowed to create it': [
      'users: [{username: kim, password: null}]\ngroups:\n  - path: pier\n    visibility: public\n    epics:\n      - {title: one, author: kim}\n',
      'seed.yaml:6: groups[0].epics[0] is not possible: kim needs the Reporter role in pier to edit its epics',
    ],
    'with impossible snippets': [
      'users: [{username: kim, password: null, external: true}]\nsnippets:\n  - {title: one, author: kim, files: {a: x}}\n  - {title: two, files: {a/../b: x}}\n',
      'seed.yaml:4: snippets[1].files is not possible: Path cannot include directory traversal',
    ],
    'with snippets whose authors are not allowed to create them': [
      'users: [{username: kim, password: null, external: true}]\nsnippets:\n  - {title: one, author: kim, files: {a: x}}\n  - {title: two, files: {1: x, 2: x, 3: x, 4: x, 5: x, 6: x, 7: x, 8: x, 9: x, 10: x, 11: x}}\n',
      'seed.yaml:3: snippets[0] is not possible: kim is not allowed to create snippets here',
      "seed.yaml:4: snippets[1] is not possible: Snippet files can't be more than 10",
    ],
    'with values that the features refuse': [
      'projects:\n  - path: zoe/a\n    labels:\n      - {name: bug}\n      - {name: bug}\n      - {name: x, color: no color}\n    milestones: [{title: one, start_date: in 3 days, due_date: today}]\n    pipelines: [{ref: main}]\n    packages:\n      - {name: p}\n      - {name: p}\n    container_repositories:\n      - {name: -x}\n    issues: [{title: t, milestone: none}]\n',
      'seed.yaml:5: projects[0].labels[1] is not possible: Label already exists',
      'seed.yaml:6: projects[0].labels[2].color must be a valid color code',
      'seed.yaml:7: projects[0].milestones[0] is not possible: Failed to create milestone {:due_date=>["must be greater than start date"]}',
      'seed.yaml:8: projects[0].pipelines[0].ref is not possible: main has no commit at that time',
      'seed.yaml:11: projects[0].packages[1].name has already been taken',
      'seed.yaml:13: projects[0].container_repositories[0].name is invalid',
      'seed.yaml:14: projects[0].issues[0].milestone is not a milestone of the project or its parent groups',
    ],
    'with labels from an author who is not allowed to set them': [
      'users: [{username: ines, password: null}]\nprojects:\n  - path: zoe/a\n    visibility: public\n    issues:\n      - {title: t, author: ines, labels: [x]}\n',
      'seed.yaml:6: projects[0].issues[0] is not possible: ines must be a member to set labels, assignees, a milestone, a weight or a due date',
    ],
  };
  for (const [name, [text, ...expected]] of Object.entries(table)) {
    it(`a seed file with ${name} is refused with the problems, and nothing is written`, async () => {
      const { store, repositories } = server.platform;
      const everything = (): unknown =>
        [
          'users',
          'namespaces',
          'projects',
          'issues',
          'notes',
          'events',
          'personal_access_tokens',
          'oauth_applications',
          'repositories',
        ].map((table) => store.get(`SELECT count(*) AS n FROM ${table}`));
      const before = everything();
      assert.deepEqual(await refused(server, text), expected);
      assert.deepEqual(everything(), before);
      assert.ok(repositories);
    });
  }
});

describe('seed files over HTTP', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ systemNow: () => NOW });
  });
  after(() => server.close());

  it('seed files over HTTP are added to existing data', async () => {
    const first = await applySeed(server.platform, 'one.yaml', 'users: [{username: ines, password: a-good-password}]');
    assert.deepEqual(
      first.passwords.map(({ username }) => username),
      ['root'],
    );
    const response = await server.request('POST', '/_local/seeds', {
      token,
      json: { name: 'two.yaml', text: 'projects: [{path: ines/a, issues: [{title: t}]}]' },
    });
    assert.equal(response.status, 201, response.text);
    const { passwords, tokens, applications } = response.json() as AppliedSeed;
    assert.deepEqual([passwords, tokens, applications], [[], [], []]);
    assert.partialDeepStrictEqual(await get(server, '/projects/ines%2Fa'), { creator_id: 2 });
  });

  it('seed files over HTTP create forks with the code of the source at that time, also of forks and of empty projects', async () => {
    const projects = [
      { path: 'root/last', forked_from: 'root/fork', created_at: '2 days ago' },
      { path: 'root/fork', forked_from: 'root/source', created_at: '5 days ago', commits: [{ message: 'b', files: { b: 'b' } }] },
      {
        path: 'root/source',
        created_at: '12 days ago',
        commits: [
          { message: 'a', created_at: '10 days ago', files: { a: 'a' } },
          { message: 'c', created_at: '3 days ago', files: { c: 'c' } },
        ],
      },
      {
        path: 'root/early',
        forked_from: 'root/source',
        created_at: '11 days ago',
        commits: [{ message: 'x', files: { x: 'x' } }],
      },
    ];
    await using forked = await startTestServer({ systemNow: () => NOW });
    await applySeed(forked.platform, 'seed.json', JSON.stringify({ projects }));
    const titles = async (project: string): Promise<string[]> =>
      (await get<{ title: string }[]>(forked, `/projects/root%2F${project}/repository/commits`)).map(({ title }) => title);
    assert.deepEqual(await titles('source'), ['c', 'a']);
    assert.deepEqual(await titles('fork'), ['b', 'a']);
    // Steps without a time happen before the first step that requires them.
    assert.deepEqual(await titles('last'), ['b', 'a']);
    assert.deepEqual(await titles('early'), ['x']);
  });

  it('seed files over HTTP end memberships on their expiry date, even in the past', async () => {
    const text =
      'projects:\n  - path: root/club\n    created_at: 20 days ago\n    members: [{user: root, access_level: owner}, {user: ines, access_level: guest, created_at: 9 days ago, expires_at: 3 days ago}]\nusers: [{username: ines, password: null}]\n';
    await using club = await startTestServer({ systemNow: () => NOW });
    assert.deepEqual(await refused(club, text), ['seed.yaml:4: projects[0].members[0].user is already a member']);
    await applySeed(club.platform, 'seed.yaml', text.replace('{user: root, access_level: owner}, ', ''));
    const events = await get<{ action_name: string; author_username: string; created_at: string }[]>(
      club,
      '/projects/root%2Fclub/events?sort=asc',
    );
    assert.deepEqual(
      events.map(({ author_username, created_at }) => [author_username, created_at]),
      [
        ['root', isoTime(NOW - 20 * DAY)],
        ['ines', isoTime(NOW - 9 * DAY)],
        ['ines', isoTime(Math.floor(NOW / DAY) * DAY - 3 * DAY)],
      ],
    );
  });

  it('seed files over HTTP are refused with 400 and all validation errors', async () => {
    const response = await server.request('POST', '/_local/seeds', { token, json: { name: 'x.yaml', text: 'users: [{}, {}]' } });
    assert.equal(response.status, 400);
    assert.deepEqual(response.json(), {
      message: { seed: ['x.yaml:1: users[0].username is missing', 'x.yaml:1: users[1].username is missing'] },
    });
  });

  it('seed files over HTTP require the admin token and are limited in size', async () => {
    const anonymous = await server.request('POST', '/_local/seeds', { json: { text: 'users: []' } });
    assert.equal(anonymous.status, 401);
    const large = await server.request('POST', '/_local/seeds', { token, json: { text: 'a'.repeat(2 * 1024 * 1024 + 1) } });
    assert.equal(large.status, 413);
  });
});

describe('seed files without git', () => {
  it('seed files without git are refused only if they contain commits', async () => {
    await using server = await startTestServer({ git: '/nowhere/git', systemNow: () => NOW });
    const text = 'projects:\n  - path: root/a\n    commits: [{message: m, files: {a: x}}]\n';
    assert.deepEqual(await refused(server, text), [
      'seed.yaml:3: projects[0].commits is not possible: git was not found on PATH',
    ]);
    await applySeed(server.platform, 'seed.yaml', 'projects: [{path: root/a}]');
  });
});
