import * as z from 'zod';

/**
 * Schemas of what successes answer. They are closed: a member that is not named is refused, and one that may be left out says so. The
 * tests read every answer with the schema of its row, and the description of the endpoints is made from them.
 */
export type ResponseSchema = () => z.ZodType;

/** What a schema lets through, for the presenter that makes it. */
export type ResponseOf<Schema extends ResponseSchema> = z.output<ReturnType<Schema>>;

/** A schema under a name of its own in the description of the endpoints, made when it is first needed and only once. */
export function named<Schema extends z.ZodType>(name: string, make: () => Schema): () => Schema {
  let schema: Schema | undefined;
  return () => (schema ??= make().meta({ id: name }));
}

type KnownMember<Read> = keyof { [Name in keyof Read as string extends Name ? never : Name]: Read[Name] };
type NeededMember<Read> = {
  [Name in KnownMember<Read>]: null extends Read[Name] ? never : undefined extends Read[Name] ? never : Name;
}[KnownMember<Read>];

/** What a reader of src/contract takes: what it knows must have its type, and what it cannot do without must be there. */
export type ReadAs<Read> = { readonly [Name in NeededMember<Read>]: Read[Name] } & {
  readonly [Name in Exclude<KnownMember<Read>, NeededMember<Read>>]?: Read[Name];
};

/** Lets the type checker compare a schema with the type that the extension reads. */
export function readAs<Read>(): <Schema extends z.ZodType<ReadAs<Read>>>(schema: Schema) => Schema {
  return (schema) => schema;
}

/** A moment as it is sent: UTC, with milliseconds. */
export const moment = () => z.iso.datetime({ precision: 3 });
/** A calendar day, `YYYY-MM-DD`. */
export const day = () => z.iso.date();
export const id = () => z.int().positive();
export const count = () => z.int().nonnegative();
export const address = () => z.url();

/** Content as it is, in place of JSON. */
export const content: ResponseSchema = () => z.string();

/** Server-sent events, for as long as somebody listens. */
export const eventStream: ResponseSchema = () => z.string();

/** A list that is answered page by page. */
export function listOf(item: ResponseSchema): ResponseSchema {
  return () => z.array(item());
}

/** One of several forms. */
export function eitherOf(...forms: readonly ResponseSchema[]): ResponseSchema {
  return () => z.union(forms.map((form) => form()));
}

/** What is done later, or as good as done. */
export const accepted = named('Accepted', () => z.strictObject({ message: z.literal('202 Accepted') }));
