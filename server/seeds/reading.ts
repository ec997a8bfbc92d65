import type * as z from 'zod';
import { nearest } from '../support/nearest.ts';
import { type Path, type Problem, readDocument, refusal, valueAt } from './document.ts';
import { type Seed, seedFormat, seedJsonSchema } from './format.ts';
import type { Placed } from '../support/yaml.ts';

/** A parsed seed file, with the lines for problems that are found later. */
export interface ReadSeed {
  readonly name: string;
  readonly seed: Seed;
  readonly root: Placed;
}

/** Parses a seed file. Throws SeedRefused with all validation errors of its structure. `name` identifies the file in them. */
export async function readSeed(name: string, text: string): Promise<ReadSeed> {
  const root = await readDocument(name, text);
  const read = seedFormat().safeParse(root.value);
  if (!read.success)
    throw refusal(
      name,
      root,
      read.error.issues.slice(0, MAX_FORMATTED).flatMap((issue) => problemsOf(root, issue)),
    );
  return { name, seed: read.data, root };
}

type Issue = z.core.$ZodIssue;

/** Maximum number of issues that are formatted, because each takes time. */
const MAX_FORMATTED = 500;

function problemsOf(root: Placed, issue: Issue): Problem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    const known = namesAt(path);
    return issue.keys.slice(0, MAX_FORMATTED).map((key) => ({ path: [...path, key], text: unknown(known, key) }));
  }
  if (issue.code === 'invalid_union') return union(root, path, issue);
  return [{ path, text: problem(valueAt(root, path), issue) }];
}

/** Returns the problems of a value that matches no form of a union: those of the form with the same type, or one that lists the types. */
function union(root: Placed, path: Path, issue: z.core.$ZodIssueInvalidUnion): Problem[] {
  const [closest] = issue.errors.filter((errors) => errors.some((one) => one.path.length > 0 || one.code !== 'invalid_type'));
  if (closest !== undefined) return closest.flatMap((one) => problemsOf(root, { ...one, path: [...path, ...one.path] }));
  const expected = issue.errors.flatMap((errors) =>
    errors.map((one) => (one.code === 'invalid_type' ? kinds[one.expected] : undefined)),
  );
  return [{ path, text: `must be ${expected.filter((kind) => kind !== undefined).join(' or ')}` }];
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  null: 'null',
};

function problem(value: unknown, issue: Exclude<Issue, { code: 'invalid_union' | 'unrecognized_keys' }>): string {
  if (value === undefined) return 'is missing';
  if (issue.code === 'invalid_type') {
    const isNearlyText = issue.expected === 'string' && (typeof value === 'number' || typeof value === 'boolean');
    return `must be ${kinds[issue.expected] ?? issue.expected}${isNearlyText ? '; put it in quotes' : ''}`;
  }
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(', ')}`.replace(/, ([^,]+)$/, ' or $1');
  if (issue.code === 'too_small')
    return issue.origin === 'string' || issue.minimum === 1 ? 'is empty' : `is less than ${issue.minimum}`;
  if (issue.code === 'too_big')
    return issue.origin === 'array' ? `has more than ${issue.maximum} entries` : `is greater than ${issue.maximum}`;
  return issue.message;
}

function unknown(known: readonly string[], key: string): string {
  const close = key.length > 100 ? undefined : nearest(key, known);
  return `is not a known field${close === undefined ? '' : `; did you mean ${close}?`}`;
}

/** Returns the field names allowed at a path, from the schema for editors. */
function namesAt(path: Path): string[] {
  let schemas: unknown[] = [seedJsonSchema()];
  for (const part of path) {
    schemas = schemas.flatMap(forms).flatMap((schema) => {
      if (typeof part === 'number') return [memberOf(schema, 'items')];
      return [memberOf(memberOf(schema, 'properties'), part), memberOf(schema, 'additionalProperties')];
    });
  }
  return schemas.flatMap(forms).flatMap((schema) => Object.keys(memberOf(schema, 'properties') ?? {}));
}

function forms(schema: unknown): unknown[] {
  const anyOf = memberOf(schema, 'anyOf');
  return Array.isArray(anyOf) ? anyOf : [schema];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
