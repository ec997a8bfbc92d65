import * as z from 'zod';
import { deprecationOf, isDeprecationId, stateIn } from '../../src/contract/deprecations.ts';
import { compareReleases, type Release } from '../../src/contract/releases.ts';
import { noteActor } from '../core/actor.ts';
import { named } from '../http/responses.ts';
import { findCredential } from '../http/credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../http/requestContext.ts';
import { InsufficientScope, StorageFailed } from '../core/errors.ts';
import { headersOf, statusOf } from '../http/refusalStatus.ts';
import type { Refusal } from '../http/wireFailure.ts';
import { parseForm } from '../http/input.ts';
import { declare, required, string } from '../http/params.ts';
import type { Route } from '../http/route.ts';
import { type Caller, ownScopesOf } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import { lazy } from '../support/lazy.ts';
import type { Endpoint } from './graphql.ts';
import { limits } from './limits.ts';
import type { MemberRules } from './members.ts';
import {
  type GraphqlPart,
  inputArgument,
  messageOf,
  QueryRefusal,
  type QueryRequest,
  sharedSdl,
  textsArgument,
} from './parts.ts';

const SCOPES = ['api', 'read_api', 'read'];
/** Maximum size of a body, in bytes: a query of maximum length with its variables. */
const MAX_BODY = 262_144;

/** Response to a query. The shape of `data` depends on the query. */
const response = named('GraphqlAnswer', () =>
  z.strictObject({
    data: z.record(z.string(), z.unknown()).nullable().optional(),
    errors: z
      .array(
        z.strictObject({
          message: z.string(),
          locations: z.array(z.strictObject({ line: z.int().positive(), column: z.int().positive() })).optional(),
          path: z.array(z.union([z.string(), z.int().nonnegative()])).optional(),
        }),
      )
      .optional(),
  }),
);

/** Members of the schema that belong to no feature. */
export const base: GraphqlPart = {
  sdl: /* GraphQL */ `${sharedSdl}
  type Query

  type Mutation {
    "A mutation that does not perform any actions. Use it to test a client."
    echoCreate(input: EchoCreateInput!): EchoCreatePayload
  }

  input EchoCreateInput {
    clientMutationId: String
    "Errors to return to the user."
    errors: [String!]
    "Messages to return to the user."
    messages: [String!]
  }

  type EchoCreatePayload {
    clientMutationId: String
    "Messages returned to the user."
    echoes: [String!]
    errors: [String!]!
  }
`,
  query: {},
  mutation: {
    echoCreate: ({ input }) => {
      const { clientMutationId, errors, messages } = inputArgument(input);
      return { clientMutationId, echoes: textsArgument(messages), errors: textsArgument(errors) ?? [] };
    },
  },
};

/** Returns which members of the schema the emulated release has. */
function memberRules({ profile }: Core): MemberRules {
  return {
    deprecation: (id) => {
      if (!isDeprecationId(id)) throw new Error(`no deprecation has the ID ${id}`);
      const { announcedIn, replacement } = deprecationOf(id);
      return { state: stateIn(id, profile.release), reason: `${replacement}. Deprecated in GitLab ${announcedIn}.` };
    },
    isSince: (release) => isRelease(release) && compareReleases(profile.release, release) >= 0,
  };
}

function isRelease(text: string): text is Release {
  return /^\d+\.\d+$/.test(text);
}

const queryParameters = () => ({
  query: required(string),
  variables: declare(z.unknown(), { kind: 'opaque', required: false }),
  operationName: string(),
});

/** Creates the endpoint for queries. The GraphQL libraries are loaded with the first query. */
export function graphqlRoutes(core: Core, partsOf: () => readonly GraphqlPart[]): Route[] {
  const endpoint = lazy(() => loadEndpoint(core, partsOf()));
  return [
    {
      area: 'graphql',
      method: 'POST',
      path: '/api/graphql',
      specRef: 'GraphQL',
      status: 'inferred',
      scopes: ['api', 'read_api'],
      role: 'anyone',
      successStatus: 200,
      schema: () => z.object(queryParameters()),
      body: response,
      handle: (context) => runQuery(endpoint, context),
    },
  ];
}

async function loadEndpoint(core: Core, ofFeatures: readonly GraphqlPart[]): Promise<Endpoint<QueryRequest>> {
  const { createEndpoint } = await import('./graphql.ts');
  const parts = [base, ...ofFeatures];
  return createEndpoint<QueryRequest>({
    sdl: parts.map(({ sdl }) => sdl),
    query: Object.fromEntries(parts.flatMap(({ query }) => Object.entries(query))),
    mutation: Object.fromEntries(parts.flatMap(({ mutation = {} }) => Object.entries(mutation))),
    members: memberRules(core),
    messageOf,
    report: (error) => core.log.error('a GraphQL field failed', error),
  });
}

async function runQuery(endpointOf: () => Promise<Endpoint<QueryRequest>>, context: RequestContext): Promise<HttpResponse> {
  const caller = callerOf(context);
  const body = await context.body(MAX_BODY);
  const endpoint = await endpointOf();
  const sent = await endpoint.response({
    headers: { accept: context.headers.accept, 'content-type': context.headers['content-type'] },
    body: body.toString('utf8'),
    context: {
      caller,
      baseUrl: context.baseUrl,
      now: context.now,
      spend: createCallCounter(),
      noteDeprecated: (id) => context.noteDeprecated(id),
    },
    allowed: allowanceOf(caller),
    mayMutate: mayMutate(caller),
  });
  for (const id of sent.deprecations) if (isDeprecationId(id)) context.noteDeprecated(id);
  if (sent.isRead) context.noteQuery(body.toString('utf8'));
  if (sent.status >= 400) context.noteRefusal('graphql.request', refusalIn(sent.body, sent.status));
  if (sent.body === undefined)
    return refusalResponse(sent.status, `${sent.status} ${phrases[sent.status] ?? 'Refused'}`, sent.headers);
  return { status: sent.status, type: sent.type ?? 'application/json', body: sent.body, headers: sent.headers };
}

/** Returns true if the scopes of a token allow changes. The session of a browser, which a page can use, has all rights of its user. */
function mayMutate(caller: Caller | undefined): boolean {
  return caller !== undefined && (caller.credential.kind === 'session' || caller.credential.scopes.includes('api'));
}

function allowanceOf(caller: Caller | undefined): { readonly depth: number; readonly complexity: number } {
  const kind = caller === undefined ? 'anonymous' : 'signedIn';
  return { depth: limits.depth[kind], complexity: limits.complexity[caller?.user.admin === 1 ? 'administrator' : kind] };
}

/** Authenticates by token only. Cookies are ignored, so that other sites cannot send queries on behalf of a user. */
function callerOf(context: RequestContext): Caller | undefined {
  const credential = findCredential(context.headers, parseForm(context.query));
  if (credential === undefined) return undefined;
  const caller = context.authentication.authenticate(credential, { scopes: SCOPES, said: ['api', 'read_api'] }, context);
  context.noteUser(caller.user.username);
  noteActor(caller.user.id);
  context.noteToken(caller.user.id, ownScopesOf(caller));
  if (caller.credential.kind === 'oauth') {
    context.noteApplication(caller.credential.tokenId);
    context.authentication.recordUse(caller.credential.tokenId, context);
  }
  return caller;
}

function createCallCounter(): QueryRequest['spend'] {
  const counts = new Map<string, number>();
  return (field, most) => {
    const calls = (counts.get(field) ?? 0) + 1;
    counts.set(field, calls);
    if (calls > most) throw new QueryRefusal(`"${field}" can be asked for ${most} times in one request`);
  };
}

const phrases: Readonly<Record<number, string>> = {
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  413: 'Request Entity Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
};

function refusalResponse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return jsonResponse(status, { errors: [{ message }] }, headers);
}

/** Returns the response to an error outside of a query. Every token error is reported as an invalid token, as on GitLab. */
export function graphqlRefusal(refusal: Refusal): HttpResponse {
  const status = statusOf(refusal);
  const headers = headersOf(refusal);
  if (status === 401 || refusal instanceof InsufficientScope) return refusalResponse(401, 'Invalid token', headers);
  if (status === 403) return refusalResponse(403, 'API not accessible for user', headers);
  if (refusal instanceof StorageFailed) return refusalResponse(status, storageTexts[refusal.kind], headers);
  if (status === 503) return refusalResponse(status, '503 Service Unavailable', headers);
  if (status >= 500) return refusalResponse(status, 'Internal server error');
  return refusalResponse(status, `${status} ${phrases[status] ?? refusal.reason}`, headers);
}

const storageTexts: Readonly<Record<StorageFailed['kind'], string>> = {
  full: 'The disk of this server is full',
  unwritable: 'This server cannot write to its disk',
  damaged: 'The database of this server is damaged',
};

function refusalIn(body: string | undefined, status: number): string {
  if (body === undefined) return phrases[status] ?? String(status);
  return body.slice(0, 500);
}
