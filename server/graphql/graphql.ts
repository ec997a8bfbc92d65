import { createHash } from 'node:crypto';
import {
  buildASTSchema,
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  isObjectType,
  lexicographicSortSchema,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { createHandler, type OperationContext, type Request } from 'graphql-http';
import { deprecationFinder, type MemberRules, membersOf } from './members.ts';
import { type Allowance, excessOf, countSelections, limits, measure } from './limits.ts';

// The only file that imports the GraphQL libraries. The build creates a separate bundle of it that is loaded with the first query. It must not
// import other modules with state or classes, because they would exist twice.

export interface Endpoint<Context> {
  response(query: SentQuery<Context>): Promise<EndpointResponse>;
  /** Returns the sorted schema as text. */
  readonly sdl: () => string;
  /** Returns the number of cached documents. */
  readonly stored: () => number;
}

export interface SentQuery<Context> {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly context: Context;
  readonly allowed: Allowance;
  /** True if the token of the caller allows mutations. */
  readonly mayMutate: boolean;
}

export interface EndpointResponse {
  readonly status: number;
  /** Content type with charset; undefined if there is no body. */
  readonly type: string | undefined;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** True if the request was an executed query that changes nothing. */
  readonly isRead: boolean;
  /** Ids of the deprecations of the members that the query names. */
  readonly deprecations: readonly string[];
}

export interface EndpointParts {
  readonly sdl: readonly string[];
  /** Fields of `Query`. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Fields of `Mutation`. */
  readonly mutation: Readonly<Record<string, unknown>>;
  readonly members: MemberRules;
  /** Returns the message of a field error for the caller, or undefined for an internal error. */
  readonly messageOf: (error: unknown) => string | undefined;
  /** Called for internal errors. */
  readonly report: (error: unknown) => void;
}

/** Text of GitLab for a change that the caller may not make. */
const NOT_PERMITTED =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

const refusal = (text: string): GraphQLError[] => [new GraphQLError(text)];

export function createEndpoint<Context extends OperationContext>({
  sdl,
  query,
  mutation,
  members,
  messageOf,
  report,
}: EndpointParts): Endpoint<Context> {
  const written = parse(sdl.join('\n'));
  const schema = buildASTSchema(membersOf(written, members));
  const deprecationsIn = deprecationFinder(written);
  const isList = connectionsOf(schema);
  const documents = new Map<string, DocumentNode>();
  /** Requests whose query was executed and changes nothing. */
  const reads = new WeakSet<SentQuery<Context>>();

  /** Returns a valid document or its errors. Valid documents are cached, the most recently used one last. */
  const documentOf = (query: string): DocumentNode | readonly GraphQLError[] => {
    const key = createHash('sha256').update(query).digest('base64');
    const known = documents.get(key);
    documents.delete(key);
    const document = known ?? readDocument(schema, query);
    if (!isDocument(document)) return document;
    documents.set(key, document);
    for (const oldest of documents.keys()) {
      if (documents.size <= limits.documents) break;
      documents.delete(oldest);
    }
    return document;
  };

  const handle = createHandler<SentQuery<Context>, undefined, Context>({
    onSubscribe: (request, { query: text, operationName, variables }) => {
      if (text.length > limits.longest) return refused(422, 'Query too large');
      const document = documentOf(text);
      if (!isDocument(document)) return document;
      const operation = getOperationAST(document, operationName);
      if (!operation)
        return refusal(operationName ? `No operation named "${shortened(operationName)}"` : 'An operation name is required');
      const excess = excessOf(measure(document, operation, variables ?? {}, isList), request.raw.allowed);
      if (excess !== undefined) return refusal(excess);
      const isMutation = operation.operation === 'mutation';
      if (isMutation && !request.raw.mayMutate) return refusal(NOT_PERMITTED);
      if (!isMutation) reads.add(request.raw);
      return {
        schema,
        document,
        operationName,
        variableValues: variables,
        rootValue: isMutation ? mutation : query,
        contextValue: request.raw.context,
      };
    },
    formatError: (error) => {
      if (!(error instanceof GraphQLError)) return error;
      const { originalError } = error;
      if (originalError === undefined || originalError instanceof GraphQLError) return error;
      const text = messageOf(originalError);
      if (text === undefined) report(originalError);
      const { nodes, source, positions, path } = error;
      return new GraphQLError(text ?? 'Internal server error', { nodes, source, positions, path });
    },
  });

  return {
    response: async (sent) => {
      const request: Request<SentQuery<Context>, undefined> = {
        method: 'POST',
        url: '/api/graphql',
        headers: { get: (name) => sent.headers[name.toLowerCase()] ?? null },
        body: sent.body,
        raw: sent,
        context: undefined,
      };
      const [body, { status, headers = {} }] = await handle(request);
      const { 'content-type': type, ...others } = headers;
      return {
        status,
        type,
        body: body ?? undefined,
        headers: others,
        isRead: reads.has(sent),
        deprecations: deprecationsIn(sent.body),
      };
    },
    sdl: () => printSchema(lexicographicSortSchema(schema)),
    stored: () => documents.size,
  };
}

function isDocument(read: DocumentNode | readonly GraphQLError[]): read is DocumentNode {
  return 'kind' in read;
}

function readDocument(schema: GraphQLSchema, query: string): DocumentNode | readonly GraphQLError[] {
  let document: DocumentNode;
  let size: number;
  try {
    document = parse(query, { maxTokens: limits.tokens });
    size = countSelections(document);
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    if (error instanceof RangeError) return refusal('Query is nested too deep');
    throw error;
  }
  if (size > limits.selections) return refusal(`Query selects more than ${limits.selections} fields`);
  const validationErrors = validate(schema, document, undefined, { maxErrors: 20 });
  return validationErrors.length > 0 ? validationErrors : document;
}

/** Returns a function that checks by name if a field is a connection. */
function connectionsOf(schema: GraphQLSchema): (name: string) => boolean {
  const names = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (String(field.type).replace('!', '').endsWith('Connection')) names.add(field.name);
    }
  }
  return (name) => names.has(name);
}

function refused(
  status: number,
  text: string,
): [string, { status: number; statusText: string; headers: Record<string, string> }] {
  return [
    JSON.stringify({ errors: [{ message: text }] }),
    { status, statusText: '', headers: { 'content-type': 'application/json; charset=utf-8' } },
  ];
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
