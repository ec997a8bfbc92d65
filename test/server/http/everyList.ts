import assert from 'node:assert/strict';
import fc from 'fast-check';
import { routeDefinitions } from '../../../server/app.ts';
import { writeAuditEvent } from '../../../server/features/audit/auditEvents.ts';
import { type AuditEntity } from '../../../server/features/audit/rules.ts';
import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createBranch, createTag } from '../../../server/features/pushes/refUpdates.ts';
import { findCommit } from '../../../server/features/git/refs.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createUpload } from '../../../server/features/uploads/files.ts';
import { commentableCommit } from '../../../server/features/commitComments/commentable.ts';
import { addEmail } from '../../../server/features/emails/manageEmails.ts';
import { createEpic } from '../../../server/features/epics/manageEpics.ts';
import { setErrorTracking } from '../../../server/features/errorTracking/errorTracking.ts';
import { commentableEpic } from '../../../server/features/epics/commentable.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { metadataOf } from '../../../server/http/params.ts';
import type { Route } from '../../../server/http/route.ts';
import { setEnterpriseGroup } from '../../../server/features/users/enterprise.ts';
import { insertFollow } from '../../../server/features/users/follows.ts';
import type { User } from '../../../server/core/caller.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { defaultProfile, isAvailable } from '../../../server/core/profile.ts';
import { commentOnIssue, createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createRule } from '../../../server/features/approvalRules/manageApprovalRules.ts';
import { addDeployKey } from '../../../server/features/deployKeys/manageDeployKeys.ts';
import { addSshKey } from '../../../server/features/sshKeys/manageSshKeys.ts';
import { allow } from '../../../server/features/jobTokens/allowlists.ts';
import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import { createVariable } from '../../../server/features/ciVariables/variables.ts';
import { createSchedule } from '../../../server/features/pipelineSchedules/schedules.ts';
import { createDeployToken } from '../../../server/features/deployTokens/manageDeployTokens.ts';
import { instanceOwner, registrationToken } from '../../../server/features/registrationTokens/registrationTokens.ts';
import { registerRunner } from '../../../server/features/runners/manageRunners.ts';
import { createRule as protect } from '../../../server/features/protectedRefs/manageProtectedRefs.ts';
import { changePlanLimits } from '../../../server/features/settings/settings.ts';
import { createLabel } from '../../../server/features/labels/manageLabels.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import { createLink, createRelease, type Release } from '../../../server/features/releases/manageReleases.ts';
import { addFile, createPackage } from '../../../server/features/packages/managePackages.ts';
import { createJob, createPipeline, findPipeline } from '../../../server/features/pipelines/managePipelines.ts';
import { createContainerRepository, writeContainerTag } from '../../../server/features/registry/containerRepositories.ts';
import { createMergeRequest, findMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { commentableMergeRequest } from '../../../server/features/mergeRequests/commentable.ts';
import { comment, type Commentable } from '../../../server/features/notes/notes.ts';
import type { Platform } from '../../../server/platform.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { findSnippet } from '../../../server/features/snippets/access.ts';
import { commentableSnippet } from '../../../server/features/snippets/commentable.ts';
import { insertStar } from '../../../server/features/stars/store.ts';
import { addCacheEntry, createRegistry, createUpstream } from '../../../server/features/virtualRegistries/manageUpstreams.ts';
import { hearSession } from '../errorTracking/releases/heardSessions.ts';
import { keepSourceMap } from '../errorTracking/sourceMaps/storedSourceMaps.ts';
import { fullEvent, reportError } from '../errorTracking/reports.ts';
import { type Example, examples, type Fixture, makeFixture, person, queryText } from '../../support/examples.ts';
import { addSentDelivery } from '../../support/hookReceiver.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { mailTo } from '../../support/mails.ts';
import { sampleOf } from '../../support/sample.ts';
import { createTestPlatform, startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';

/** Number of items per list. */
const MANY = 9;
/** Orders of issues that only support offset pagination. */
const OFFSET_ONLY = ['label_priority', 'milestone_due', 'popularity', 'priority'];

/** Lists whose examples have their own project. */
const FIXTURE_PROJECT_LISTS = ['forks', 'starrers', 'users'];

type Query = Readonly<Record<string, unknown>>;

interface Page {
  readonly items: readonly string[];
  readonly headers: Headers;
  readonly next: string | undefined;
}

const reader = createTestPlatform();
const TAGS = '/api/v4/projects/:id/registry/repositories/:repository_id/tags';
const PACKAGE_PIPELINES = '/api/v4/projects/:id/packages/:package_id/pipelines';
const APP_RELEASES = '/api/v4/projects/:id/error_tracking/releases';
const ERRORS = '/api/v4/projects/:id/error_tracking/errors';
const EVENTS = `${ERRORS}/:fingerprint/events`;
/** Lists that only support keyset pagination by descending `id`. */
const NEWEST_FIRST = ['/api/v4/projects/:id/jobs', APP_RELEASES, PACKAGE_PIPELINES, EVENTS];
const PIPELINE_JOBS = '/api/v4/projects/:id/pipelines/:pipeline_id/jobs';
const SCHEDULED = '/api/v4/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines';
const COMMIT_REQUESTS = '/api/v4/projects/:id/repository/commits/:sha/merge_requests';
/** A route with pages of two lists in one response, which has its own tests. */
const PAIR = '/api/v4/personal_access_tokens/self/associations';
const lists = routeDefinitions(reader).filter(
  (route) => route.method === 'GET' && route.path !== PAIR && route.schema?.().shape['per_page'] !== undefined,
);
endPlatform(reader);
const nameOf = (route: Route): string => `${route.method} ${route.path}`;

export interface ListsRun {
  /** Number of walks over each list, each with another order and other page sizes. */
  readonly runs: number;
  /** Share of the lists, chosen by the seed; all by default. */
  readonly share?: number;
}

/** Declares the tests. */
export function describeEveryList({ runs, share = 1 }: ListsRun): void {
  const sampled = <T>(name: string, items: readonly T[]): readonly T[] => sampleOf(name, items, Math.ceil(items.length * share));

  describe('every list of the API', function () {
    let server: TestServer;
    let fixture: Fixture;
    let repository: Readonly<Record<string, string>>;
    let filled: Filled;

    before(async () => {
      server = await startTestServer({ profile: { dialect: 'observed' } });
      fixture = makeFixture(server);
      filled = { ...fill(fixture), ...fillSnippets(fixture) };
      repository = await fillRepository(fixture);
    });
    after(() => server.close());

    async function pathOf(route: Route): Promise<string> {
      const example: Example | undefined = await examples[nameOf(route)]?.(fixture);
      // Lists of resources other than those created here would be empty.
      const own = route.path.startsWith('/api/v4/groups/:id/')
        ? { ...example?.path, id: String(fixture.group.group.id) }
        : example?.path;
      const known: Readonly<Record<string, string>> = FIXTURE_PROJECT_LISTS.some(
        (list) => route.path === `/api/v4/projects/:id/${list}`,
      )
        ? { ...own, id: String(fixture.project.project.id) }
        : { ...own, ...filled[route.path] };
      const isOfCode =
        route.path !== APP_RELEASES &&
        /\/projects\/.*\/(?:repository\/|releases|(?:related_)?merge_requests|closed_by)/.test(route.path);
      const code = route.path === COMMIT_REQUESTS ? { ...repository, sha: 'for-all' } : repository;
      const path: Readonly<Record<string, string>> = isOfCode ? { ...known, ...code } : known;
      return route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    }

    async function open(address: string, as: string | undefined = token): Promise<Page> {
      const response = await server.request('GET', address, as === '' ? {} : { token: as });
      assert.equal(response.status, 200, `${address}: ${response.text}`);
      const items = response.json();
      assert.ok(Array.isArray(items));
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      return { items: items.map((item) => identityOf(item)), headers: response.headers, next };
    }

    /** Returns all pages by following the links. `between` runs before each further page. */
    async function walk(address: string, as?: string, between: (page: number) => void = () => undefined): Promise<Page[]> {
      const pages: Page[] = [];
      for (let next: string | undefined = address; next !== undefined; next = pages.at(-1)?.next) {
        assert.ok(pages.length < 1000, `${address} does not end`);
        if (pages.length > 0) between(pages.length);
        pages.push(await open(next, as));
      }
      return pages;
    }

    const unbounded = lists.filter(({ pages }) => pages === undefined);
    for (const route of sampled('walks over lists', unbounded)) {
      it(`${nameOf(route)}: the pages contain every item once, in order, with correct headers`, async () => {
        const path = await pathOf(route);
        const base = baseOf(route);
        await fc.assert(
          fc.asyncProperty(orderings(route), fc.integer({ min: 1, max: 7 }), async (ordering, size) => {
            const query = { ...base, ...ordering };
            const whole = {
              items: (await walk(`${path}?${queryText({ ...query, per_page: 100 })}`)).flatMap(({ items }) => items),
            };
            assert.ok(whole.items.length > 1, `${path} is not filled`);
            const pages = await walk(`${path}?${queryText({ ...query, per_page: size })}`);
            assert.deepEqual(
              pages.flatMap(({ items }) => items),
              whole.items,
            );
            assert.equal(new Set(whole.items).size, whole.items.length);
            const last = Math.ceil(whole.items.length / size);
            assert.equal(pages.length, last);
            for (const [index, { items, headers }] of pages.entries()) {
              const number = index + 1;
              assert.equal(items.length, number < last ? size : whole.items.length - size * (last - 1));
              assert.deepEqual(
                ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'].map((name) =>
                  headers.get(name),
                ),
                [number, size, number < last ? number + 1 : '', index === 0 ? '' : index, whole.items.length, last].map(String),
              );
              const rels = [...(headers.get('link') ?? '').matchAll(/rel="(\w+)"/g)]
                .map(([, rel]) => rel)
                .filter((rel) => rel !== 'deprecation');
              assert.deepEqual(rels, [...(index === 0 ? [] : ['prev']), ...(number < last ? ['next'] : []), 'first', 'last']);
            }
            const beyond = await open(`${path}?${queryText({ ...query, per_page: size, page: last + 1 })}`);
            assert.deepEqual(
              [beyond.items, beyond.next, beyond.headers.get('x-total')],
              [[], undefined, String(whole.items.length)],
            );
          }),
          // Lists of repository contents start other programs.
          { numRuns: /\/repository\/|\/releases|\/merge_requests\//.test(route.path) ? Math.min(runs, 2) : runs },
        );
      });
    }

    const keysets = lists.flatMap((route) => keysetOrders(route).map((ordering) => ({ row: route, ordering })));

    it('keyset pagination is available on the documented lists', () => {
      assert.deepEqual([...new Set(keysets.map(({ row: route }) => nameOf(route)))].toSorted(), [
        'GET /api/v4/audit_events',
        'GET /api/v4/groups',
        'GET /api/v4/groups/:id/audit_events',
        'GET /api/v4/groups/:id/descendant_groups',
        'GET /api/v4/groups/:id/projects',
        'GET /api/v4/groups/:id/subgroups',
        'GET /api/v4/projects',
        'GET /api/v4/projects/:id/audit_events',
        'GET /api/v4/projects/:id/error_tracking/errors',
        'GET /api/v4/projects/:id/error_tracking/errors/:fingerprint/events',
        'GET /api/v4/projects/:id/error_tracking/releases',
        'GET /api/v4/projects/:id/forks',
        'GET /api/v4/projects/:id/issues',
        'GET /api/v4/projects/:id/jobs',
        'GET /api/v4/projects/:id/packages/:package_id/pipelines',
        'GET /api/v4/projects/:id/registry/repositories/:repository_id/tags',
        'GET /api/v4/users',
        'GET /api/v4/users/:user_id/projects',
        'GET /api/v4/users/:user_id/starred_projects',
      ]);
    });

    for (const { row: route, ordering } of sampled('keyset pages', keysets)) {
      const as = ofGroups(route) ? '' : token;

      it(`${nameOf(route)} by ${queryText(ordering)}: keyset pages contain every item once, whatever is created in between`, async () => {
        const path = await pathOf(route);
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 6 }),
            fc.array(fc.constantFrom('', 'aa', 'zz'), { maxLength: 6 }),
            async (size, inserts) => {
              const base = { ...baseOf(route), ...ordering };
              const whole = await open(`${path}?${queryText({ ...base, per_page: 100 })}`, as);
              assert.ok(whole.items.length > 1 && whole.items.length < 100, `${path} does not have the expected items`);
              const pages = await walk(`${path}?${queryText({ ...base, per_page: size, pagination: 'keyset' })}`, as, (page) => {
                const beginning = inserts[page - 1] ?? '';
                if (beginning !== '') makeOneMore(route, beginning);
              });
              const seen = pages.flatMap(({ items }) => items);
              assert.equal(new Set(seen).size, seen.length, 'an item is on two pages');
              assert.deepEqual(
                seen.filter((item) => whole.items.includes(item)),
                whole.items,
              );
              for (const [index, { items, headers }] of pages.entries()) {
                assert.equal(items.length > 0, index < pages.length - 1, 'only the last page is empty');
                assert.deepEqual(
                  [...headers.keys()].filter((name) => name.startsWith('x-page') || name.startsWith('x-total')),
                  [],
                );
              }
              clear();
            },
          ),
          { numRuns: runs },
        );
      });
    }

    const withCursor = keysets.filter(({ row: { schema } }) => schema?.().shape['cursor'] !== undefined);
    for (const { row: route, ordering } of sampled('cursors', withCursor)) {
      it(`${nameOf(route)} by ${queryText(ordering)} refuses a foreign cursor`, async () => {
        const path = await pathOf(route);
        const as = ofGroups(route) ? '' : token;
        const at = (cursor: string) =>
          server.request(
            'GET',
            `${path}?${queryText({ ...ordering, pagination: 'keyset', per_page: 2, cursor })}`,
            as === '' ? {} : { token: as },
          );
        const first = await open(`${path}?${queryText({ ...ordering, pagination: 'keyset', per_page: 2 })}`, as);
        const good = new URL(first.next ?? '').searchParams.get('cursor') ?? '';
        assert.equal((await at(good)).status, 200);
        const inside = Buffer.from(good, 'base64url').toString('utf8');
        const made = (text: string): string => Buffer.from(text).toString('base64url');
        const column = String(ordering['order_by']);
        for (const bad of [
          'AAAA',
          `${good}!`,
          ` ${good}`,
          good.slice(0, -3),
          good.slice(2),
          `${good}${good}`,
          made('{}'),
          made('[]'),
          made('null'),
          made(inside.replace('"n"', '"p"')),
          made(inside.replace(/"id":"\d+"/, '"id":"0x10"')),
          made(inside.replace(/"id":"\d+"/, '"id":-1')),
          made(inside.replace(/"id":"\d+"/, '"id":"99999999999999999999"')),
          made(inside.replace('{', '{"more":1,')),
          ...(column === 'id'
            ? []
            : [
                made(inside.replace(`"${column}"`, '"other"')),
                made(inside.replace(/^\{"\w+":("[^"]*"|\d+)/, `{"${column}":[1]`)),
              ]),
        ]) {
          const response = await at(bad);
          assert.deepEqual([response.status, response.json()], [400, { error: 'cursor is invalid' }], `${inside} as ${bad}`);
        }
        await fc.assert(
          fc.asyncProperty(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), async (text) => {
            assert.equal((await at(text)).status, 400);
            assert.equal((await at(made(text))).status, 400);
          }),
          { numRuns: 20 },
        );
      });
    }

    for (const [path, type] of [
      ['/api/v4/users', 'User'],
      ['/api/v4/projects', 'Project'],
      ['/api/v4/groups', 'Group'],
      ['/api/v4/audit_events', 'AuditEvent'],
    ] as const) {
      it(`${path} refuses offsets above 50000 with a hint`, async () => {
        const as = type === 'Group' ? {} : { token };
        const refused = await server.request('GET', `${path}?page=501&per_page=100`, as);
        assert.equal(refused.status, 405);
        assert.deepEqual(refused.json(), {
          error: `Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
        });
        assert.equal((await server.request('GET', `${path}?page=500&per_page=100`, as)).status, 200);
        // The requested page size counts, not the effective one.
        assert.equal((await server.request('GET', `${path}?page=101&per_page=500`, as)).status, 405);
      });
    }

    /** Creates another item for the list of a route, with a name at one end of the alphabet. */
    function makeOneMore(route: Route, beginning: string): void {
      const { platform } = server;
      const name = fixture.fresh(beginning);
      const inGroup = route.path.includes('/groups/:id/');
      if (route.path.endsWith('/jobs')) {
        const pipeline = findPipeline(platform, fixture.project, Number(filled[PIPELINE_JOBS]?.['pipeline_id']));
        if (pipeline !== undefined) createJob(platform, pipeline, fixture.root, { name });
      } else if (route.path === TAGS) {
        writeContainerTag(platform, { id: Number(filled[TAGS]?.['repository_id']) }, { name });
      } else if (route.path === PACKAGE_PIPELINES) {
        const { id } = createPipeline(platform, fixture.project, fixture.root, { ref: name, sha: 'a'.repeat(40) });
        assignToPipeline(server, Number(filled[PACKAGE_PIPELINES]?.['package_id']), id);
      } else if (route.path === APP_RELEASES) {
        hearSession(platform, fixture.project.project.id, name);
      } else if (route.path === ERRORS || route.path === EVENTS) {
        const event = fullEvent(route.path === EVENTS ? 'fill0' : name);
        reportError(platform, fixture.project.project.id, { ...event, environment: 'meanwhile' });
      } else if (route.path.endsWith('/issues')) {
        createIssue(platform, fixture.project, fixture.root, { title: name, weight: 1, dueDate: '2027-01-02' });
      } else if (route.path.endsWith('/users')) person(server, name);
      else if (route.path.endsWith('audit_events')) audit(fixture, ['Group', 'Project', 'User'], 'meanwhile');
      else if (route.path.endsWith('projects') || route.path.endsWith('forks')) {
        const { project } = createProject(platform, fixture.root, {
          name,
          ...(inGroup ? { namespaceId: fixture.group.group.id } : {}),
          ...(route.path.endsWith('forks') ? { forkedFromId: fixture.project.project.id } : {}),
          visibility: 'public',
        });
        insertStar(platform.store, project.id, fixture.root.id, 0);
      } else {
        createGroup(platform, fixture.root, {
          name,
          path: name,
          visibility: 'public',
          parent: inGroup ? fixture.group : undefined,
        });
      }
    }

    /** Deletes the items that were created during a walk, so that lists stay short. */
    function clear(): void {
      const { store } = server.platform;
      store.run("DELETE FROM issues WHERE title GLOB 'aa*' OR title GLOB 'zz*'");
      store.run("DELETE FROM projects WHERE path GLOB 'aa*' OR path GLOB 'zz*'");
      store.run("DELETE FROM namespaces WHERE path GLOB 'aa*' OR path GLOB 'zz*'");
      store.run("DELETE FROM container_tags WHERE name GLOB 'aa*' OR name GLOB 'zz*'");
      store.run("DELETE FROM pipelines WHERE ref GLOB 'aa*' OR ref GLOB 'zz*'");
      store.run("DELETE FROM app_releases WHERE version GLOB 'aa*' OR version GLOB 'zz*'");
      store.run("DELETE FROM jobs WHERE name GLOB 'aa*' OR name GLOB 'zz*'");
      store.run("DELETE FROM audit_events WHERE event_name = 'meanwhile'");
      store.run("DELETE FROM tracked_errors WHERE message GLOB 'cannot aa*' OR message GLOB 'cannot zz*'");
      store.run("DELETE FROM tracked_events WHERE environment = 'meanwhile'");
      store.run("DELETE FROM users WHERE username GLOB 'aa*' OR username GLOB 'zz*'");
    }
  });

  it('on the multi-tenant offering no list returns its total or its last page', async () => {
    const profile = { ...defaultProfile, offering: 'multi-tenant', dialect: 'observed' } as const;
    await using server = await startTestServer({ profile });
    const fixture = makeFixture(server);
    fill(fixture);
    const available = lists.filter((list) => list.pages === undefined && isAvailable(list, profile));
    for (const route of sampled('lists of the multi-tenant offering', available)) {
      const { path = {} } = (await examples[nameOf(route)]?.(fixture)) ?? {};
      const address = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
      const { status, headers } = await server.request('GET', `${address}?${queryText({ ...baseOf(route), per_page: 1 })}`, {
        token,
      });
      assert.deepEqual(
        [status, headers.get('x-page'), headers.get('x-total'), headers.get('x-total-pages')],
        [200, '1', null, null],
        address,
      );
      assert.match(headers.get('link') ?? '', /rel="first"/);
      assert.doesNotMatch(headers.get('link') ?? '', /rel="last"/);
    }
  });

  it('a list with more than 10000 records omits its total and its last page', async () => {
    await using server = await startTestServer();
    const { store } = server.platform;
    const add = (from: number, to: number): void => {
      store.run(
        `WITH RECURSIVE numbers (number) AS (SELECT $from UNION ALL SELECT number + 1 FROM numbers WHERE number < $to)
         INSERT INTO namespaces (kind, name, path, full_path, visibility, description, created_at, project_creation_level,
           subgroup_creation_level)
         SELECT 'group', 'G', 'g' || number, 'g' || number, 'public', '', 0, 'developer', 'maintainer' FROM numbers`,
        { from, to },
      );
    };
    const heads = async (page: number) => {
      const { headers } = await server.request('GET', `/api/v4/groups?page=${page}&per_page=100`, { token });
      const rels = [...(headers.get('link') ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel).join();
      return [headers.get('x-total'), headers.get('x-total-pages'), headers.get('x-next-page'), headers.get('x-prev-page'), rels];
    };
    add(1, 10_000);
    assert.deepEqual(await heads(1), ['10000', '100', '2', '', 'next,first,last']);
    assert.deepEqual(await heads(100), ['10000', '100', '', '99', 'prev,first,last']);
    add(10_001, 10_001);
    assert.deepEqual(await heads(1), [null, null, '2', '', 'next,first']);
    assert.deepEqual(await heads(101), [null, null, '', '100', 'prev,first']);
  });
}

/** Returns parameters that select the whole list, or the items created for these tests. */
function baseOf({ path }: Route): Query {
  if (/v4\/(?:issues|merge_requests)$/.test(path)) return { scope: 'all' };
  if (path.endsWith('/search')) return { scope: 'issues', search: 'er' };
  return path === '/api/v4/audit_events' ? { entity_type: 'User', entity_id: 1 } : {};
}

function orderings(route: Route): fc.Arbitrary<Query> {
  const { order_by: order, sort } = route.schema?.().shape ?? {};
  const pick = (name: string, parameter: typeof order): fc.Arbitrary<Query> => {
    const values = parameter === undefined ? undefined : metadataOf(parameter)?.values;
    return values === undefined ? fc.constant({}) : fc.constantFrom({}, ...values.map((value) => ({ [name]: value })));
  };
  return fc.tuple(pick('order_by', order), pick('sort', sort)).map(([one, other]) => ({ ...one, ...other }));
}

/** Returns the orders in which a list supports keyset pagination. */
function keysetOrders(route: Route): readonly Query[] {
  const shape = route.schema?.().shape ?? {};
  if (NEWEST_FIRST.includes(route.path)) return [{ order_by: 'id', sort: 'desc' }];
  // Trees have their own page token, which the repository tests cover.
  if (shape['pagination'] === undefined || shape['page_token'] !== undefined) return [];
  const sorts = ['asc', 'desc'];
  if (ofGroups(route)) return [{ order_by: 'name', sort: 'asc' }];
  if (route.path === TAGS) return sorts.map((sort) => ({ order_by: 'name', sort }));
  if (route.path.endsWith('audit_events')) return [{ order_by: 'id', sort: 'desc' }];
  if (shape['cursor'] === undefined) return sorts.map((sort) => ({ order_by: 'id', sort }));
  const { values = [] } = (shape['order_by'] === undefined ? undefined : metadataOf(shape['order_by'])) ?? {};
  return values
    .filter((order) => !OFFSET_ONLY.includes(order))
    .flatMap((order) => sorts.map((sort) => ({ order_by: order, sort })));
}

/** Returns true for lists of groups, which support keyset pagination only for anonymous requests. */
function ofGroups(route: Route): boolean {
  return route.path.endsWith('groups');
}

/** Returns the identity of an item within its list: its ID, path, name, hash or text. */
function identityOf(item: unknown): string {
  const members = new Map(Object.entries(Object(item)));
  const number = members.get('id');
  if (members.has('starred_since')) return identityOf(members.get('user'));
  if (members.has('source_id')) return `${members.get('source_type')} ${members.get('source_id')}`;
  const mark =
    typeof number === 'number'
      ? number
      : ['path', 'new_path', 'name', 'id', 'event_id', 'fingerprint', 'note', 'request', 'key']
          .map((name) => members.get(name))
          .find(Boolean);
  assert.ok(typeof mark === 'number' || typeof mark === 'string');
  return String(mark);
}

/** Fills a repository with files, commits, branches and tags; `sha` is a commit that they all contain. */
async function fillRepository({ server, root, group }: Fixture): Promise<Readonly<Record<string, string>>> {
  const { platform } = server;
  const found = createProject(platform, root, { name: 'Repository', visibility: 'public' });
  assert.ok(typeof found === 'object');
  const commit = (files: readonly string[], author = 'root') =>
    createCommit(platform, found, root, {
      branch: 'main',
      message: 'More',
      authorName: author,
      authorEmail: `${author}@example.com`,
      actions: files.map((path) => ({ action: 'create', path, content: Buffer.from(path) })),
    });
  let first: Release | undefined;
  const sha = await commit(Array.from({ length: MANY }, (_, index) => `file${index}`));
  const pipeline = createPipeline(platform, found, root, { ref: 'main', sha });
  for (let index = 0; index < MANY; index += 1) {
    createJob(platform, pipeline, root, { name: `job${index}` });
    await commit([`more${index}`], `author${index}`);
    await createBranch(platform, found, root, `branch${index}`, 'main');
    await createTag(platform, found, root, { name: `tag${index}`, ref: 'main' });
    const link = { name: `asset${index}`, url: `https://files.example/${index}` };
    const release = await createRelease(platform, found, root, { tag: `tag${index}`, name: `Release ${index}` });
    first ??= release;
    createLink(platform, first, link);
  }
  const commented = await findCommit(platform, found.project, sha);
  assert.ok(commented);
  commentOn(platform, commentableCommit(platform, found, commented, true), root);
  return {
    id: String(found.project.id),
    sha,
    tag_name: 'tag0',
    issue_iid: '1',
    merge_request_iid: String(await fillMergeRequests({ server, root, group }, found)),
  };
}

/** Creates merge requests of a project and of a group. Returns the iid of one with many commits, comments and so on. */
async function fillMergeRequests(
  { server, root, group }: Pick<Fixture, 'server' | 'root' | 'group'>,
  found: FoundProject,
): Promise<number> {
  const { platform } = server;
  const ends = { source: found, target: found };
  createIssue(platform, found, root, { title: 'Closed by many' });
  const input = (sourceBranch: string) => ({ title: `${sourceBranch}, closes #1`, sourceBranch, targetBranch: 'main' });
  const closed = Array.from({ length: MANY }, (_, index) => createIssue(platform, found, root, { title: `Closed ${index}` }));
  for (let index = 0; index < MANY; index += 1) createMergeRequest(platform, ends, root, input(`branch${index}`));
  await createBranch(platform, found, root, 'topic', 'main');
  const { iid } = createMergeRequest(platform, ends, root, {
    ...input('topic'),
    description: closed.map((issue) => `Closes #${issue.iid}`).join('\n'),
  });
  for (let index = 0; index < MANY; index += 1) {
    const path = `topic${index}`;
    const actions = [{ action: 'create', path, content: Buffer.from(path) }] as const;
    await createCommit(platform, found, root, { branch: 'topic', message: path, actions });
    const commenter = person(server, `commenter${index}`);
    const request = findMergeRequest(platform, found, iid);
    assert.ok(request !== undefined);
    const seen = findProject(platform, found.project.id, { user: commenter });
    assert.ok(seen !== undefined);
    comment(platform, commentableMergeRequest(platform, seen, request, commenter), commenter, { body: path });
  }
  const shared = [{ action: 'create', path: 'shared', content: Buffer.from('shared') }] as const;
  await createCommit(platform, found, root, { branch: 'for-all', startBranch: 'main', message: 'Shared', actions: shared });
  for (let index = 0; index < MANY; index += 1) {
    await createBranch(platform, found, root, `shared${index}`, 'for-all');
    createMergeRequest(platform, ends, root, { title: 'Shared', sourceBranch: `shared${index}`, targetBranch: 'main' });
  }
  const inGroup = createProject(platform, root, { name: 'In group', visibility: 'public', namespaceId: group.group.id });
  await createCommit(platform, inGroup, root, {
    branch: 'main',
    message: 'One',
    actions: [{ action: 'create', path: 'one', content: Buffer.from('1') }],
  });
  for (let index = 0; index < MANY; index += 1) {
    await createBranch(platform, inGroup, root, `branch${index}`, 'main');
    createMergeRequest(platform, { source: inGroup, target: inGroup }, root, input(`branch${index}`));
  }
  return iid;
}

/** Assigns a package to another pipeline. */
function assignToPipeline({ platform }: TestServer, packageId: number, pipelineId: number): void {
  platform.store.run('INSERT INTO package_pipelines (package_id, pipeline_id) VALUES ($packageId, $pipelineId)', {
    packageId,
    pipelineId,
  });
}

/** Inserts rows of snippets directly, because creating snippets starts several programs each. One of them has comments. */
function fillSnippets({ server: { platform }, project, root }: Fixture): Filled {
  const { store } = platform;
  let snippetId = 0;
  for (let index = 0; index < MANY; index += 1) {
    for (const projectId of [null, project.project.id]) {
      const folder = `snippet ${index} of ${projectId}`;
      const { lastId } = store.run("INSERT INTO single_repositories (storage, folder) VALUES ('default', $folder)", { folder });
      ({ lastId: snippetId } = store.run(
        `INSERT INTO snippets (project_id, author_id, repository_id, title, visibility, files, created_at, updated_at)
         VALUES ($projectId, $author, $repository, 'Snippet', 'public', '["a.txt"]', $index, $index)`,
        { projectId, author: root.id, repository: lastId, index },
      ));
    }
  }
  const found = findSnippet(platform, snippetId, { user: root });
  assert.ok(found);
  commentOn(platform, commentableSnippet(platform, project, found.snippet), root);
  for (let index = 0; index < MANY; index += 1) moved(platform, 'snippet_id', snippetId);
  const path = { id: String(project.project.id), snippet_id: String(snippetId) };
  const one = '/api/v4/projects/:id/snippets/:snippet_id';
  const moves = '/api/v4/snippets/:id/repository_storage_moves';
  return { [`${one}/notes`]: path, [`${one}/discussions`]: path, [moves]: { id: String(snippetId) } };
}

function commentOn(platform: Platform, commentable: Commentable, root: User): void {
  for (let index = 0; index < MANY; index += 1) comment(platform, commentable, root, { body: `Comment ${index}` });
}

/** Path parameters of filled lists that differ from those of the example, by the path of the route. */
type Filled = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Writes one audit event for each given type of entity. */
function audit({ server, root, project, group }: Fixture, types: readonly AuditEntity['type'][], name = 'filled'): void {
  for (const type of types) {
    const id = type === 'Group' ? group.group.id : type === 'Project' ? project.project.id : root.id;
    const entity = { type, id, name: 'a place', path: 'place' };
    const target = { type, id, details: 'place' };
    const event = { name, message: 'Filled', entity, target, action: {}, authorId: root.id, address: null };
    writeAuditEvent(server.platform, event);
  }
}

function moved({ store }: Platform, container: 'project_id' | 'group_id' | 'snippet_id', id: number): void {
  store.run(
    `INSERT INTO repository_storage_moves (${container}, state, source_storage, destination_storage, created_at)
     VALUES ($id, 'finished', 'default', 'default', $id)`,
    { id },
  );
}

function fill(fixture: Fixture): Filled {
  const { server, root, ada, project, group, issue } = fixture;
  const { platform } = server;
  const start = { ref: 'main', sha: 'a'.repeat(40) };
  const pipeline = createPipeline(platform, project, root, start);
  changePlanLimits(platform, { ci_pipeline_schedules: 0 });
  const schedule = createSchedule(platform, project, root, { description: 'Filled', ref: 'main', cron: '0 1 * * *' });
  const images = createContainerRepository(platform, project, 'filled');
  const maven = createRegistry(platform, group, { name: 'filled' });
  const { upstream } = createUpstream(platform, maven, { url: 'https://maven.example/filled' });
  const packed = createPackage(platform, project, { name: 'packed', version: '1' });
  const receiver = { url: 'http://127.0.0.1:9/', events: { push_events: false } };
  const ownHook = createHook(platform, { projectId: project.project.id }, receiver);
  const groupHook = createHook(platform, { groupId: group.group.id }, receiver);
  setErrorTracking(platform, project.project.id, true);
  for (let index = 0; index < MANY; index += 1) {
    platform.deprecatedCalls.add({
      deprecation: 'runner-registration',
      at: platform.clock.now(),
      username: root.username,
      userAgent: '',
      oauthTokenId: undefined,
      request: `POST /api/v4/runners ${index}`,
    });
  }
  const users: User[] = Array.from({ length: MANY }, (_, index) => person(server, `filler${index}`));
  for (const [index, user] of users.entries()) {
    const name = `Filler ${index % 3} of ${index}`;
    addMember(platform, project.project, user, { level: 30, expiresAt: null }, { user: root, access: project.access });
    addGroupMember(platform, group.group, user, { level: 30 }, { user: root });
    setEnterpriseGroup(platform, user, group.group.id);
    const outer = createGroup(platform, root, { name, path: `filler-group${index}`, visibility: 'public' });
    allow(platform, project.project.id, 'inbound', { groupId: outer.group.id });
    createGroup(platform, root, { name, path: `inner${index}`, visibility: 'public', parent: group });
    const inGroup = createProject(platform, root, { name, visibility: 'public', namespaceId: group.group.id });
    allow(platform, project.project.id, 'inbound', { projectId: inGroup.project.id });
    createVariable(platform, { projectId: project.project.id }, { key: `FILLED_${index}`, value: name });
    createVariable(platform, { groupId: group.group.id }, { key: `FILLED_${index}`, value: name });
    createHook(platform, { projectId: project.project.id }, receiver);
    createHook(platform, { groupId: group.group.id }, receiver);
    for (const { id } of [ownHook, groupHook]) addSentDelivery(platform, id, receiver.url);
    createSchedule(platform, project, root, { description: name, ref: 'main', cron: '0 1 * * *' });
    createIssue(platform, inGroup, root, { title: name, assigneeIds: [root.id] });
    createRule(
      platform,
      project.project,
      { user: root, credential: { kind: 'session' } },
      { name, approvalsRequired: 0, ruleType: 'regular' },
    );
    moved(platform, 'project_id', project.project.id);
    moved(platform, 'group_id', group.group.id);
    const keyInput = { title: name, key: freshPublicKey(), canPush: index % 2 === 0, expiresAt: undefined };
    addDeployKey(platform, project.project, root, keyInput);
    addSshKey(platform, root, { title: name, key: freshPublicKey(), usageType: 'auth', expiresAt: undefined });
    registerRunner(platform, registrationToken(platform, instanceOwner), { tags: ['lamps'] }, {});
    registerRunner(platform, registrationToken(platform, { kind: 'project', id: project.project.id }), {}, {});
    const deployToken = { name, username: undefined, scopes: ['read_repository'], expiresAt: undefined };
    createDeployToken(platform, { projectId: project.project.id, groupId: null }, deployToken);
    createDeployToken(platform, { projectId: null, groupId: group.group.id }, deployToken);
    protect(platform, project.project, 'branch', `filler${index}/*`, { grants: {} });
    protect(platform, project.project, 'tag', `filler${index}/*`, { grants: {} });
    createLabel(platform, { kind: 'project', id: project.project.id }, { title: name, color: '#123456' });
    createLabel(platform, { kind: 'group', id: group.group.id }, { title: name, color: '#123456' });
    createMilestone(platform, { kind: 'project', id: project.project.id }, root, { title: name });
    createMilestone(platform, { kind: 'group', id: group.group.id }, root, { title: name });
    const own = createProject(platform, root, { name, visibility: 'public', forkedFromId: project.project.id });
    insertStar(platform.store, own.project.id, root.id, index);
    insertStar(platform.store, project.project.id, user.id, index);
    insertFollow(platform.store, root.id, user.id);
    insertFollow(platform.store, user.id, root.id);
    addEmail(platform, root, { address: `filler-root${index}@example.com` });
    createEpic(platform, group, root, { title: name });
    createIssue(platform, project, root, {
      title: name,
      // Some issues have none, and some have equal ones.
      ...(index < 6 ? { weight: index % 4, dueDate: `2027-01-0${1 + (index % 3)}` } : {}),
    });
    commentOnIssue(platform, project, issue, root, { body: name });
    createApplication(platform, { name, scopes: ['api'], confidential: true });
    issuePersonalToken(platform, ada, { name, scopes: ['api'], expiresAt: null });
    mailTo(platform, root, { subject: name });
    const status = index % 2 === 0 ? 'running' : 'failed';
    const { id: pipelineId } = createPipeline(platform, project, root, { ...start, ref: name, status });
    const run = { pipelineId, scheduleId: schedule.id };
    platform.store.run('INSERT INTO scheduled_pipelines (pipeline_id, schedule_id) VALUES ($pipelineId, $scheduleId)', run);
    assignToPipeline(server, packed.id, pipelineId);
    createPackage(platform, project, { name, type: index % 2 === 0 ? 'npm' : 'maven', version: String(index % 3) });
    createContainerRepository(platform, project, `filler${index}`);
    createRegistry(platform, group, { name });
    createUpstream(platform, maven, { url: `https://maven.example/${index}`, name });
    addCacheEntry(platform, upstream, { path: `file/${index}`, sha1: 'a'.repeat(40), size: index });
    createContainerRepository(platform, inGroup, `filler${index}`);
    writeContainerTag(platform, images, { name: `filler${index}` });
    createPackage(platform, inGroup, { name, version: '1' });
    addFile(platform, packed, { name: `file ${index % 3}`, size: index });
    createJob(platform, pipeline, root, { name });
    createClientKey(platform, project.project.id);
    createUpload(platform, project.project, root, { name: `${index}.txt`, bytes: Buffer.from(name) });
    keepSourceMap(platform, project.project.id, `app${index}.js`);
    hearSession(platform, project.project.id, `filler@${index}`);
    for (const name of [`fill${index}`, 'fill0']) reportError(platform, project.project.id, fullEvent(name));
    audit(fixture, ['User']);
  }
  const epic = createEpic(platform, group, root, { title: 'Talked about' });
  commentOn(platform, commentableEpic(platform, group, epic), root);
  const ofEpic = { epic_id: String(epic.id) };
  const id = String(project.project.id);
  const { fingerprint } = reportError(platform, project.project.id, fullEvent('fill0'));
  return {
    [ERRORS]: { id },
    [EVENTS]: { id, fingerprint: String(fingerprint) },
    '/api/v4/groups/:id/epics/:epic_id/notes': ofEpic,
    '/api/v4/groups/:id/epics/:epic_id/discussions': ofEpic,
    '/api/v4/projects/:id/approval_rules': { id },
    '/api/v4/projects/:id/repository_storage_moves': { id },
    '/api/v4/projects/:id/deploy_keys': { id },
    '/api/v4/projects/:id/deploy_tokens': { id },
    '/api/v4/projects/:id/job_token_scope/allowlist': { id },
    '/api/v4/projects/:id/variables': { id },
    '/api/v4/projects/:id/hooks': { id },
    '/api/v4/projects/:id/hooks/:hook_id/events': { id, hook_id: String(ownHook.id) },
    '/api/v4/groups/:id/hooks/:hook_id/events': { hook_id: String(groupHook.id) },
    '/api/v4/projects/:id/pipeline_schedules': { id },
    [SCHEDULED]: { id, pipeline_schedule_id: String(schedule.id) },
    '/api/v4/projects/:id/job_token_scope/groups_allowlist': { id },
    '/api/v4/projects/:id/protected_branches': { id },
    '/api/v4/projects/:id/protected_tags': { id },
    '/api/v4/projects/:id/jobs': { id },
    [PIPELINE_JOBS]: { pipeline_id: String(pipeline.id) },
    '/api/v4/virtual_registries/packages/maven/registries/:id/upstreams': { id: String(maven.id) },
    '/api/v4/virtual_registries/packages/maven/upstreams/:id/cache_entries': { id: String(upstream.id) },
    [TAGS]: { repository_id: String(images.id) },
    [PACKAGE_PIPELINES]: { package_id: String(packed.id) },
    '/api/v4/projects/:id/packages/:package_id/package_files': { package_id: String(packed.id) },
  };
}
