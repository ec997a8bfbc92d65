import assert from 'node:assert/strict';
import fc from 'fast-check';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { metadataOf } from '../../../server/http/params.ts';
import type { Route } from '../../../server/http/route.ts';
import { defaultProfile, isAvailable } from '../../../server/core/profile.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createJob, createPipeline, findPipeline } from '../../../server/features/pipelines/managePipelines.ts';
import { writeContainerTag } from '../../../server/features/registry/containerRepositories.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { insertStar } from '../../../server/features/stars/store.ts';
import { hearSession } from '../errorTracking/releases/heardSessions.ts';
import { fullEvent, reportError } from '../errorTracking/reports.ts';
import { type Example, examples, type Fixture, makeFixture, person, queryText } from '../../support/examples.ts';
import { sampleOf } from '../../support/sample.ts';
import { createTestPlatform, startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';
import {
  ERRORS,
  EVENTS,
  PACKAGE_PIPELINES,
  PIPELINE_JOBS,
  TAGS,
  assignToPipeline,
  audit,
  fill,
  fillRepository,
  fillSnippets,
  type Filled,
} from './filledLists.ts';

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
const APP_RELEASES = '/api/v4/projects/:id/error_tracking/releases';
/** Lists that only support keyset pagination by descending `id`. */
const NEWEST_FIRST = ['/api/v4/projects/:id/jobs', APP_RELEASES, PACKAGE_PIPELINES, EVENTS];
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
