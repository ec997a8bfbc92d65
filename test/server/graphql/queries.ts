import * as z from 'zod';
import type { TestResponse, TestServer } from '../../support/server.ts';

const result = z.object({ data: z.unknown().optional(), errors: z.array(z.object({ message: z.string() })).optional() });

export interface QueryResult {
  readonly status: number;
  readonly data: unknown;
  /** Message of each error. */
  readonly errors: readonly string[];
}

/** Sends a query and parses the response. */
export async function ask(
  server: TestServer,
  token: string | undefined,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): Promise<QueryResult> {
  const response: TestResponse = await server.request('POST', '/api/graphql', {
    json: { query, ...(variables === undefined ? {} : { variables }) },
    ...(token === undefined ? {} : { token }),
  });
  const { data, errors = [] } = result.parse(response.json());
  return { status: response.status, data, errors: errors.map(({ message }) => message) };
}

/** Returns the value at a path of members in a response. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => Object.entries(Object(inner)).find(([key]) => key === String(name))?.[1], value);
}
