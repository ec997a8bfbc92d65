import type * as z from 'zod';
import { nearest } from '../nearest.ts';
import { type Path, type Problem, readDocument, refusal, valueAt } from './document.ts';
import { type Seed, seedFormat, seedJsonSchema } from './format.ts';
import type { Placed } from './yaml.ts';

/** What a file holds, with the lines for what is found out about it later. */
export interface ReadSeed {
  readonly name: string;
  readonly seed: Seed;
  readonly root: Placed;
}

/** Reads a seed file. Throws SeedRefused with everything that is wrong with its form. `name` is what complaints call it. */
export async function readSeed(name: string, text: string): Promise<ReadSeed> {
  const root = await readDocument(name, text);
  const read = seedFormat().safeParse(root.value);
  if (!read.success)
    throw refusal(
      name,
      root,
      read.error.issues.slice(0, MAX_WORDED).flatMap((issue) => worded(root, issue)),
    );
  return { name, seed: read.data, root };
}

type Issue = z.core.$ZodIssue;

/** Nobody reads more, and wording each takes its time. */
const MAX_WORDED = 500;

function worded(root: Placed, issue: Issue): Problem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    const known = namesAt(path);
    return issue.keys.slice(0, MAX_WORDED).map((key) => ({ path: [...path, key], text: unknown(known, key) }));
  }
  if (issue.code === 'invalid_union') return union(root, path, issue);
  return [{ path, text: problem(valueAt(root, path), issue) }];
}

/** Of several forms the one that the value has in common with: a member of it is wrong, not the whole. */
function union(root: Placed, path: Path, issue: z.core.$ZodIssueInvalidUnion): Problem[] {
  const [closest] = issue.errors.filter((errors) => errors.some((one) => one.path.length > 0 || one.code !== 'invalid_type'));
  if (closest !== undefined) return closest.flatMap((one) => worded(root, { ...one, path: [...path, ...one.path] }));
  const expected = issue.errors.flatMap((errors) =>
    errors.map((one) => (one.code === 'invalid_type' ? kinds[one.expected] : undefined)),
  );
  return [{ path, text: `must be ${expected.filter((kind) => kind !== undefined).join(' or ')}` }];
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map of names and values',
  record: 'a map of names and values',
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
  if (issue.code === 'too_big') return `holds more than ${issue.maximum}`;
  return issue.message;
}

function unknown(known: readonly string[], key: string): string {
  const close = key.length > 100 ? undefined : nearest(key, known);
  return `is not known here${close === undefined ? '' : `; did you mean ${close}?`}`;
}

/** What may stand in a place, by the schema that editors get. */
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
