import {
  buildSchema,
  type DocumentNode,
  execute,
  type ExecutionResult,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { errorTrackingSdl } from '../../../server/features/errorTracking/api/sentryErrorSchema.ts';
import { sharedSdl } from '../../../server/graphql/parts.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { isJsonObject } from '../../../src/contract/json.ts';

/**
 * Members of both types of errors, as the integrated backend of GitLab returns them: it leaves the first four empty although they are not
 * nullable, and counts no users (docs/interface.md#graphql).
 */
const common = {
  ...{ type: null, shortId: null, sentryProjectName: null, sentryProjectSlug: null },
  ...{ sentryId: '7', sentryProjectId: '12', title: 'E: boom', message: 'boom', culprit: 'greet', count: 4, userCount: 0 },
  ...{ status: 'UNRESOLVED', firstSeen: '2026-03-01T00:00:00Z', lastSeen: '2026-03-04T00:00:00Z' },
  frequency: [{ time: '2026-03-04T00:00:00Z', count: 4 }],
  externalUrl: 'https://platform.example/group/lamps/-/error_tracking/7/details',
};

/** An error of a list with all fields. */
const listedError = { ...common, id: 'gid://gitlab/Gitlab::ErrorTracking::Error/7' };

/** A single error with all fields. */
export const detailedError = {
  ...common,
  id: 'gid://gitlab/Gitlab::ErrorTracking::DetailedError/7',
  externalBaseUrl: 'https://platform.example/group/lamps',
  ...{ firstReleaseVersion: null, firstReleaseShortVersion: null, firstReleaseLastCommit: null },
  ...{ lastReleaseVersion: '1.1', lastReleaseShortVersion: '1.1', lastReleaseLastCommit: null },
  ...{ gitlabCommit: null, gitlabCommitPath: null, gitlabIssuePath: null, integrated: true },
  tags: { level: null, logger: null },
};

/** The stack of an error with all fields: the caller first, and no columns. */
export const stackTrace = {
  issueId: '7',
  dateReceived: '2026-03-04T00:00:01Z',
  stackTraceEntries: [
    { fileName: 'main.js', function: 'main', line: '1', col: '0', traceContext: [] },
    { fileName: 'greet.js', function: null, line: '3', col: '0', traceContext: [{ line: 3, code: 'x.trim()' }] },
  ],
};

const page = {
  nodes: [listedError],
  edges: [{ cursor: '2', node: listedError }],
  pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: '2' },
};

/** The errors of a project with all fields. */
export const sentryErrors = { errors: page, detailedError, errorStackTrace: stackTrace, externalUrl: null };

/** The types of GitLab, without the rest of its schema. */
const schema: GraphQLSchema = buildSchema(`${sharedSdl}
  type Query { project(fullPath: ID!): Project }
  type Project { id: ID! }
${errorTrackingSdl}`);

/** Responds to a query as an instance of GitLab with these errors. */
export async function respond(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<ExecutionResult> {
  const document: DocumentNode = parse(query);
  const invalid = validate(schema, document);
  if (invalid.length > 0) return { errors: invalid };
  return execute({ schema, document, variableValues: variables, rootValue: { project: { id: '1', sentryErrors } } });
}

/** Returns where the members of `value` are not the fields of the GraphQL type `name`: the paths of missing and of additional ones. */
export function differencesFrom(name: string, value: unknown): readonly string[] {
  const type = schema.getType(name);
  if (Array.isArray(value)) return value.flatMap((one: unknown) => differencesFrom(name, one));
  if (!isObjectType(type) || !isJsonObject(value)) return [];
  const fields = namesOfTypes(type);
  return [
    ...Object.keys(value).filter((member) => !fields.has(member)),
    ...[...fields.keys()].filter((field) => !(field in value)),
  ]
    .map((member) => `${name}.${member}`)
    .concat([...fields].flatMap(([field, of]) => differencesFrom(of, value[field])));
}

/** Returns the names of the types of fields, without `!` and lists. */
function namesOfTypes(type: GraphQLObjectType): ReadonlyMap<string, string> {
  return new Map(Object.values(type.getFields()).map((field) => [field.name, String(field.type).replaceAll(/[[\]!]/g, '')]));
}

/** Returns a client of that instance, and the errors that GraphQL has responded with. */
export function clientOfGitlab(): { readonly client: Client; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const client = createClient({
    baseUrl: 'https://platform.example',
    send: async ({ url, body }) => {
      if (!url.endsWith('/api/graphql')) return { status: 404, headers: new Map(), body: '{"error":"404 Not Found"}' };
      const sent: unknown = JSON.parse(String(body));
      if (!isJsonObject(sent) || typeof sent.query !== 'string') throw new Error(`no query: ${body}`);
      const result = await respond(sent.query, isJsonObject(sent.variables) ? sent.variables : {});
      failures.push(...(result.errors ?? []).map(({ message }) => message));
      return { status: 200, headers: new Map(), body: JSON.stringify(result) };
    },
    credentials: { token: async () => 'token', renewed: async () => undefined },
    now: Date.now,
    sleep: async () => undefined,
  });
  return { client, failures };
}
