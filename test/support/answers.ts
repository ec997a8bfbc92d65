// Reads every answer of a test's server with the schema of its row.
import assert from 'node:assert/strict';
import * as z from 'zod';
import { content, eventStream } from '../../server/http/answers.ts';
import type { Answer } from '../../server/http/exchange.ts';
import { WireFailure } from '../../server/http/failures.ts';
import type { Route } from '../../server/http/route.ts';

/** What the two families of refusals look like, and those of OAuth (docs/interface.md#rest-errors). */
const fieldErrors = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const refusal = z.union([
  z.strictObject({ message: z.union([z.string(), z.array(z.string()), fieldErrors]) }),
  z.strictObject({ error: z.string() }),
  // Of where SDKs send errors.
  z.strictObject({ message: z.string(), detail: z.string(), causes: z.array(z.never()) }),
  // Of GraphQL.
  z.strictObject({ errors: z.array(z.strictObject({ message: z.string(), locations: z.array(z.unknown()).optional() })) }),
  // Of the container registry.
  z.strictObject({ errors: z.array(z.strictObject({ code: z.string(), message: z.string(), detail: z.null() })) }),
  z.strictObject({ error: z.string(), error_description: z.string() }),
  z.strictObject({ error: z.literal('insufficient_scope'), error_description: z.string(), scope: z.string() }),
]);

export interface Reader {
  /** The rows, read along with. */
  readonly rows: readonly Route[];
  /** Throws what did not fit. */
  refuseUnfit(): void;
}

/** Wraps the rows of programs; pages have no schema. */
export function readAnswers(rows: readonly Route[]): Reader {
  const unfit = new Set<string>();
  const read = (row: Route, answer: Answer): void => {
    const complaint = complaintOf(row, answer);
    if (complaint !== undefined) unfit.add(`${row.method} ${row.path} answered ${answer.status}: ${complaint}`);
  };
  return {
    rows: rows.map((row) => (row.area === 'page' ? row : { ...row, handle: (exchange) => handled(row, exchange, read) })),
    refuseUnfit: () => assert.deepEqual([...unfit], [], 'answers do not fit the schema of their row'),
  };
}

async function handled(
  row: Route,
  exchange: Parameters<Route['handle']>[0],
  read: (row: Route, answer: Answer) => void,
): Promise<Answer> {
  try {
    const answer = await row.handle(exchange);
    read(row, answer);
    return answer;
  } catch (error) {
    if (error instanceof WireFailure && error.body !== undefined) {
      read(row, { status: error.status, type: 'application/json', body: JSON.stringify(error.body) });
    }
    throw error;
  }
}

function complaintOf(row: Route, { status, type = '', body, stream }: Answer): string | undefined {
  // A moved resource is told in plain text.
  if (status >= 300 && status < 400) return undefined;
  if (status >= 400) return complaint(refusal, body);
  if (row.also?.answer === status) return complaint(row.also.body(), body);
  if (status !== row.answer) return `${row.answer} is what a success answers`;
  if (row.body === eventStream) return stream === undefined ? 'it is no stream' : undefined;
  if (row.body === content) return Buffer.isBuffer(body) ? undefined : 'it is not the content of a file';
  if (row.body === undefined) return body === undefined ? undefined : 'the row has no schema';
  return /^application\/(?:graphql-response\+)?json/.test(type) ? complaint(row.body(), body) : `${type} is no JSON`;
}

function complaint(schema: z.ZodType, body: Answer['body']): string | undefined {
  const text = body?.toString() ?? 'null';
  const result = schema.safeParse(JSON.parse(text));
  return result.success ? undefined : `${z.prettifyError(result.error)} in ${text.slice(0, 500)}`;
}
