import * as z from 'zod';
import { type DeprecationId, deprecationOf } from '../../src/contract/deprecations.ts';
import type { Availability } from '../core/profile.ts';

/**
 * Schema of a successful response. Schemas are closed: they reject undeclared members and mark optional ones. The tests validate every
 * response with the schema of its route, and the OpenAPI document is generated from them.
 */
export type ResponseSchema = () => z.ZodType;

/** Type of the values that a schema accepts, for the function that creates them. */
export type ResponseOf<Schema extends ResponseSchema> = z.output<ReturnType<Schema>>;

/** Returns a schema with its own name in the OpenAPI document, created once on first use. */
export function named<Schema extends z.ZodType>(name: string, make: () => Schema): () => Schema {
  let schema: Schema | undefined;
  return () => (schema ??= make().meta({ id: name }));
}

type KnownMember<Read> = keyof { [Name in keyof Read as string extends Name ? never : Name]: Read[Name] };
type NeededMember<Read> = {
  [Name in KnownMember<Read>]: null extends Read[Name] ? never : undefined extends Read[Name] ? never : Name;
}[KnownMember<Read>];

/** Type that a reader of src/contract accepts: known members have their type, and required members exist. */
export type ReadAs<Read> = { readonly [Name in NeededMember<Read>]: Read[Name] } & {
  readonly [Name in Exclude<KnownMember<Read>, NeededMember<Read>>]?: Read[Name];
};

/** Makes the type checker compare a schema with the type that the extension reads. */
export function readAs<Read>(): <Schema extends z.ZodType<ReadAs<Read>>>(schema: Schema) => Schema {
  return (schema) => schema;
}

/** Marks a member of a response as deprecated. A release that has removed it does not send it, so it is optional. */
export function deprecatedMember<Schema extends z.ZodType>(id: DeprecationId, schema: Schema): Schema {
  return schema.meta(deprecationMarks(id));
}

/** Returns the marks of a deprecated element in the OpenAPI document. */
export function deprecationMarks(id: DeprecationId): Readonly<Record<string, unknown>> {
  const { announcedIn, removedIn } = deprecationOf(id);
  return {
    deprecated: true,
    'x-deprecation': id,
    'x-deprecated-in': announcedIn,
    ...(removedIn === undefined ? {} : { 'x-removed-in': removedIn }),
  };
}

/** Limits a member of a response to some releases, tiers and offerings. The others do not send it, so it is optional. */
export function limitedMember<Schema extends z.ZodType>(availability: Availability, schema: Schema): Schema {
  return schema.meta({ 'x-availability': limitsOf(availability) });
}

/** Returns an availability as the OpenAPI document has it: without members that do not limit. */
export function limitsOf({ addedIn, removedIn, tiers, offerings }: Availability): Readonly<Record<string, unknown>> {
  const limits = { first: addedIn, last: removedIn, tiers, offerings };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Time in UTC with milliseconds. */
export const moment = () => z.iso.datetime({ precision: 3 });
/** Calendar day, `YYYY-MM-DD`. */
export const day = () => z.iso.date();
export const id = () => z.int().positive();
export const count = () => z.int().nonnegative();
export const address = () => z.url();

/** Raw content in place of JSON. */
export const content: ResponseSchema = () => z.string();

/** A message as it is sent (RFC 5322). */
export const message: ResponseSchema = () => z.string();

/** Server-sent events until the client disconnects. */
export const eventStream: ResponseSchema = () => z.string();

/** An archive of files, in one of several formats. */
export const archive: ResponseSchema = () => z.string();

const rawMediaTypes: ReadonlyMap<ResponseSchema, readonly string[]> = new Map([
  [content, ['text/plain', 'application/octet-stream']],
  [message, ['message/rfc822']],
  [eventStream, ['text/event-stream']],
  [archive, ['application/gzip', 'application/zip', 'application/x-tar']],
]);

/** Returns the media types of a body that is not JSON; undefined for JSON. */
export function mediaTypesOf(schema: ResponseSchema): readonly string[] | undefined {
  return rawMediaTypes.get(schema);
}

/** Paginated list. */
export function listOf(item: ResponseSchema): ResponseSchema {
  return () => z.array(item());
}

/** Union of several schemas. */
export function eitherOf<Forms extends readonly ResponseSchema[]>(...forms: Forms): () => z.ZodType<ResponseOf<Forms[number]>>;
export function eitherOf(...forms: readonly ResponseSchema[]): ResponseSchema {
  return () => z.union(forms.map((form) => form()));
}

/** Response to a request that is processed later. */
export const accepted = named('Accepted', () => z.strictObject({ message: z.literal('202 Accepted') }));
