import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { DAY, isoDate, isoTime } from '../../../server/core/clock.ts';
import { listedEvents, notificationLevels } from '../../../src/contract/notifications.ts';
import { applySeed } from '../../../server/seeds/seeds.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';

const NOW = Date.UTC(2026, 4, 10, 15, 30);
const roles = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const;
const roleNames = Object.keys(roles) as (keyof typeof roles)[];

/** Texts of all kinds, including those that YAML and JSON would read as other values if they were not quoted. */
const message = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((text) => text.trim() !== ''),
  fc.constantFrom(
    'yes',
    'null',
    '~',
    '1.10',
    '0x1f',
    '- a',
    '# b',
    'a: b',
    '*a',
    '&b',
    '!c',
    '{d',
    '"',
    "it's",
    '2026-05-01',
    '<<',
    '%',
  ),
);
const daysAgo = fc.integer({ min: 0, max: 400 });
const notification = fc.record({
  level: fc.constantFrom(...notificationLevels),
  events: fc.dictionary(fc.constantFrom(...listedEvents), fc.boolean()),
});

const seeds = fc.record({
  people: fc.array(fc.record({ name: message, bio: message, admin: fc.boolean(), external: fc.boolean(), notification }), {
    minLength: 1,
    maxLength: 4,
  }),
  groups: fc.array(fc.record({ description: message, inside: fc.boolean(), notification }), { maxLength: 3 }),
  projects: fc.array(
    fc.record({
      description: message,
      notification,
      visibility: fc.constantFrom('private', 'internal', 'public'),
      members: fc.array(fc.record({ person: fc.nat(), role: fc.constantFrom(...roleNames) }), { maxLength: 3 }),
      files: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.string({ unit: 'grapheme', maxLength: 50 }), { maxKeys: 4 }),
      issues: fc.array(
        fc.record({
          title: message,
          description: message,
          labels: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 }),
          opened: daysAgo,
          due: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
          confidential: fc.boolean(),
          closed: fc.boolean(),
          notes: fc.array(message, { maxLength: 3 }),
        }),
        { maxLength: 4 },
      ),
    }),
    { maxLength: 3 },
  ),
});
type Drawn = typeof seeds extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns a file and the expected REST responses. `prefix` distinguishes runs. */
function fileOf({ people, groups, projects }: Drawn, prefix: string) {
  const username = (index: number): string => `${prefix}-u${index % people.length}`;
  const paths: string[] = [];
  for (const [index, { inside }] of groups.entries()) {
    const around = inside ? paths.at(-1) : undefined;
    paths.push(around === undefined ? `${prefix}-g${index}` : `${around}/g${index}`);
  }
  const projectPath = (index: number): string => `${paths[index] ?? 'root'}/${prefix}-p${index}`;
  return {
    users: people.map(({ name, bio, admin, external }, index) => ({
      username: username(index),
      password: null,
      emails: [{ email: `${username(index)}@work.example` }],
      name,
      bio,
      admin,
      external,
    })),
    notification_settings: [
      {
        user: 'root',
        groups: groups.map(({ notification: setting }, index) => ({ path: paths[index] ?? '', ...setting })),
        projects: projects.map(({ notification: setting }, index) => ({ path: projectPath(index), ...setting })),
      },
      ...people.map(({ notification: { level } }, index) => ({
        user: username(index),
        level,
        notification_email: `${username(index)}@work.example`,
      })),
    ],
    // Out of order: groups come before their parent groups.
    groups: groups.map(({ description }, index) => ({ path: paths[index] ?? '', description })).toReversed(),
    projects: projects.map((project, index) => {
      const group = paths[index];
      const members = project.members.map(({ person, role }) => ({ user: username(person), access_level: role }));
      return {
        path: projectPath(index),
        description: project.description,
        visibility: group === undefined ? project.visibility : ('private' as const),
        members: members.filter((one, at) => members.findIndex(({ user }) => user === one.user) === at),
        commits: Object.keys(project.files).length === 0 ? [] : [{ message: 'Files', files: project.files }],
        issues: project.issues.map((issue) => ({
          title: issue.title,
          description: issue.description,
          labels: issue.labels,
          confidential: issue.confidential,
          created_at: isoTime(NOW - issue.opened * DAY),
          ...(issue.due === undefined ? {} : { due_date: `in ${issue.due} days` }),
          state: issue.closed ? 'closed' : 'opened',
          notes: issue.notes.map((body) => ({ body })),
        })),
      };
    }),
  };
}

describe('REST responses after a seed file', function () {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ systemNow: () => NOW });
  });
  after(() => server.close());

  async function get<T>(target: string): Promise<T> {
    const response = await server.request('GET', `/api/v4${target}`, { token });
    assert.equal(response.status, 200, `${target}: ${response.text}`);
    return response.json() as T;
  }

  it('REST responses after a seed file match the file, in YAML and JSON', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(seeds, fc.boolean(), async (drawn, isYaml) => {
        run += 1;
        const file = fileOf(drawn, `r${run}`);
        await applySeed(server.platform, 'seed', isYaml ? stringify(file) : JSON.stringify(file));
        for (const { username, name, bio, admin, external } of file.users) {
          const [{ id } = { id: 0 }] = await get<{ id: number }[]>(`/users?username=${username}`);
          const reported = await get<Record<string, unknown>>(`/users/${id}`);
          const { name: n, bio: b, is_admin: a, external: e } = reported;
          assert.deepEqual({ name: n, bio: b, admin: a, external: e }, { name, bio, admin, external });
        }
        for (const { path, description } of file.groups) {
          const reported = await get<Record<string, unknown>>(`/groups/${encodeURIComponent(path)}?with_projects=false`);
          assert.deepEqual([reported['full_path'], reported['description']], [path, description]);
        }
        for (const project of file.projects) await compareProject(project);
        for (const setting of file.notification_settings) await compareSettings(setting);
      }),
      { numRuns: 8 },
    );
  });

  async function compareSettings(setting: ReturnType<typeof fileOf>['notification_settings'][number]): Promise<void> {
    if ('level' in setting) {
      const response = await server.request('GET', `/api/v4/notification_settings?sudo=${setting.user}`, { token });
      assert.deepEqual(response.json(), { level: setting.level, notification_email: setting.notification_email });
      return;
    }
    const { groups, projects } = setting;
    for (const [kind, containers] of Object.entries({ groups, projects })) {
      for (const { path, level, events } of containers) {
        const reported = await get<Record<string, unknown>>(`/${kind}/${encodeURIComponent(path)}/notification_settings`);
        const expected = Object.fromEntries(listedEvents.map((event) => [event, events[event] ?? null]));
        assert.deepEqual(reported, level === 'custom' ? { level, events: expected } : { level });
      }
    }
  }

  async function compareProject(project: ReturnType<typeof fileOf>['projects'][number]): Promise<void> {
    const at = `/projects/${encodeURIComponent(project.path)}`;
    const reported = await get<Record<string, unknown>>(at);
    assert.deepEqual([reported['description'], reported['visibility']], [project.description, project.visibility]);
    const members = await get<{ username: string; access_level: number }[]>(`${at}/members`);
    assert.deepEqual(
      members
        .filter(({ username }) => username !== 'root')
        .map(({ username, access_level }) => `${username} ${access_level}`)
        .toSorted(),
      project.members.map(({ user, access_level }) => `${user} ${roles[access_level]}`).toSorted(),
    );
    for (const [path, content] of project.commits.flatMap(({ files }) => Object.entries(files))) {
      const response = await server.request('GET', `/api/v4${at}/repository/files/${path}/raw`, { token });
      assert.equal(response.text, content);
    }
    const issues = await get<Record<string, unknown>[]>(`${at}/issues?sort=asc`);
    const expected = project.issues.toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
    assert.equal(issues.length, expected.length);
    for (const [index, wanted] of expected.entries()) {
      const issue = issues[index] ?? {};
      const days = wanted.due_date === undefined ? undefined : Number(/\d+/.exec(wanted.due_date)?.[0]);
      const { iid, title, description, labels, confidential, created_at, due_date, state } = issue;
      assert.deepEqual(
        { iid, title, description, labels, confidential, created_at, due_date, state },
        {
          iid: index + 1,
          title: wanted.title,
          description: wanted.description,
          labels: wanted.labels.toSorted(),
          confidential: wanted.confidential,
          created_at: wanted.created_at,
          due_date: days === undefined ? null : isoDate(NOW + days * DAY),
          state: wanted.state,
        },
      );
      const notes = await get<{ body: string; system: boolean }[]>(`${at}/issues/${index + 1}/notes?sort=asc`);
      assert.deepEqual(
        notes.filter(({ system }) => !system).map(({ body }) => body),
        wanted.notes.map(({ body }) => body),
      );
    }
  }
});
