import * as z from 'zod';
import { count, moment, named } from '../../http/responses.ts';

const release = () => z.string().regex(/^\d+\.\d+$/);

/** An announced deprecation in a release. */
export const deprecation = named('Deprecation', () =>
  z.strictObject({
    id: z.string(),
    kind: z.string(),
    items: z.array(z.string()),
    announced_in: release(),
    removed_in: release().nullable(),
    text_names: release().nullable(),
    state: z.enum(['current', 'deprecated', 'removed']),
    replacement: z.string(),
    note: z.string().nullable(),
    web_url: z.url(),
  }),
);

/** Calls of a deprecated element by one client. */
export const deprecatedCall = named('DeprecatedCall', () =>
  z.strictObject({
    deprecation: z.string(),
    request: z.string(),
    username: z.string().nullable(),
    user_agent: z.string(),
    application: z.string().nullable(),
    count: count(),
    first_at: moment(),
    last_at: moment(),
    removed_in: release().nullable(),
    breaks: z.boolean(),
    replacement: z.string(),
    web_url: z.url(),
  }),
);

/** Reads and writes in another release. */
export const whatIfResult = named('WhatIf', () =>
  z.strictObject({
    release: release(),
    requests: z.array(
      z.strictObject({
        request: z.string(),
        user: z.string().nullable(),
        status_before: z.int(),
        status_after: z.int(),
        differences: z.array(
          z.strictObject({ path: z.string(), before: z.string().nullable(), after: z.string().nullable(), count: count() }),
        ),
        deprecations: z.array(z.string()),
      }),
    ),
    writes: z.array(z.strictObject({ request: z.string(), deprecation: z.string(), outcome: z.string() })),
  }),
);
