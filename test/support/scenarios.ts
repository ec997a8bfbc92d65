import assert from 'node:assert/strict';
import type { TestResponse, TestRequest, TestServer } from './server.ts';

/** A request and its expected response. `body` is compared as a whole; `has` contains only some of the members. */
export interface Scenario extends TestRequest {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly has?: object;
  /** Expected response headers; null for a header that must be absent. */
  readonly responseHeaders?: Readonly<Record<string, string | RegExp | null>>;
  /** Texts that must not appear anywhere in the response. */
  readonly absent?: readonly string[];
}

/** Maximum length of a path in a title. */
const MAX_PATH = 120;

/** Declares one test per scenario, for the server that `server()` returns. The name of a scenario explains its response. */
export function scenarios(server: () => TestServer, table: readonly Scenario[]): void {
  for (const row of table) {
    const method = row.method ?? 'GET';
    const path = row.path.length > MAX_PATH ? `${row.path.slice(0, MAX_PATH)}…` : row.path;
    it(`${method} ${path} responds with ${row.status}: ${row.name}`, async () => {
      const response = await server().request(method, row.path, row);
      checkScenario(response, row);
    });
  }
}

export function checkScenario(response: TestResponse, row: Scenario): void {
  assert.equal(response.status, row.status, response.text);
  if ('body' in row) assert.deepEqual(response.text === '' ? undefined : response.json(), row.body);
  if (row.has !== undefined) assert.partialDeepStrictEqual(response.json(), row.has);
  for (const [name, wanted] of Object.entries(row.responseHeaders ?? {})) {
    const found = response.headers.get(name);
    if (wanted instanceof RegExp) assert.match(found ?? '', wanted, name);
    else assert.equal(found, wanted, name);
  }
  const everything = `${response.text}\n${[...response.headers].join('\n')}`;
  for (const text of row.absent ?? []) assert.ok(!everything.includes(text), `the response contains ${JSON.stringify(text)}`);
}
