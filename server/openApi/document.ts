import * as z from 'zod';
import type { Release } from '../../src/contract/releases.ts';
import { isJsonObject } from '../../src/contract/json.ts';
import { isAvailable, offerings, type Profile, releases, tiers } from '../core/profile.ts';

// Schema of the members of the built document that the server reads. All other members are passed through unchanged.

function documentSchema() {
  const release = z.custom<Release>((value) => releases.some((known) => known === value));
  const limits = z.strictObject({
    first: release.exactOptional(),
    last: release.exactOptional(),
    tiers: z.array(z.enum(tiers)).exactOptional(),
    offerings: z.array(z.enum(offerings)).exactOptional(),
  });
  const marks = {
    deprecated: z.boolean().optional(),
    'x-deprecation': z.string().optional(),
    'x-deprecated-in': release.optional(),
    'x-removed-in': release.optional(),
    'x-availability': limits.optional(),
  };
  const shape = z.looseObject({
    deprecated: marks.deprecated,
    'x-deprecation': marks['x-deprecation'],
    'x-deprecated-in': marks['x-deprecated-in'],
    'x-removed-in': marks['x-removed-in'],
    'x-availability': marks['x-availability'],
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    contentMediaType: z.string().optional(),
    const: z.union([z.string(), z.boolean(), z.number()]).optional(),
    enum: z.array(z.string()).optional(),
    required: z.array(z.string()).optional(),
    default: z.unknown().optional(),
    // False after the members of a list of fixed length.
    get items() {
      return z.union([shape, z.literal(false)]).optional();
    },
    get prefixItems() {
      return z.array(shape).optional();
    },
    get anyOf() {
      return z.array(shape).optional();
    },
    get properties() {
      return z.record(z.string(), shape).optional();
    },
  });
  const content = z.record(z.string(), z.looseObject({ schema: shape }));
  const operation = z.looseObject({
    ...marks,
    operationId: z.string(),
    tags: z.array(z.string()),
    parameters: z.array(
      z.union([
        z.looseObject({ ...marks, name: z.string(), in: z.string(), required: z.boolean().optional(), schema: shape }),
        z.strictObject({ $ref: z.string() }),
      ]),
    ),
    requestBody: z.looseObject({ content }).optional(),
    responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
    security: z.array(z.record(z.string(), z.array(z.string()))),
    'x-clause': z.string(),
    'x-status': z.string(),
    'x-role': z.string(),
    'x-scopes': z.array(z.string()),
    'x-key': z.string().optional(),
    'x-availability': limits,
  });
  return z.looseObject({
    openapi: z.string(),
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.looseObject({ schemas: z.record(z.string(), shape) }),
  });
}

export type Document = z.output<ReturnType<typeof documentSchema>>;
export type Operation = Document['paths'][string][string];
export type Shape = Document['components']['schemas'][string];

/** Returns the parameters that an operation declares itself, without references to shared ones. */
export function ownParameters({ parameters }: Operation) {
  return parameters.filter((parameter) => 'name' in parameter);
}

/** Marks of an operation, a parameter or a member of a response. */
type Marks = Pick<Operation, 'x-deprecated-in' | 'x-removed-in'> & { readonly 'x-availability'?: Shape['x-availability'] };

/** Returns true if a profile has the element with these marks. */
function isIn({ 'x-removed-in': end, 'x-availability': limits = {} }: Marks, profile: Profile): boolean {
  const { first: addedIn, last: removedIn, ...others } = limits;
  return isAvailable({ removedIn: end }, profile) && isAvailable({ ...others, addedIn, removedIn }, profile);
}

/**
 * Returns the built document for a profile: without the operations, parameters and members that it lacks, and with `deprecated` only from
 * the release of the announcement on.
 */
export function documentFor(made: unknown, profile: Profile): Document {
  const document = documentSchema().parse(reduced(made, profile));
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([, operations]) => Object.keys(operations).length > 0));
  const { schemas, ...others } = document.components;
  const used = usedSchemas([paths, others], schemas);
  const needed = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...document, paths, components: { ...document.components, schemas: needed } };
}

/** Returns a copy of a value of the document without the elements in it that a profile lacks. */
function reduced(value: unknown, profile: Profile): unknown {
  const isLacking = (part: unknown): boolean => isMarked(part) && !isIn(part, profile);
  if (Array.isArray(value)) return value.filter((item) => !isLacking(item)).map((item) => reduced(item, profile));
  if (!isJsonObject(value)) return value;
  const isEarly = isMarked(value) && !isAvailable({ addedIn: value['x-deprecated-in'] }, profile);
  const copy: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    if (!isLacking(part) && !(isEarly && name === 'deprecated')) copy[name] = reduced(part, profile);
  }
  const { properties, required } = copy;
  if (isJsonObject(properties) && Array.isArray(required))
    copy['required'] = required.filter((member) => typeof member !== 'string' || Object.hasOwn(properties, member));
  return copy;
}

function isMarked(value: unknown): value is Marks {
  return isJsonObject(value) && ('x-availability' in value || 'x-removed-in' in value || 'x-deprecated-in' in value);
}

/** Returns the names of the schemas that a part of the document refers to, also through other schemas. */
export function usedSchemas(users: unknown, schemas: Document['components']['schemas']): ReadonlySet<string> {
  const used = new Set<string>();
  const addFrom = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      addFrom(schemas[name] ?? {});
    }
  };
  addFrom(users);
  return used;
}
