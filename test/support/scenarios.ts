import assert from 'node:assert/strict';
import type { TestAnswer, TestRequest, TestServer } from './server.ts';

/** One request with what must come back. `body` is compared whole; `has` needs only these members. */
export interface Scenario extends TestRequest {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly has?: object;
  readonly answers?: Readonly<Record<string, string | RegExp | null>>;
  /** Texts that must not be anywhere in the answer. */
  readonly absent?: readonly string[];
}

/** Declares one mocha test per scenario, against the server that `server()` gives. */
export function scenarios(server: () => TestServer, table: readonly Scenario[]): void {
  for (const row of table) {
    it(row.name, async () => {
      const answer = await server().request(row.method ?? 'GET', row.path, row);
      checkScenario(answer, row);
    });
  }
}

export function checkScenario(answer: TestAnswer, row: Scenario): void {
  assert.equal(answer.status, row.status, answer.text);
  if ('body' in row) assert.deepEqual(answer.text === '' ? undefined : answer.json(), row.body);
  if (row.has !== undefined) assert.partialDeepStrictEqual(answer.json(), row.has);
  for (const [name, wanted] of Object.entries(row.answers ?? {})) {
    const found = answer.headers.get(name);
    if (wanted instanceof RegExp) assert.match(found ?? '', wanted, name);
    else assert.equal(found, wanted, name);
  }
  const everything = `${answer.text}\n${[...answer.headers].join('\n')}`;
  for (const text of row.absent ?? []) assert.ok(!everything.includes(text), `the answer holds ${JSON.stringify(text)}`);
}
