import { WireFailure } from '../http/failures.ts';
import type { Caller } from '../identity/identity.ts';

/**
 * A feature's part of the GraphQL schema. Types are written as SDL; values are plain objects whose members are the fields, and a member
 * that is a function is called with the arguments when somebody asks for it. No part names the GraphQL library, which is loaded with the
 * first query.
 */
export interface GraphqlPart {
  readonly sdl: string;
  /** Fields of `Query`. */
  readonly query: Readonly<Record<string, Field>>;
}

/** Arguments as the schema has read them: a left-out one is undefined or its default. */
export type Arguments = Readonly<Record<string, unknown>>;

export type Field = (args: Arguments, request: QueryRequest) => unknown;

/** Whose query it is, and what it has cost so far. */
export type QueryRequest = {
  readonly caller: Caller | undefined;
  readonly baseUrl: string;
  readonly now: number;
  /** Counts the calls of a field that is expensive; throws above so many in one request. */
  readonly spend: (field: string, most: number) => void;
};

/** A refusal of a field, in words that its caller reads. */
export class QueryRefusal extends Error {}

/** What may be told of a failure; undefined: nothing. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof QueryRefusal) return error.message;
  return error instanceof WireFailure && error.status < 500 ? error.reason : undefined;
}

/** Of an argument that the schema knows to be a text, if anything. */
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

/** `gid://gitlab/Project/7`. */
export function globalId(model: string, id: number | string): string {
  return `gid://gitlab/${model}/${id}`;
}

/** The number in a global id of this model. Throws for anything else. */
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

/** A moment as GraphQL answers it: UTC, whole seconds. */
export function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** A page as connections answer it. */
export function connection<T>(
  nodes: readonly T[],
  cursorOf: (node: T, index: number) => string,
  pageInfo: PageInfo,
): Readonly<Record<string, unknown>> {
  return { nodes, edges: nodes.map((node, index) => ({ node, cursor: cursorOf(node, index) })), pageInfo };
}

/** A cursor says nothing to whoever gets it. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts of a cursor; undefined for a text that is none. */
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

/** Types that belong to no feature. */
export const sharedSdl = /* GraphQL */ `
  "Represents a timestamp in ISO 8601 format: UTC, whole seconds."
  scalar Time

  "Information about pagination in a connection."
  type PageInfo {
    endCursor: String
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
  }
`;
