import path from 'node:path';
import { isJsonObject } from '../../src/contract/json.ts';
import { routeDefinitions } from '../../server/app.ts';
import { endPlatform } from '../../server/createPlatform.ts';
import { attachSubscribers } from '../../server/subscribers.ts';
import { metadataOf, type ParameterMetadata } from '../../server/http/params.ts';
import type { Route } from '../../server/http/route.ts';
import { queryText } from '../support/examples.ts';
import { createTestPlatform, startTestServer, TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { AUDIT_EVENTS, EVENTS, fillMillions, ISSUES } from './fillMillions.ts';
import { checkSameWork, load, median, type Ratio, ratio, rounded, type Subject } from './harness.ts';
import { anonymousMegabytes, type Measuring, startIdle, startMeasured } from './measured.ts';
import { larger, slower, slowness } from './slowness.ts';

const ROUNDS = 5;
/** Number of rows before the deep page. */
const DEPTH = 800_000;
const headers = { 'PRIVATE-TOKEN': token };

/** Measures what a server with millions of rows costs: deep pages, totals, how long one request can block others, memory. */
export async function scale(): Promise<readonly Ratio[]> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'signalbox.sqlite');
  // Creates root with the token. The test server is closed here because searching all following data for secrets would take too long.
  await (await startTestServer({ file })).close();
  const platform = createTestPlatform({ file });
  attachSubscribers(platform);
  const { project, group } = fillMillions(platform);
  const paths = { projects: String(project), groups: String(group), users: '1' };
  endPlatform(platform);
  const server = await startMeasured([
    ...slower(...[0, 1, 2, 3].map((position) => ({ requests: `^measurement ${position}$`, factor: slowness(position) }))),
    ...larger([{ factor: slowness(4) }]),
    ...[path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--log-level', 'error'],
  ]);
  const idle = await startIdle();
  try {
    const audit = '/api/v4/audit_events?pagination=keyset&per_page=20';
    const deep = `${audit}&cursor=${await cursorAt(server, audit, AUDIT_EVENTS - DEPTH)}`;
    const events = `/api/v4/projects/${paths['projects']}/events`;
    return [
      await paired(
        0,
        'keyset page of audit events after 800,000 rows',
        'processor time, deep page / page 1',
        1.5,
        server,
        deep,
        audit,
      ),
      await paired(
        1,
        'page of audit events with a counted total',
        'processor time, with totals / without',
        20,
        server,
        '/api/v4/audit_events?per_page=20',
        audit,
      ),
      await paired(2, 'page 1,000 of events', 'processor time, page 1,000 / page 1', 25, server, `${events}?page=1000`, events),
      await longestWait(server, idle, paths),
      memoryOf(server),
    ];
  } finally {
    await server.stop();
    await idle.stop();
  }
}

async function paired(
  position: number,
  name: string,
  of: string,
  atMost: number,
  server: Subject,
  a: string,
  b: string,
): Promise<Ratio> {
  const [rowsOfA, rowsOfB] = await Promise.all([a, b].map((target) => rowsOf(server, target)));
  checkSameWork('number of rows on the pages', [rowsOfA?.length, rowsOfB?.length], [20, 20]);
  if (rowsOfA?.[0] === rowsOfB?.[0] && position !== 1) throw new Error(`${a} and ${b} are the same page`);
  const rounds: { readonly a: number; readonly b: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = (await load(server, a, { ...headers, 'X-Bench': `measurement ${position}` }, 2)).perRequest;
    rounds.push({ a: first, b: (await load(server, b, headers, 2)).perRequest });
  }
  return ratio(
    name,
    of,
    rounds.map((round) => round.a / round.b),
    { atMost },
    { microseconds: [rounded(median(rounds.map((round) => round.a))), rounded(median(rounds.map((round) => round.b)))] },
  );
}

/** Returns the ids of the rows of a page. */
async function rowsOf(server: Subject, target: string): Promise<readonly unknown[]> {
  const rows: unknown = await (await fetch(`${server.origin}${target}`, { headers })).json();
  if (!Array.isArray(rows)) throw new Error(`${target} is no list`);
  return rows.map((row: unknown) => (isJsonObject(row) ? row['id'] : undefined));
}

/** Returns the cursor that the server would send for the page that starts after an id. */
async function cursorAt(server: Subject, target: string, id: number): Promise<string> {
  const response = await fetch(`${server.origin}${target}`, { headers });
  const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
  const cursor = new URL(link).searchParams.get('cursor') ?? '';
  const content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Record<string, string>;
  return encodeURIComponent(Buffer.from(JSON.stringify({ ...content, id: String(id) })).toString('base64url'));
}

/**
 * Measures the event loop delay (99.9th percentile, for each list with each filter alone, on its first and last allowed page), minus the
 * delay of an idle process in the same time. Returns the worst of all lists.
 */
async function longestWait(
  server: Subject & Measuring,
  idle: Measuring,
  paths: Readonly<Record<string, string>>,
): Promise<Ratio> {
  const platform = createTestPlatform();
  const lists = routeDefinitions(platform).filter(
    (row) => row.method === 'GET' && row.area === 'api' && row.schema?.().shape['per_page'] !== undefined,
  );
  endPlatform(platform);
  const seen: { readonly path: string; readonly row: string; readonly late: number }[] = [];
  const responses = { good: 0, refused: 0 };
  await Promise.all([server.measured(), idle.measured()]);
  for (const row of lists) {
    for (const query of worstQueries(row)) {
      const target = `${pathOf(row, paths)}?${queryText(query)}`;
      for (let time = 0; time < 3; time += 1) {
        const response = await fetch(`${server.origin}${target}`, { headers: { ...headers, 'X-Bench': 'measurement 3' } });
        await response.arrayBuffer();
        responses[response.ok ? 'good' : 'refused'] += 1;
        if (response.status >= 500) throw new Error(`${target} returned ${response.status}`);
      }
      const [busy, quiet] = await Promise.all([server.measured(), idle.measured()]);
      seen.push({ path: row.path, row: `${row.path}?${queryText(query)}`, late: busy.late - quiet.late });
    }
  }
  const worst = seen.toSorted((a, b) => b.late - a.late);
  const ofEach = [...new Map(worst.toReversed().map((one) => [one.path, one])).values()].toSorted((a, b) => b.late - a.late);
  return ratio(
    `longest event loop delay of a list, of ${lists.length} lists over ${EVENTS} events, ${AUDIT_EVENTS} audit events, ${ISSUES} issues`,
    'event loop delay in milliseconds, p99.9 of the worst list, minus an idle process',
    [worst[0]?.late ?? Number.NaN],
    { atMost: 50 },
    { ...responses, worst: ofEach.slice(0, 12).map(({ row, late }) => `${rounded(late)} ms ${row}`) },
  );
}

function pathOf(row: Route, paths: Readonly<Record<string, string>>): string {
  const kind = row.path.split('/')[3] ?? '';
  let isFirst = true;
  return row.path.replaceAll(/:\w+/g, () => {
    const value = isFirst ? (paths[kind] ?? '1') : '1';
    isFirst = false;
    return value;
  });
}

/**
 * Returns queries with each filter alone, both with a value that matches nothing and with each allowed value, for the first and the last
 * allowed page.
 */
function worstQueries(row: Route): readonly Readonly<Record<string, unknown>>[] {
  const shape = row.schema?.().shape ?? {};
  const alone = Object.entries(shape)
    .filter(
      ([name]) => !['id', 'page', 'per_page', 'cursor', 'id_after', 'id_before'].includes(name) && !row.path.includes(`:${name}`),
    )
    .flatMap(([name, parameter]) => valuesOf(metadataOf(parameter)).map((value) => ({ [name]: value })));
  return [{}, ...alone].flatMap((query) => [
    { per_page: 100, ...query },
    { per_page: 100, page: 500, ...query },
  ]);
}

function valuesOf(metadata: ParameterMetadata | undefined): readonly unknown[] {
  switch (metadata?.kind) {
    case 'boolean':
      return ['true', 'false'];
    case 'enum':
      return metadata.values ?? [];
    case 'date':
    case 'time':
      return ['2001-01-01', '2100-01-01'];
    case 'integer':
    case 'integers':
      return ['999999999', '1'];
    case 'strings':
      return metadata.values ?? ['zzzz', 'a,b'];
    case 'string':
    case 'opaque':
      return ['zzzz', 'a', 'Any', 'None'];
    case 'object':
    case 'objects':
    case 'file':
    case undefined:
      return [];
  }
}

function memoryOf(server: Subject): Ratio {
  return ratio('memory after all of that', 'anonymous memory in megabytes', [anonymousMegabytes(server)], { atMost: 200 }, {});
}
