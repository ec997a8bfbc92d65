import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { metadataOf, type ParameterMetadata } from '../../../server/http/params.ts';
import type { Route } from '../../../server/http/route.ts';
import { isAvailable } from '../../../server/core/profile.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { createTestPlatform, startTestServer, type TestServer } from '../../support/server.ts';
import { type Example, examples, type Fixture, type Make, makeFixture, sendExample } from '../../support/examples.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import type { Random } from '../../support/random.ts';
import { sampleOf } from '../../support/sample.ts';
import { randomOf, seed } from '../../support/seed.ts';

/** Number of concurrent requests per parameter; page forms are sent one by one, because one may delete what another one needs. */
const AT_ONCE = 10;

const nameOf = (route: Route): string => `${route.method} ${route.path}`;

export interface RoutesRun {
  /** Only reading routes, or only the others; all by default. */
  readonly only?: 'reading' | 'others';
  /** Number of routes, chosen by the seed; all by default. */
  readonly sample?: number;
  /** Number of values per parameter. */
  readonly cases: number;
  /** Number of values per parameter for routes whose requests start other programs. */
  readonly casesWithPrograms: number;
  /** True to send the example of these routes after each parameter, too, and not only at the beginning and end. */
  readonly betweenWithPrograms: boolean;
}

/**
 * Declares the tests. The values depend on the seed, the route and the parameter only, so that the test of one route can be repeated alone.
 */
export function describeRoutes({
  only,
  sample = Number.POSITIVE_INFINITY,
  cases,
  casesWithPrograms,
  betweenWithPrograms,
}: RoutesRun): void {
  describe(`odd parameters of routes (SIGNALBOX_TEST_SEED=${seed})`, function () {
    let server: TestServer;
    let fixture: Fixture;
    let folder: ReturnType<typeof temporaryFolder>;

    // The routes are the same for every server; this platform is only created to read them.
    const reader = createTestPlatform();
    const routes = routeDefinitions(reader).filter((route) => isAvailable(route, reader.profile));
    endPlatform(reader);
    const withParameters = routes.filter(hasParameters);

    const start = async (): Promise<void> => {
      folder = temporaryFolder();
      server = await startTestServer({ dataFolder: folder.path, storages: emptyStorage });
      fixture = makeFixture(server);
    };
    const end = async (): Promise<void> => {
      await server.close();
      folder[Symbol.dispose]();
    };

    if (only !== 'others') {
      describe('reading routes', () => {
        before(start);
        after(end);
        for (const route of sampleOf('odd parameters of reads', withParameters.filter(isOfReading), sample)) {
          handlesOddParameters(route);
        }
      });
    }

    // Such a route may change what another one needs, so each gets its own server.
    if (only !== 'reading') {
      describe('writing routes and pages', () => {
        beforeEach(start);
        afterEach(end);
        const writing = withParameters.filter((route) => !isOfReading(route));
        for (const route of sampleOf('odd parameters of writes', writing, sample)) handlesOddParameters(route);
      });
    }

    function handlesOddParameters(route: Route): void {
      it(`${nameOf(route)} handles odd parameters and still responds to its example`, async () => {
        const make = examples[nameOf(route)];
        assert.ok(make, 'the route has no example');
        await checkExample(await make(fixture), route);
        const { params = {}, path = {} } = await make(fixture);
        const names = new Set([...Object.keys(route.schema?.().shape ?? {}), ...Object.keys(params), ...Object.keys(path)]);
        const hasPrograms = /\/(?:repository|releases|snippets|merge_requests)(?:\/|$)|\/fork$/.test(route.path);
        for (const name of names) {
          const parameter = route.schema?.().shape[name];
          const metadata = parameter === undefined ? undefined : metadataOf(parameter);
          const random = randomOf(`odd values of ${name} of ${nameOf(route)}`);
          const values = Array.from({ length: hasPrograms ? casesWithPrograms : cases }, () => oddValue(metadata, random));
          while (values.length > 0) {
            await Promise.all(
              values
                .splice(0, route.area === 'page' ? 1 : AT_ONCE)
                .map(({ value, valid }) => attempt(route, make, name, value, valid && route.area === 'api')),
            );
          }
          // Examples of routes that change resources create their own ones, so the response must be the same as before.
          if (attemptsAreSafe(route) && (betweenWithPrograms || !hasPrograms)) await checkExample(await make(fixture), route);
        }
        await checkExample(await make(fixture), route);
      });
    }

    async function attempt(route: Route, make: Make, name: string, value: unknown, valid: boolean): Promise<void> {
      const example = await make(fixture);
      const response = await sendExample(server, route, example, { name, value });
      const reported = `${name}=${JSON.stringify(value)} returned ${response.status}: ${response.text.slice(0, 300)}`;
      // The test server has no registry from which the dependency proxy could pull images with other names.
      const hasNoUpstream = response.status === 503 && response.text.includes('--dependency-proxy-upstream');
      assert.ok(response.status < 500 || response.status === example.status || hasNoUpstream, reported);
      const refused = new RegExp(`(?:^|[" ,])${name} (?:is invalid|is missing|is empty|does not have a valid value)`);
      assert.ok(!(valid && response.status === 400 && refused.test(response.text)), reported);
    }

    async function checkExample(example: Example, route: Route): Promise<void> {
      const response = await sendExample(server, route, example);
      assert.equal(response.status, example.status ?? route.successStatus, response.text.slice(0, 500));
    }
  });
}

function hasParameters({ path, schema }: Route): boolean {
  return /[:*]/.test(path) || Object.keys(schema?.().shape ?? {}).length > 0;
}

function isOfReading(route: Route): boolean {
  return route.area === 'api' && route.method === 'GET';
}

/** Returns true if the example of a route succeeds whatever was sent before; other routes have limits on the number of attempts. */
function attemptsAreSafe(route: Route): boolean {
  return route.area === 'api';
}

const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '999999999999999999999',
  'true',
  'null',
  'undefined',
  '../..',
  '%2F',
  'a/b',
  "';--",
  '<b>',
  '\u0000',
  '\ud800',
  '🚦',
  'ｆｕｌｌ',
  'a'.repeat(300),
  '2024-02-30',
  '2024-02-29',
  '__proto__',
  'constructor',
];

/** Returns a value for a parameter; `valid` is true if its kind allows the value. */
function oddValue(metadata: ParameterMetadata | undefined, random: Random): { value: unknown; valid: boolean } {
  const valid = metadata === undefined ? undefined : validValue(metadata, random);
  if (valid !== undefined && random.chance(0.5)) return { value: valid, valid: true };
  const kinds: (() => unknown)[] = [
    () => random.pick(oddTexts),
    () => random.integer(-(2 ** 53), 2 ** 53),
    () => random.text(random.integer(0, 40)),
    () => [random.pick(oddTexts), random.pick(oddTexts)],
    () => ({ [random.pick(['a', '0', 'gt'])]: random.pick(oddTexts) }),
    () => null,
    () => random.chance(0.5),
    () => random.integer(0, 1000) / 7,
  ];
  return { value: random.pick(kinds)(), valid: false };
}

function validValue(metadata: ParameterMetadata, random: Random): unknown {
  switch (metadata.kind) {
    case 'integer':
      return random.pick<unknown>([random.integer(1, 100), String(random.integer(1, 100)), ` ${random.integer(1, 9)} `, '+7']);
    case 'boolean':
      return random.pick<unknown>([true, false, 'true', 'false', 'yes', 'OFF', 't', 1, 0, '1']);
    case 'enum':
      return random.pick(metadata.values ?? []);
    case 'date':
      return random.pick(['2016-12-1', '20250131', '2024-02-29', '2026-01-01T10:00:00Z']);
    case 'time':
      return random.pick(['2016-12-01T00:00:00Z', '2024-02-29T23:59:59+05:30', '2026-01-01']);
    case 'strings':
      return metadata.values === undefined ? random.pick<unknown>([['a', 'b'], 'a,b', 'c']) : [random.pick(metadata.values)];
    case 'integers':
      return random.pick<unknown>([[1, 2], '1,2', '3']);
    case 'objects':
    case 'object':
    case 'opaque':
    case 'file':
      return undefined;
    case 'string':
      return random.pick(['a', 'hello world', '7', 'ünï', 'a+b&c=d']);
  }
}
