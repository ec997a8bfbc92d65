// Tests a third-party client against the route definitions: the client's own walk over its classes finds which methods request which
// routes, and each of them is called with the example of the route.
import assert from 'node:assert/strict';
import { notificationLevels } from '../../src/contract/notifications.ts';
import { routeDefinitions } from '../../server/app.ts';
import type { Route } from '../../server/http/route.ts';
import { type Example, examples, type Fixture, makeFixture } from './examples.ts';
import { emptyStorage } from './examples/storageMoves.ts';
import { sampleOf } from './sample.ts';
import { startTestServer } from './server.ts';

/** A request that one method of a client makes, independent of its arguments. */
export interface Found {
  readonly method: string;
  readonly verb: string;
  /** Path from `/api/v4` on; `{}` stands for each value that the caller provides. */
  readonly path: string;
}

/** Outcome of a call: what the client decoded from the response (absent if it returns nothing), or its error message. */
export type Outcome = { readonly type: string; readonly decoded?: unknown } | { readonly error: string };

export interface Call extends Found {
  /** Values for each `{}` of the path. */
  readonly values: readonly string[];
  /** All other parameters, under the names that the server uses. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly token: string | undefined;
  readonly origin: string;
}

/** A third-party client whose classes were walked over. */
export interface ThirdPartyClient {
  readonly found: readonly Found[];
  /** Methods that made no request when they were tried. */
  readonly silent: readonly string[];
  call(call: Call): Promise<Outcome>;
}

/** Differences between a client and the rule. */
export interface Differences {
  /** Methods that never make a request, or that need more than placeholder arguments. */
  readonly silent: readonly string[];
  /**
   * Alternative examples by route or by one of its methods (`METHOD path`, `METHOD path by Class.method`), or the reason why no call can
   * succeed. A route is not covered if each of its methods has a reason of its own.
   */
  readonly calls: Readonly<Record<string, string | Change>>;
}

export type Change = (example: Example, fixture: Fixture) => Example | Promise<Example>;

/** Parameters that the response returns in another form than they were sent, or whose effect it returns. */
const CHANGED_PARAMETERS = [
  'POST /api/v4/groups/:id/labels color',
  // The comment of a key is replaced with the name of its user.
  'POST /api/v4/user/keys key',
  'POST /api/v4/users/:id/keys key',
  // A registration token is exchanged for an authentication token, or replaced.
  'POST /api/v4/runners token',
  'POST /api/v4/runners/reset_registration_token token',
];

/** Minimum number of methods that a walk must find; a walk that finds fewer has missed some. */
const MIN = 1000;

const nameOf = (row: Pick<Route, 'method' | 'path'>): string => `${row.method} ${row.path}`;

/** Number of routes that `npm test` calls with each client. */
const SAMPLED = 30;

/**
 * Calls every method of a client that requests a defined route. Returns the counts.
 *
 * @throws AssertionError with all pairs that have no call, or whose call did not succeed.
 */
export function callEveryRoute(client: ThirdPartyClient, differences: Differences): Promise<string> {
  return callRoutes(client, differences, (routes) => routes);
}

/** Returns a function like `callEveryRoute` that calls some of the routes, chosen by the seed of the run and the name of the client. */
export function callSomeRoutes(name: string): typeof callEveryRoute {
  return (client, differences) => callRoutes(client, differences, (routes) => sampleOf(`routes for ${name}`, routes, SAMPLED));
}

async function callRoutes(
  client: ThirdPartyClient,
  { silent, calls: differences }: Differences,
  choose: (routes: readonly Route[]) => readonly Route[],
): Promise<string> {
  assert.ok(client.found.length > MIN, `the walk found ${client.found.length} requests`);
  assert.deepEqual(client.silent.toSorted(), silent.toSorted(), 'methods without a request');
  const responses: { row: string; status: number; body: string }[] = [];
  await using server = await startTestServer({
    storages: emptyStorage,
    onResponse: (route, status, body) => responses.push({ row: nameOf(route), status, body }),
  });
  const fixture = makeFixture(server);
  const routes = routeDefinitions(server.platform).filter(({ area }) => area === 'api');
  const methods = methodsOf(routes, client.found);
  const unsupported = routes.map(nameOf).filter((name) => !methods.has(name));
  const supported = routes.filter((route) => methods.has(nameOf(route)));
  const problems: string[] = [];
  const keyOf = (name: string, { method }: Found): string | undefined =>
    [`${name} by ${method}`, name].find((key) => Object.hasOwn(differences, key));
  const used = new Set([...methods].flatMap(([name, callers]) => callers.map((found) => keyOf(name, found))));
  for (const key of Object.keys(differences)) if (!used.has(key)) problems.push(`the pair "${key}" does not exist any more`);
  let calls = 0;
  const chosen = choose(supported);
  for (const route of chosen) {
    const name = nameOf(route);
    const callers = methods.get(name) ?? [];
    let called = 0;
    for (const found of callers) {
      const change = differences[keyOf(name, found) ?? ''];
      if (typeof change === 'string') continue;
      const made = await examples[name]?.(fixture);
      if (made === undefined) {
        problems.push(`${name} has no example`);
        continue;
      }
      called += 1;
      const example = change === undefined ? made : await change(made, fixture);
      responses.length = 0;
      const outcome = await client.call({
        ...found,
        values: valuesOf(route, found, example),
        params: example.params ?? {},
        token: example.token,
        origin: server.origin,
      });
      const problem = problemOf(route, outcome, responses, example);
      if (problem !== undefined) problems.push(`${name} by ${found.method}: ${problem}`);
    }
    calls += called;
    if (called === 0 && typeof differences[name] !== 'string')
      problems.push(`${name} is not called by any of ${callers.map(({ method }) => method).join(', ')}`);
  }
  assert.equal(problems.length, 0, `${problems.length} pairs are not covered:\n${problems.join('\n')}`);
  if (process.env['SIGNALBOX_TEST_BRIEF'] === undefined)
    console.log(`Routes that the client does not support:\n  ${unsupported.join('\n  ')}`);
  return `${calls} calls of ${chosen.length} routes, ${unsupported.length} routes not supported`;
}

/** Replaces label ids with label names, for clients that only support names. */
export async function replaceLabelIdByName(example: Example, { server, fresh }: Fixture): Promise<Example> {
  const name = fresh('named');
  const owner = example.path?.['id'] ?? '';
  for (const location of ['projects', 'groups']) {
    await server.request('POST', `/api/v4/${location}/${owner}/labels`, {
      token: server.adminToken,
      json: { name, color: '#112233' },
    });
  }
  const { label_id: _, ...params } = example.params ?? {};
  return { ...example, params: { ...params, name } };
}

/** Returns the methods that request each route, by route name. */
export function methodsOf(rows: readonly Pick<Route, 'method' | 'path'>[], found: readonly Found[]): Map<string, Found[]> {
  const methods = new Map<string, Found[]>();
  for (const candidate of found) {
    // A path with literal segments takes precedence over a path with parameters.
    const fitting = rows.filter((row) => row.method === candidate.verb && fits(row.path, candidate.path));
    const [row] = fitting.toSorted((one, other) => parametersIn(one.path) - parametersIn(other.path));
    if (row === undefined) continue;
    const name = nameOf(row);
    methods.set(name, [...(methods.get(name) ?? []), candidate]);
  }
  for (const row of rows) {
    // Clients request the token that authenticates a request with the id `self`.
    if (methods.has(nameOf(row)) || !row.path.split('/').includes('self')) continue;
    const general = row.path.replace('/self', '/:self');
    const asValue = found.filter((candidate) => row.method === candidate.verb && fits(general, candidate.path));
    if (asValue.length > 0) methods.set(nameOf(row), asValue);
  }
  return methods;
}

function fits(path: string, found: string): boolean {
  const wanted = path.split('/');
  const given = found.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => (segment.startsWith(':') ? given[index] === '{}' : given[index] === segment))
  );
}

function parametersIn(path: string): number {
  return path.split('/').filter((segment) => segment.startsWith(':')).length;
}

function valuesOf(route: Route, found: Found, example: Example): string[] {
  const segments = route.path.split('/');
  return found.path.split('/').flatMap((segment, index) => {
    const wanted = segments[index] ?? '';
    return segment === '{}' ? [wanted.startsWith(':') ? (example.path?.[wanted.slice(1)] ?? '') : wanted] : [];
  });
}

interface ReceivedResponse {
  readonly row: string;
  readonly status: number;
  readonly body: string;
}

function problemOf(route: Route, outcome: Outcome, responses: readonly ReceivedResponse[], example: Example): string | undefined {
  const reported = responses.map(({ row: name, status, body }) => `${name} returned ${status} ${body.slice(0, 200)}`).join('; ');
  if ('error' in outcome) return `${outcome.error} (${reported})`;
  const last = responses.at(-1);
  // Clients follow redirects.
  const own = route.successStatus >= 300 && route.successStatus < 400 ? responses[0] : last;
  if (last === undefined || own?.row !== nameOf(route) || own.status !== (example.status ?? route.successStatus))
    return `it received: ${reported}`;
  if (last.body === '' || !('decoded' in outcome)) return undefined;
  return (
    decodingProblem(outcome, own === last ? bodyOfAllPages(responses) : last.body) ??
    (route.method === 'GET' ? undefined : parameterProblem(route, example, last.body))
  );
}

/** Returns the response body; for a list that the client has followed, the items of all pages. */
function bodyOfAllPages(responses: readonly ReceivedResponse[]): string {
  const [{ body } = { body: '' }, ...others] = responses;
  if (others.length === 0) return body;
  const pages = responses.map((page): unknown => JSON.parse(page.body));
  return JSON.stringify(pages.every((page) => Array.isArray(page)) ? pages.flat() : pages.at(-1));
}

/** Returns how the client's decoded value differs from the response body, or undefined. */
function decodingProblem(
  { type, decoded }: { readonly type: string; readonly decoded?: unknown },
  body: string,
): string | undefined {
  let expected: unknown = body;
  try {
    expected = JSON.parse(body);
  } catch {
    return decoded === body ? undefined : `${type} is not the content: ${JSON.stringify(decoded).slice(0, 200)}`;
  }
  // A file whose content happens to be JSON.
  if (decoded === body) return undefined;
  const counted = { same: 0 };
  const difference = differenceOf(expected, decoded, '', counted);
  if (difference !== undefined) return `${type}${difference}`;
  return counted.same > 0 ? undefined : `${type} has none of ${body.slice(0, 200)}`;
}

/** Returns the first member that both values have and that differs. Members that only one side has are ignored. */
function differenceOf(expected: unknown, decoded: unknown, location: string, counted: { same: number }): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(decoded) || decoded.length !== expected.length)
      return `${location} does not have the length of the list in the response`;
    for (const [index, item] of expected.entries()) {
      const difference = differenceOf(item, decoded[index], `${location}[${index}]`, counted);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (isRecord(expected)) {
    if (!isRecord(decoded)) return `${location} is ${JSON.stringify(decoded)} instead of an object`;
    for (const [name, member] of Object.entries(expected)) {
      if (!(name in decoded) || member === null) continue;
      const difference = differenceOf(member, decoded[name], `${location}.${name}`, counted);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (!isSame(expected, decoded))
    return `${location} is ${JSON.stringify(decoded)}, the response has ${JSON.stringify(expected)}`;
  counted.same += 1;
  return undefined;
}

/** Returns a parameter that was sent and has another value in the response. */
function parameterProblem(route: Route, example: Example, body: string): string | undefined {
  const returned: unknown = JSON.parse(body);
  if (!isRecord(returned)) return undefined;
  for (const [name, sent] of Object.entries(example.params ?? {})) {
    const member = returned[name];
    if (CHANGED_PARAMETERS.includes(`${nameOf(route)} ${name}`)) continue;
    if (member === undefined || typeof member === 'object' || typeof sent === 'object') continue;
    if (!isSame(sent, member)) return `sent ${name} ${JSON.stringify(sent)}, but the response has ${JSON.stringify(member)}`;
  }
  return undefined;
}

/** Returns true if the values are equal, or denote the same moment or notification level, which the Go client decodes to its number. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other || String(one) === String(other)) return true;
  if (typeof other === 'number' && one === notificationLevels[other]) return true;
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  return /^\d{4}-\d\d-\d\d/.test(one) && Date.parse(one) === Date.parse(other);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
