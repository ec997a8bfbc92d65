import * as z from 'zod';
import type { DeprecationId } from '../../src/contract/deprecations.ts';
import { dayStart, parseTime } from '../core/clock.ts';
import { type Availability, isAvailable, type Profile } from '../core/profile.ts';
import { invalidParameters } from '../core/errors.ts';
import { SentFile } from './input.ts';

/**
 * Parameters of REST endpoints, read like GitLab does: the same spellings of booleans, numbers and dates are accepted, and
 * validation errors have the same text (`<name> is invalid`). A parameter is a zod schema for the raw text or JSON value. Its declaration
 * is stored as metadata for the OpenAPI document and the generated tests.
 */
export interface ParameterMetadata {
  readonly kind:
    | 'integer'
    | 'boolean'
    | 'string'
    | 'enum'
    | 'date'
    | 'time'
    | 'strings'
    | 'integers'
    | 'objects'
    | 'object'
    | 'opaque'
    | 'file';
  readonly required: boolean;
  readonly values?: readonly string[];
  readonly fallback?: unknown;
  /** Members of `object`, or of each item of `objects`. */
  readonly members?: Readonly<Record<string, ParameterMetadata>>;
  readonly deprecation?: DeprecationId;
  /** Releases, tiers and offerings that have it. Omitted if all of them have it. */
  readonly availability?: Availability;
}

export type Parameter<T> = z.ZodType<T, unknown>;
export type ParameterSet = Readonly<Record<string, z.ZodType>>;
/** Values of the parameters that a function declares. */
export type ParametersOf<Declare extends (...args: never[]) => ParameterSet> = Readonly<
  z.output<z.ZodObject<ReturnType<Declare>>>
>;

const metadata = new WeakMap<z.ZodType, ParameterMetadata>();

/** Returns the declaration of a parameter, or undefined for a schema that was not created by this file. */
export function metadataOf(parameter: z.ZodType): ParameterMetadata | undefined {
  return metadata.get(parameter);
}

/** Declarations of parameters that the emulated platform does not have. */
const absentMetadata = new WeakMap<z.ZodType, ParameterMetadata>();

/** Returns the declaration of a parameter like `metadataOf`, also if the emulated platform does not have the parameter. */
export function declarationOf(parameter: z.ZodType): ParameterMetadata | undefined {
  return metadata.get(parameter) ?? absentMetadata.get(parameter);
}

/** Declares a parameter with its own schema. */
export function declare<T extends z.ZodType>(schema: T, known: ParameterMetadata): T {
  metadata.set(schema, known);
  return schema;
}

type Reading<T> = { readonly value: T } | { readonly problem: string };
interface Options<T> {
  readonly required?: boolean;
  readonly fallback?: T;
}

const invalid = { problem: 'is invalid' } as const;

function parameter<T>(
  declared: Omit<ParameterMetadata, 'required' | 'fallback'>,
  options: Options<T>,
  read: (raw: NonNullable<unknown>) => Reading<T | undefined>,
): Parameter<T | undefined> {
  const required = options.required ?? false;
  const schema = z.unknown().transform((raw, context): T | undefined => {
    if (raw === undefined && required) {
      context.addIssue({ code: 'custom', message: 'is missing' });
      return z.NEVER;
    }
    if (raw === undefined || raw === null) return options.fallback;
    const reading = read(raw);
    if ('problem' in reading) {
      context.addIssue({ code: 'custom', message: reading.problem });
      return z.NEVER;
    }
    return reading.value ?? options.fallback;
  });
  metadata.set(schema, { ...declared, required, ...(options.fallback === undefined ? {} : { fallback: options.fallback }) });
  return schema;
}

/** Returns a parameter that always has a value, because it is required or has a default. */
function present<T>(optional: Parameter<T | undefined>, name: string): Parameter<T> {
  const schema = optional.transform((value, context): T => {
    if (value === undefined) {
      context.addIssue({ code: 'custom', message: name });
      return z.NEVER;
    }
    return value;
  });
  const known = metadata.get(optional);
  if (known !== undefined) metadata.set(schema, known);
  return schema;
}

/** Makes a parameter required and not blank: `<name> is missing`, `<name> is empty`. */
export function required<T>(make: (options: Options<T>) => Parameter<T | undefined>): Parameter<T> {
  return present(make({ required: true }), 'is empty');
}

/** Gives an optional parameter a default value. */
export function fallback<T>(value: T, make: (options: Options<T>) => Parameter<T | undefined>): Parameter<T> {
  return present(make({ fallback: value }), 'is invalid');
}

/** Marks a parameter as deprecated. From the release of its removal on it is ignored. */
export function deprecated<T>(deprecation: DeprecationId, parameter: Parameter<T>): Parameter<T> {
  const known = metadata.get(parameter);
  if (known !== undefined) metadata.set(parameter, { ...known, deprecation });
  return parameter;
}

/** Adds a condition to a parameter. */
export function checked<T>(parameter: Parameter<T>, isGood: (value: T) => boolean, problem: string): Parameter<T> {
  const schema = parameter.refine(isGood, { message: problem });
  const known = metadata.get(parameter);
  if (known !== undefined) metadata.set(schema, known);
  return schema;
}

function readInteger(raw: unknown): Reading<number | undefined> {
  if (typeof raw === 'number') return Number.isSafeInteger(Math.trunc(raw)) ? { value: Math.trunc(raw) } : invalid;
  if (typeof raw !== 'string') return invalid;
  const text = raw.trim();
  if (text === '') return { value: undefined };
  if (!/^[+-]?\d+(?:_\d+)*$/.test(text)) return invalid;
  const value = Number(text.replaceAll('_', ''));
  return Number.isSafeInteger(value) ? { value } : invalid;
}

export function integer(options: Options<number> = {}): Parameter<number | undefined> {
  return parameter({ kind: 'integer' }, options, readInteger);
}

const trueTexts = new Set(['true', 'True', 'TRUE', 't', 'T', '1', 'on', 'On', 'ON', 'y', 'Y', 'yes', 'Yes', 'YES']);
const falseTexts = new Set(['false', 'False', 'FALSE', 'f', 'F', '0', 'off', 'Off', 'OFF', 'n', 'N', 'no', 'No', 'NO']);

export function boolean(options: Options<boolean> = {}): Parameter<boolean | undefined> {
  return parameter({ kind: 'boolean' }, options, (raw) => {
    if (typeof raw === 'boolean') return { value: raw };
    if (raw === 1 || raw === 0) return { value: raw === 1 };
    if (typeof raw !== 'string') return invalid;
    if (raw === '') return { value: undefined };
    if (trueTexts.has(raw)) return { value: true };
    return falseTexts.has(raw) ? { value: false } : invalid;
  });
}

/** Reads a string. Unpaired surrogates are invalid, because the database would store a different text that a search would not find. */
function readString(raw: unknown): Reading<string> {
  if (typeof raw === 'string') return raw.includes('\0') || !raw.isWellFormed() ? invalid : { value: raw };
  return typeof raw === 'number' || typeof raw === 'boolean' ? { value: String(raw) } : invalid;
}

export function string(options: Options<string> = {}): Parameter<string | undefined> {
  return parameter({ kind: 'string' }, options, readString);
}

/** A required, non-blank string. If omitted, it is both missing and empty, as on GitLab. */
export function filled(): Parameter<string> {
  const schema = z.unknown().transform((raw, context): string => {
    const isMissing = raw === undefined || raw === null;
    const reading = isMissing ? { value: '' } : readString(raw);
    const validationErrors =
      'problem' in reading
        ? [reading.problem]
        : [...(isMissing ? ['is missing'] : []), ...(reading.value.trim() === '' ? ['is empty'] : [])];
    for (const message of validationErrors) context.addIssue({ code: 'custom', message });
    return 'problem' in reading || validationErrors.length > 0 ? z.NEVER : reading.value;
  });
  metadata.set(schema, { kind: 'string', required: true });
  return schema;
}

/**
 * A parameter that the emulated release, tier or offering does not have. Its value is ignored
 * (docs/interface.md#releases-tiers-and-offerings).
 */
export function absent<T>(): Parameter<T | undefined> {
  return z.unknown().transform((): T | undefined => undefined);
}

/** Limits a parameter to some releases, tiers and offerings. On the others it is absent. */
export function limited<T>(
  profile: Profile,
  availability: Availability,
  parameter: Parameter<T | undefined>,
): Parameter<T | undefined> {
  const known = metadata.get(parameter);
  const isThere = isAvailable(availability, profile);
  const schema = isThere ? parameter : absent<T>();
  if (known !== undefined) (isThere ? metadata : absentMetadata).set(schema, { ...known, availability });
  return schema;
}

/** A string in a format that only its reader knows, such as a cursor or a path of this server. */
export function opaque(options: Options<string> = {}): Parameter<string | undefined> {
  return parameter({ kind: 'opaque' }, options, readString);
}

/** A file of a multipart form. JSON and other forms send its content as a string. */
export function file(options: Options<SentFile> = {}): Parameter<SentFile | undefined> {
  return parameter({ kind: 'file' }, options, (raw) => {
    if (raw instanceof SentFile) return { value: raw };
    return typeof raw === 'string' ? { value: new SentFile(undefined, Buffer.from(raw)) } : invalid;
  });
}

/** One of the given values, case-sensitive: `<name> does not have a valid value`. */
export function oneOf<const T extends string>(values: readonly T[]): (options?: Options<T>) => Parameter<T | undefined> {
  return (options = {}) =>
    parameter<T>({ kind: 'enum', values }, options, (raw) => {
      const text = readString(raw);
      if ('problem' in text) return text;
      const value = values.find((candidate) => candidate === text.value);
      return value === undefined ? { problem: 'does not have a valid value' } : { value };
    });
}

/**
 * A calendar day, read leniently (`2016-12-1`, `20161201`, or an ISO 8601 date-time, of which the day counts). The value is midnight UTC in
 * milliseconds.
 */
export function date(options: Options<number> = {}): Parameter<number | undefined> {
  return parameter({ kind: 'date' }, options, (raw) => {
    if (typeof raw !== 'string') return invalid;
    if (raw.trim() === '') return { value: undefined };
    const match =
      /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:$|[tT ])/.exec(raw) ??
      /^\s*(\d{4})(\d\d)(\d\d)(?:$|[tT ])/.exec(raw) ??
      /^\s*(\d{4})\/(\d{1,2})\/(\d{1,2})(?:$|[tT ])/.exec(raw);
    const day = match === null ? undefined : dayStart(Number(match[1]), Number(match[2]), Number(match[3]));
    return day === undefined ? invalid : { value: day };
  });
}

/** An ISO 8601 time, UTC if it has no time zone. The value is in milliseconds since the epoch. */
export function time(options: Options<number> = {}): Parameter<number | undefined> {
  return parameter({ kind: 'time' }, options, (raw) => {
    if (typeof raw !== 'string') return invalid;
    if (raw.trim() === '') return { value: undefined };
    const value = /^\s*\d{4}-\d{1,2}-\d{1,2}/.test(raw) ? parseTime(raw.trim()) : undefined;
    return value === undefined ? invalid : { value };
  });
}

/** Maximum number of items of a list. */
export const MAX_ITEMS = 5000;

function readList<T>(raw: unknown, readItem: (item: unknown) => Reading<T | undefined>): Reading<T[]> {
  const sent: readonly unknown[] = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',', MAX_ITEMS + 1) : [raw];
  if (sent.length > MAX_ITEMS) return { problem: `has too many values (maximum is ${MAX_ITEMS})` };
  const items = typeof raw === 'string' ? sent.map((item) => String(item).trim()) : sent;
  const values: T[] = [];
  for (const item of items) {
    if (item === null || typeof item === 'object') return invalid;
    const reading = readItem(item);
    if ('problem' in reading) return reading;
    if (reading.value !== undefined && reading.value !== '') values.push(reading.value);
  }
  return { value: values };
}

/** A list of strings: `name[]=a&name[]=b`, a JSON array, or one comma-separated string. */
export function strings(options: Options<readonly string[]> = {}): Parameter<readonly string[] | undefined> {
  return parameter<readonly string[]>({ kind: 'strings' }, options, (raw) => readList(raw, readString));
}

/** A list of some of the given values, in the same three formats: `<name> does not have a valid value`. */
export function someOf<const T extends string>(
  values: readonly T[],
): (options?: Options<readonly T[]>) => Parameter<readonly T[] | undefined> {
  return (options = {}) =>
    parameter<readonly T[]>({ kind: 'strings', values }, options, (raw) => {
      const list = readList(raw, readString);
      if ('problem' in list) return list;
      const known = values.filter((value) => list.value.includes(value));
      return list.value.every((text) => known.some((value) => value === text))
        ? { value: known }
        : { problem: 'does not have a valid value' };
    });
}

/** A list of integers, in the same three formats. */
export function integers(options: Options<readonly number[]> = {}): Parameter<readonly number[] | undefined> {
  return parameter<readonly number[]>({ kind: 'integers' }, options, (raw) => readList(raw, readInteger));
}

/** A hash of named values: `name[key]=value`. Validation errors name both, as in `not[author_id] is invalid`. */
export function hash<Shape extends ParameterSet>(members: Shape): Parameter<z.output<z.ZodObject<Shape>> | undefined> {
  const shape = z.object(members);
  const names = Object.keys(members);
  const schema = z.unknown().transform((raw, context): z.output<z.ZodObject<Shape>> | undefined => {
    if (raw === undefined || raw === null || raw === '') return undefined;
    if (typeof raw !== 'object' || Array.isArray(raw)) {
      context.addIssue({ code: 'custom', message: 'is invalid' });
      return z.NEVER;
    }
    const sent = new Map(Object.entries(raw));
    const read = shape.safeParse(Object.fromEntries(names.map((name) => [name, sent.get(name)])));
    if (read.success) return read.data;
    for (const { message, path } of read.error.issues) {
      context.addIssue({ code: 'custom', message, path: path.map((part) => String(part)) });
    }
    return z.NEVER;
  });
  const known = Object.entries(members).flatMap(([name, member]) => {
    const declared = metadata.get(member);
    return declared === undefined ? [] : [[name, declared] as const];
  });
  return declare(schema, { kind: 'object', required: false, members: Object.fromEntries(known) });
}

/** A declared parameter, and the result of its schema if it is not sent. */
interface KnownParameter {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly absent: z.ZodSafeParseResult<unknown>;
}

/** The declared parameters by schema. Most of them are not sent, and what that means is the same in every request. */
const knownParameters = new WeakMap<z.ZodObject, readonly KnownParameter[]>();

function parametersOf(schema: z.ZodObject<ParameterSet>): readonly KnownParameter[] {
  const known = knownParameters.get(schema);
  if (known !== undefined) return known;
  const parameters = Object.entries(schema.shape).map(([name, one]) => ({
    name,
    schema: one,
    absent: one.safeParse(undefined),
  }));
  knownParameters.set(schema, parameters);
  return parameters;
}

/**
 * Reads the declared parameters from the raw ones.
 * @throws {InvalidParameters} With all validation errors in the order of declaration.
 */
export function readParameters<Shape extends ParameterSet>(
  schema: z.ZodObject<Shape>,
  raw: Readonly<Record<string, unknown>>,
): z.output<z.ZodObject<Shape>> {
  const members: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const { name, schema: one, absent } of parametersOf(schema)) {
    const sent = raw[name];
    const result = sent === undefined ? absent : one.safeParse(sent);
    if (result.success) members[name] = result.data;
    else problems.push(...result.error.issues.map(({ path, message }) => problemOf(name, path, message)));
  }
  if (isRead<Shape>(members, problems)) return members;
  throw invalidParameters(problems);
}

/** Returns true if each member was read with the schema of its name, which is so unless there are problems. */
function isRead<Shape extends ParameterSet>(
  members: unknown,
  problems: readonly string[],
): members is z.output<z.ZodObject<Shape>> {
  return members !== undefined && problems.length === 0;
}

function problemOf(name: string, path: readonly PropertyKey[], message: string): string {
  return `${name}${path.map((part) => `[${String(part)}]`).join('')} ${message}`;
}
