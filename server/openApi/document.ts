import * as z from 'zod';
import type { Release } from '../../src/contract/releases.ts';
import { isAvailable, offerings, type Profile, releases, tiers } from '../profile.ts';

// Schema of the members of the built document that the server reads. All other members are passed through unchanged.

function documentSchema() {
  const shape = z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
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
  const release = z.custom<Release>((value) => releases.some((known) => known === value));
  const operation = z.looseObject({
    tags: z.array(z.string()),
    parameters: z.array(
      z.union([
        z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema: shape }),
        z.strictObject({ $ref: z.string() }),
      ]),
    ),
    requestBody: z.looseObject({ content }).optional(),
    responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
    'x-clause': z.string(),
    'x-status': z.string(),
    'x-role': z.string(),
    'x-scopes': z.array(z.string()),
    'x-key': z.string().optional(),
    'x-availability': z.strictObject({
      first: release.exactOptional(),
      last: release.exactOptional(),
      tiers: z.array(z.enum(tiers)).exactOptional(),
      offerings: z.array(z.enum(offerings)).exactOptional(),
    }),
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

/** Returns the built document without the operations that a profile lacks. */
export function documentFor(made: unknown, profile: Profile): Document {
  const document = documentSchema().parse(made);
  const paths = Object.entries(document.paths).flatMap(([path, operations]) => {
    const stored = Object.entries(operations).filter(([, operation]) => {
      const { first: addedIn, last: removedIn, ...limits } = operation['x-availability'];
      return isAvailable({ ...limits, addedIn, removedIn }, profile);
    });
    return stored.length === 0 ? [] : [[path, Object.fromEntries(stored)] as const];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
