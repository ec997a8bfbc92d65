import { Forbidden } from '../../../server/core/errors.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { actions, targetFilters } from '../../../server/features/activity/rules.ts';
import { isoDate } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { commentOnIssue, createIssue, type IssueInput, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { updateProject } from '../../../server/features/projects/manageProjects.ts';
import { findProject } from '../../../server/features/projectAccess/access.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

const CLOCK = Date.UTC(2026, 4, 10, 20);
const levels = [0, 10, 20, 30, 40] as const;
const people = ['ada', 'bob', 'carl', 'eve'] as const;

/** A random action of a user. Actions without permission are skipped. */
const step = fc.record({
  who: fc.nat(people.length - 1),
  project: fc.nat(2),
  kind: fc.constantFrom('open', 'comment', 'note', 'close', 'push', 'hide'),
  confidential: fc.boolean(),
  assignee: fc.nat(people.length - 1),
  minutes: fc.nat(600),
});

const world = fc.record({
  projects: fc.array(
    fc.record({
      visibility: fc.constantFrom('public', 'internal', 'private'),
      issues: fc.constantFrom('enabled', 'enabled', 'private', 'disabled'),
      levels: fc.tuple(fc.constantFrom(...levels), fc.constantFrom(...levels), fc.constantFrom(...levels)),
      location: fc.constantFrom('own', 'group', 'subgroup'),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  /** Access levels of the other users in the group and its subgroup. */
  groupLevels: fc.tuple(fc.constantFrom(...levels), fc.constantFrom(...levels), fc.constantFrom(...levels)),
  subgroupLevels: fc.tuple(fc.constantFrom(...levels), fc.constantFrom(...levels), fc.constantFrom(...levels)),
  steps: fc.array(step, { minLength: 10, maxLength: 40 }),
});

const query = fc.record(
  {
    action: fc.constantFrom(...actions),
    target_type: fc.constantFrom(...targetFilters),
    before: fc.integer({ min: 0, max: 12 }).map((days) => isoDate(CLOCK + days * 86_400_000)),
    after: fc.integer({ min: -1, max: 12 }).map((days) => isoDate(CLOCK + days * 86_400_000)),
    sort: fc.constantFrom('asc', 'desc'),
  },
  { requiredKeys: [] },
);

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** Creates users, groups and projects, and performs the steps. ada owns the groups and projects; eve is external. */
function build(server: TestServer, { projects, groupLevels, subgroupLevels, steps }: World): readonly Actor[] {
  const { platform } = server;
  const cast = people.map((name) => actor(platform, name, { external: name === 'eve' }));
  const [ada, ...others] = cast;
  assert.ok(ada);
  const group = createGroup(platform, ada.user, { name: 'Sea', path: 'sea', visibility: 'public' });
  const subgroup = createGroup(platform, ada.user, { name: 'Bay', path: 'bay', visibility: 'public', parent: group });
  /** Skips levels that are lower than in the parent group, because they are refused. */
  const above = (drawn: readonly number[], parent: readonly number[]): number[] =>
    drawn.map((level, at) => (level < (parent[at] ?? 0) ? 0 : level));
  const join = (at: typeof group, drawn: readonly number[]): void => {
    for (const [index, level] of drawn.entries()) {
      const user = others[index]?.user;
      if (user !== undefined && level > 0) addGroupMember(platform, at.group, user, { level }, { user: ada.user });
    }
  };
  join(group, groupLevels);
  join(subgroup, above(subgroupLevels, groupLevels));
  const highest = groupLevels.map((level, at) => Math.max(level, subgroupLevels[at] ?? 0));
  const places = {
    own: { namespaceId: undefined, around: [] },
    group: { namespaceId: group.group.id, around: groupLevels },
    subgroup: { namespaceId: subgroup.group.id, around: highest },
  };
  const found = projects.map((plan, index) => {
    const { namespaceId, around } = places[plan.location];
    const members = above(plan.levels, around).flatMap((level, at) => {
      const other = others[at];
      return other === undefined || level === 0 ? [] : [[other, level] as const];
    });
    return projectWith(platform, ada, { name: `Project ${index}`, visibility: plan.visibility, namespaceId }, members);
  });
  const issues: ReturnType<typeof createIssue>[] = [];
  for (const { who, project, kind, confidential, assignee, minutes } of steps) {
    platform.clock.advance(minutes * 60_000);
    const user = cast[who]?.user;
    const id = found[project]?.project.id;
    assert.ok(user !== undefined && id !== undefined);
    const seen = findProject(platform, id, { user });
    if (seen === undefined || !seen.can.writeIssues) continue;
    const at = issues.findLastIndex((candidate) => candidate.project_id === id);
    const issue = issues[at];
    try {
      if (kind === 'open') {
        const assigneeIds = [cast[assignee]?.user.id ?? 0];
        issues.push(createIssue(platform, seen, user, { title: `Issue ${issues.length}`, confidential, assigneeIds }));
      } else if (kind === 'push') {
        const ref = { ref: 'main', refType: 'branch', action: 'pushed', commitFrom: null, commitTo: null } as const;
        const refs = [{ ...ref, commitCount: 1, commitTitle: 'x' }];
        platform.changes.publish({ kind: 'refsPushed', projectId: id, authorId: user.id, refs });
      } else if (issue !== undefined) {
        const change = (input: IssueInput): void => {
          // Later changes start from the updated issue.
          issues[at] = updateIssue(platform, seen, issue, user, input);
        };
        if (kind === 'close') change({ stateEvent: confidential ? 'close' : 'reopen' });
        else if (kind === 'hide') change({ confidential });
        else commentOnIssue(platform, seen, issue, user, { body: `by ${user.username}`, internal: kind === 'note' });
      }
    } catch (error) {
      assert.ok(error instanceof Forbidden, String(error));
    }
  }
  for (const [index, plan] of projects.entries()) {
    const owned = found[index];
    if (owned !== undefined) updateProject(platform, owned, { issuesAccess: plan.issues });
  }
  return cast;
}

interface Fact {
  readonly id: number;
  readonly project_id: number;
  readonly author_id: number;
  readonly action: number;
  readonly target_type: string | null;
  readonly created_at: number;
  readonly visibility: string;
  readonly issues_access: string;
  readonly level: number;
  readonly confidential: number;
  readonly internal: number;
  readonly isOwn: number;
}

/** Second implementation of event visibility (docs/interface.md#activity-events), for each stored event separately. */
function visibleEvents(server: TestServer, viewer: Actor | undefined): Fact[] {
  const metadata = server.platform.store.all<Fact>(
    `WITH RECURSIVE inside (project_id, namespace_id) AS (
       SELECT id, namespace_id FROM projects
       UNION ALL
       SELECT inside.project_id, n.parent_id FROM inside JOIN namespaces n ON n.id = inside.namespace_id
       WHERE n.parent_id IS NOT NULL)
     SELECT e.id, e.project_id, e.author_id, e.action, e.target_type, e.created_at, p.visibility, p.issues_access,
       max(coalesce(m.access_level, 0), coalesce((SELECT max(g.access_level) FROM inside JOIN group_members g
         ON g.group_id = inside.namespace_id WHERE inside.project_id = p.id AND g.user_id = $viewer), 0)) AS level, coalesce(i.confidential, 0) AS confidential, coalesce(n.internal, 0) AS internal,
       coalesce(i.author_id = $viewer OR EXISTS (
         SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id AND a.user_id = $viewer), 0) AS isOwn
     FROM events e JOIN projects p ON p.id = e.project_id
     LEFT JOIN project_members m ON m.project_id = p.id AND m.user_id = $viewer
     LEFT JOIN notes n ON n.id = e.note_id
     LEFT JOIN issues i ON i.id = coalesce(n.noteable_id, CASE e.target_type WHEN 'Issue' THEN e.target_id END)`,
    { viewer: viewer?.user.id ?? 0 },
  );
  const isExternal = viewer?.user.external === 1;
  return metadata.filter((fact) => {
    const isMember = fact.level >= 10;
    const isOpen = fact.visibility === 'public' || (fact.visibility === 'internal' && viewer !== undefined && !isExternal);
    if (!isMember && !isOpen) return false;
    if (fact.action === 5) return isOpen || fact.level >= 20;
    if (fact.target_type === null) return true;
    if (fact.issues_access === 'disabled' || (fact.issues_access === 'private' && !isMember)) return false;
    if (fact.level >= 20) return true;
    return fact.internal === 0 && (fact.confidential === 0 || (viewer !== undefined && fact.isOwn === 1));
  });
}

async function walk(server: TestServer, path: string, token: string | undefined): Promise<{ ids: number[]; pages: number[] }> {
  const ids: number[] = [];
  const pages: number[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const response: Awaited<ReturnType<TestServer['request']>> = await server.request(
      'GET',
      next,
      token === undefined ? {} : { token },
    );
    assert.equal(response.status, 200, response.text);
    const page = (response.json() as { id: number }[]).map((event) => event.id);
    ids.push(...page);
    pages.push(page.length);
    next = linkTo(response.headers.get('link') ?? undefined, 'next');
    assert.equal(next === undefined, response.headers.get('x-next-page') === '');
    if (next === undefined) assert.equal(response.headers.get('x-total'), String(ids.length));
  }
  return { ids, pages };
}

describe('feeds after random changes', function () {
  it('a feed contains exactly the events visible to its reader, in full pages, with any filters', async () => {
    await fc.assert(
      fc.asyncProperty(world, query, fc.integer({ min: 1, max: 7 }), async (drawn, filters, size) => {
        // This dialect shows feeds of users without a token, too.
        await using server = await startTestServer({ profile: { dialect: 'observed' } });
        server.platform.clock.freeze(CLOCK);
        const cast = build(server, drawn);
        const parameters = new URLSearchParams({ ...filters, per_page: String(size) });
        for (const viewer of [undefined, ...cast]) {
          const seen = visibleEvents(server, viewer).filter((fact) => matches(fact, filters));
          const wanted = (owns: (fact: Fact) => boolean): number[] =>
            seen
              .filter(owns)
              .toSorted((a, b) => (a.created_at - b.created_at || a.id - b.id) * (filters.sort === 'asc' ? 1 : -1))
              .map((fact) => fact.id);
          const feeds: [string, (fact: Fact) => boolean][] = [];
          for (const id of [1, 2, 3]) {
            const response = await server.request(
              'GET',
              `/api/v4/projects/${id}`,
              viewer === undefined ? {} : { token: viewer.token },
            );
            if (response.status === 200) feeds.push([`/projects/${id}/events`, (fact) => fact.project_id === id]);
          }
          feeds.push(
            ['/users/ada/events', (fact) => fact.author_id === 2],
            ['/users/carl/events', (fact) => fact.author_id === 4],
          );
          if (viewer !== undefined) {
            feeds.push(['/events', (fact) => fact.author_id === viewer.user.id]);
            feeds.push(['/events?scope=all', (fact) => fact.level > 0]);
          }
          for (const [path, owns] of feeds) {
            const target = `/api/v4${path}${path.includes('?') ? '&' : '?'}${parameters}`;
            const reported = `${viewer?.user.username ?? 'nobody'} ${target}`;
            const { ids, pages } = await walk(server, target, viewer?.token);
            assert.deepEqual(ids, wanted(owns), reported);
            assert.ok(
              pages.slice(0, -1).every((length) => length === size),
              `${reported}: pages of ${pages.join()}`,
            );
          }
        }
        const all = await walk(server, '/api/v4/users/ada/events?per_page=100', admin);
        const stored = server.platform.store.all<{ id: number; audience: number }>(
          "SELECT e.id, e.audience FROM events e JOIN projects p ON p.id = e.project_id WHERE e.author_id = 2 AND (p.issues_access <> 'disabled' OR e.issue_id IS NULL)",
        );
        assert.equal(all.ids.length, stored.length, 'administrators see all but issues that are switched off');
      }),
      { numRuns: 12 },
    );
  });
});

function matches(fact: Fact, filters: { action?: string; target_type?: string; before?: string; after?: string }): boolean {
  const day = isoDate(fact.created_at);
  const types: Readonly<Record<string, string>> = { issue: 'Issue', note: 'Note' };
  return (
    (filters.action === undefined || fact.action === actions.findIndex((name) => name === filters.action) + 1) &&
    (filters.target_type === undefined || fact.target_type === types[filters.target_type]) &&
    (filters.before === undefined || day < filters.before) &&
    (filters.after === undefined || day > filters.after)
  );
}
