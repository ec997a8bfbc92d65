import type { DeprecationId } from '../../src/contract/deprecations.ts';
import { isJsonObject } from '../../src/contract/json.ts';
import { statusOf } from '../http/refusalStatus.ts';
import { isRefusal } from '../http/wireFailure.ts';
import type { Caller } from '../core/caller.ts';

/**
 * Part of the GraphQL schema that belongs to a feature. Types are written as SDL. Values are plain objects whose members are the fields; a
 * member that is a function is called with the arguments of the field. No part imports the GraphQL library, which is loaded with the first
 * query.
 */
export interface GraphqlPart {
  readonly sdl: string;
  /** Fields of `Query`. */
  readonly query: Readonly<Record<string, Field>>;
  /** Fields of `Mutation`. Called only with tokens whose scopes allow changes. */
  readonly mutation?: Readonly<Record<string, Field>>;
}

/** Parsed arguments. An omitted one is undefined or has its default. */
export type Arguments = Readonly<Record<string, unknown>>;

export type Field = (args: Arguments, request: QueryRequest) => unknown;

/** Context of a query. */
export type QueryRequest = {
  readonly caller: Caller | undefined;
  readonly baseUrl: string;
  readonly now: number;
  /** Counts the calls of an expensive field; throws after `most` calls in one request. */
  readonly spend: (field: string, most: number) => void;
  /** Notes that the query uses a deprecated behavior. Deprecated members of the schema are noted without it. */
  readonly noteDeprecated: (id: DeprecationId) => void;
};

/** Error of a field with a message for the caller. */
export class QueryRefusal extends Error {}

/** Text of GitLab for something that is not there, or that the caller may not change. */
export const NOT_AUTHORIZED =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

/** Returns the message of an error for the caller, or undefined for an internal error. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof QueryRefusal) return error.message;
  return isRefusal(error) && statusOf(error) < 500 ? error.reason : undefined;
}

/** Returns the value of a string argument. */
export function textArgument(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberArgument(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function flagArgument(value: unknown): boolean {
  return value === true;
}

export function textsArgument(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}

/** Returns the members of the argument `input` of a mutation. */
export function inputArgument(value: unknown): Arguments {
  return isJsonObject(value) ? value : {};
}

/** Returns a global ID such as `gid://gitlab/Project/7`. */
export function globalId(model: string, id: number | string): string {
  return `gid://gitlab/${model}/${id}`;
}

/**
 * Returns the number in a global ID of this model.
 * @throws {QueryRefusal} For any other value.
 */
export function numberOfGlobalId(model: string, sent: unknown): number {
  const text = typeof sent === 'string' ? sent : '';
  const prefix = `gid://gitlab/${model}/`;
  const number =
    text.startsWith(prefix) && /^\d{1,15}$/.test(text.slice(prefix.length)) ? Number(text.slice(prefix.length)) : NaN;
  if (!Number.isSafeInteger(number)) {
    throw new QueryRefusal(`"${text.slice(0, 100)}" does not represent an instance of ${model}`);
  }
  return number;
}

/** Formats a time for GraphQL: UTC in whole seconds. */
export function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** Arguments of a field that returns a connection, for the schema. */
export const connectionArguments = /* GraphQL */ `
  "Return the elements in the list that come after the specified cursor."
  after: String
  "Return the elements in the list that come before the specified cursor."
  before: String
  "Returns the first _n_ elements from the list."
  first: Int
  "Returns the last _n_ elements from the list."
  last: Int`;

/** Returns a page of a connection. */
export function connection<T>(
  nodes: readonly T[],
  cursorOf: (node: T, index: number) => string,
  pageInfo: PageInfo,
): Readonly<Record<string, unknown>> {
  return { nodes, edges: nodes.map((node, index) => ({ node, cursor: cursorOf(node, index) })), pageInfo };
}

/** Returns an opaque cursor. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the parts of a cursor, or undefined if the text is not a cursor. */
export function decodeCursor(cursor: string): readonly unknown[] | undefined {
  if (cursor.length > 200) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

export const badCursor = (): QueryRefusal => new QueryRefusal('The cursor is none of this list in this order');

/** Types that all features share. */
export const sharedSdl = /* GraphQL */ `
  "Represents non-fractional signed whole numeric values. Since the value may exceed the size of a 32-bit integer, it is encoded as a string."
  scalar BigInt

  "Represents a timestamp in ISO 8601 format: UTC, whole seconds."
  scalar Time

  "Marks a member as deprecated. The directive is not part of the schema that clients see."
  directive @deprecation(id: String!) on ARGUMENT_DEFINITION | ENUM_VALUE | FIELD_DEFINITION | INPUT_FIELD_DEFINITION

  "Names the first release with a member. The directive is not part of the schema that clients see."
  directive @since(release: String!) on ARGUMENT_DEFINITION | ENUM_VALUE | FIELD_DEFINITION | INPUT_FIELD_DEFINITION

  "Information about pagination in a connection."
  type PageInfo {
    endCursor: String
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
  }
`;
