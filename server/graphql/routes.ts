import type { GitCore } from '../repositories/repositories.ts';
import type { TrackingCore } from '../features/errorTracking/trackingCore.ts';
import type { OAuthCore } from '../features/oauth/oauthCore.ts';
import * as z from 'zod';
import { deprecationOf, isDeprecationId, stateIn } from '../../src/contract/deprecations.ts';
import { compareReleases, type Release } from '../../src/contract/releases.ts';
import { issuesGraphql, issuesOf } from '../features/issues/graphql.ts';
import { integrationsFieldsOf, integrationsGraphql } from '../features/integrations/graphql.ts';
import { requirementFieldsOf, requirementsGraphql } from '../features/requirements/graphql.ts';
import { secretPushProtectionGraphql } from '../features/secretPushProtection/graphql.ts';
import { todosGraphql, todosOf } from '../features/todos/graphql.ts';
import { mergeRequestsGraphql } from '../features/mergeRequests/graphql.ts';
import { errorTrackingGraphql, sentryErrorsOf } from '../features/errorTracking/errorTracking.ts';
import { noteActor } from '../core/actor.ts';
import { dependencyProxyGraphql, dependencyProxyOf } from '../features/dependencyProxy/graphql.ts';
import { policiesOfNamespace, policiesOfProject, securityPoliciesGraphql } from '../features/securityPolicies/graphql.ts';
import { groupsGraphql, type GroupsPart } from '../features/groups/graphql.ts';
import { named } from '../http/responses.ts';
import { findCredential } from '../http/credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../http/requestContext.ts';
import { DATABASE_DAMAGED, STORAGE_FULL, STORAGE_UNWRITABLE, type WireFailure } from '../http/failures.ts';
import { parseForm } from '../http/input.ts';
import { declare, required, string } from '../http/params.ts';
import type { Route } from '../http/route.ts';
import { type Caller, ownScopesOf } from '../core/caller.ts';
import { authenticate } from '../features/identity/identity.ts';
import { identityGraphql } from '../features/identity/graphql.ts';
import { pipelinesGraphql } from '../features/pipelines/graphql.ts';
import type { Core } from '../core/core.ts';
import { pipelineSchedulesOf, pipelineSchedulesSdl } from '../features/pipelineSchedules/graphql.ts';
import { jobTokenFieldsOf, jobTokensGraphql } from '../features/jobTokens/graphql.ts';
import { runnersGraphql } from '../features/runners/graphql.ts';
import { projectsGraphql, type ProjectsPart } from '../features/projects/graphql.ts';
import { containerRepositoriesOf, registryGraphql } from '../features/registry/graphql.ts';
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

const base: GraphqlPart = {
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

/** Returns the parts of the schema of all features. */
export function graphqlParts(core: GitCore & TrackingCore): readonly GraphqlPart[] {
  const projects: ProjectsPart = projectsGraphql(core, [
    sentryErrorsOf(core),
    issuesOf(core),
    requirementFieldsOf(core),
    integrationsFieldsOf(core),
    containerRepositoriesOf(core),
    jobTokenFieldsOf(core, () => projects),
    policiesOfProject(core, () => ({ projects, groups })),
    pipelineSchedulesOf(core),
  ]);
  const groups: GroupsPart = groupsGraphql(core, projects, {
    group: [dependencyProxyOf(core)],
    namespace: [policiesOfNamespace(core, () => ({ projects, groups }))],
  });
  return [
    base,
    identityGraphql([todosOf(core, projects.present)]),
    projects,
    groups,
    securityPoliciesGraphql(core),
    dependencyProxyGraphql(core),
    registryGraphql(core),
    pipelinesGraphql(core, projects),
    errorTrackingGraphql,
    issuesGraphql,
    jobTokensGraphql(core, projects),
    { sdl: pipelineSchedulesSdl, query: {} },
    runnersGraphql(core),
    mergeRequestsGraphql,
    integrationsGraphql,
    requirementsGraphql(core),
    secretPushProtectionGraphql(core),
    todosGraphql,
  ];
}

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

/** Creates the endpoint for queries. The GraphQL libraries are loaded with the first query. */
export function graphqlRoutes(core: GitCore & OAuthCore & TrackingCore): Route[] {
  let loading: Promise<Endpoint<QueryRequest>> | undefined;
  const load = async (): Promise<Endpoint<QueryRequest>> => {
    const { createEndpoint } = await import('./graphql.ts');
    const parts = graphqlParts(core);
    return createEndpoint<QueryRequest>({
      sdl: parts.map(({ sdl }) => sdl),
      query: Object.fromEntries(parts.flatMap(({ query }) => Object.entries(query))),
      mutation: Object.fromEntries(parts.flatMap(({ mutation = {} }) => Object.entries(mutation))),
      members: memberRules(core),
      messageOf,
      report: (error) => core.log.error('a GraphQL field failed', error),
    });
  };

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
      schema: () =>
        z.object({
          query: required(string),
          variables: declare(z.unknown(), { kind: 'opaque', required: false }),
          operationName: string(),
        }),
      body: response,
      handle: async (context) => {
        const caller = callerOf(core, context);
        const body = await context.body(MAX_BODY);
        const endpoint = await (loading ??= load());
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
      },
    },
  ];
}

/** Returns true if the scopes of a token allow changes. Sessions of the pages do not reach this endpoint. */
function mayMutate(caller: Caller | undefined): boolean {
  return caller !== undefined && caller.credential.kind !== 'session' && caller.credential.scopes.includes('api');
}

function allowanceOf(caller: Caller | undefined): { readonly depth: number; readonly complexity: number } {
  const kind = caller === undefined ? 'anonymous' : 'signedIn';
  return { depth: limits.depth[kind], complexity: limits.complexity[caller?.user.admin === 1 ? 'administrator' : kind] };
}

/** Authenticates by token only. Cookies are ignored, so that other sites cannot send queries on behalf of a user. */
function callerOf(core: OAuthCore, context: RequestContext): Caller | undefined {
  const credential = findCredential(context.headers, parseForm(context.query));
  if (credential === undefined) return undefined;
  const caller = authenticate(core, credential, { scopes: SCOPES, said: ['api', 'read_api'] }, context);
  context.noteUser(caller.user.username);
  noteActor(caller.user.id);
  context.noteToken(caller.user.id, ownScopesOf(caller));
  if (caller.credential.kind === 'oauth') {
    context.noteApplication(caller.credential.tokenId);
    core.flows.recordUse(caller.credential.tokenId, context.method, context.path, context.now);
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
export function graphqlRefusal(failure: WireFailure): HttpResponse {
  const { status, rule, headers } = failure;
  if (status === 401 || rule === 'scope') return refusalResponse(401, 'Invalid token', headers);
  if (status === 403) return refusalResponse(403, 'API not accessible for user', headers);
  if (rule === STORAGE_FULL) return refusalResponse(status, 'The disk of this server is full', headers);
  if (rule === DATABASE_DAMAGED) return refusalResponse(status, 'The database of this server is damaged', headers);
  if (rule === STORAGE_UNWRITABLE) return refusalResponse(status, 'This server cannot write to its disk', headers);
  if (status === 503) return refusalResponse(status, '503 Service Unavailable', headers);
  if (status >= 500) return refusalResponse(status, 'Internal server error');
  return refusalResponse(status, `${status} ${phrases[status] ?? failure.reason}`, headers);
}

function refusalIn(body: string | undefined, status: number): string {
  if (body === undefined) return phrases[status] ?? String(status);
  return body.slice(0, 500);
}
