// Validates every response of a test server against the schema of its route.
import assert from 'node:assert/strict';
import * as z from 'zod';
import { eventStream, mediaTypesOf, type ResponseSchema } from '../../server/http/responses.ts';
import type { HttpResponse } from '../../server/http/requestContext.ts';
import { restFailure } from '../../server/http/failures.ts';
import { isRefusal } from '../../server/http/wireFailure.ts';
import { isDescribed, type Route } from '../../server/http/route.ts';

/** Error bodies of the two API families and of OAuth (docs/interface.md#rest-errors). */
const fieldErrors = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const refusal = z.union([
  z.strictObject({ message: z.union([z.string(), z.array(z.string()), fieldErrors]) }),
  z.strictObject({ error: z.string() }),
  // Error body of the Sentry ingestion endpoints.
  z.strictObject({ message: z.string(), detail: z.string(), causes: z.array(z.never()) }),
  // Error body of GraphQL.
  z.strictObject({ errors: z.array(z.strictObject({ message: z.string(), locations: z.array(z.unknown()).optional() })) }),
  // Error body of the container registry.
  z.strictObject({ errors: z.array(z.strictObject({ code: z.string(), message: z.string(), detail: z.null() })) }),
  z.strictObject({ error: z.string(), error_description: z.string() }),
  z.strictObject({ error: z.literal('insufficient_scope'), error_description: z.string(), scope: z.string() }),
]);

export interface ResponseValidator {
  /** Returns a route with validated responses. One without a schema is returned unchanged. */
  validated(route: Route): Route;
  /** Throws if any response did not match its schema. */
  assertAllValid(): void;
}

export function createResponseValidator(): ResponseValidator {
  const invalid = new Set<string>();
  const read = (route: Route, response: HttpResponse): void => {
    const problem = problemOf(route, response);
    if (problem !== undefined) invalid.add(`${route.method} ${route.path} returned ${response.status}: ${problem}`);
  };
  return {
    validated: (route) => (isDescribed(route) ? { ...route, handle: (context) => handled(route, context, read) } : route),
    assertAllValid: () => assert.deepEqual([...invalid], [], 'responses do not match the schema of their route'),
  };
}

async function handled(
  route: Route,
  context: Parameters<Route['handle']>[0],
  read: (route: Route, response: HttpResponse) => void,
): Promise<HttpResponse> {
  try {
    const response = await route.handle(context);
    read(route, response);
    return response;
  } catch (error) {
    const failure = isRefusal(error) ? restFailure(error) : undefined;
    if (failure?.body !== undefined) {
      read(route, { status: failure.status, type: 'application/json', body: JSON.stringify(failure.body) });
    }
    throw error;
  }
}

/** Returns true for the schema of a body that is no JSON. */
export function isRaw(body: ResponseSchema | undefined): boolean {
  return body !== undefined && mediaTypesOf(body) !== undefined;
}

function problemOf(route: Route, { status, type = '', body, stream }: HttpResponse): string | undefined {
  // Redirects have a plain text body.
  if (status >= 300 && status < 400) return undefined;
  if (status >= 400) return problem(refusal, body);
  if (route.also?.successStatus === status) return problem(route.also.body(), body);
  if (status !== route.successStatus) return `${route.successStatus} is what a success answers`;
  if (route.body === eventStream) return stream === undefined ? 'it is no stream' : undefined;
  if (isRaw(route.body)) return Buffer.isBuffer(body) || stream !== undefined ? undefined : 'it is not the content of a file';
  if (route.body === undefined) return body === undefined ? undefined : 'the row has no schema';
  return /^application\/(?:graphql-response\+)?json/.test(type) ? problem(route.body(), body) : `${type} is no JSON`;
}

function problem(schema: z.ZodType, body: HttpResponse['body']): string | undefined {
  const text = body?.toString() ?? 'null';
  const result = schema.safeParse(JSON.parse(text));
  return result.success ? undefined : `${z.prettifyError(result.error)} in ${text.slice(0, 500)}`;
}
