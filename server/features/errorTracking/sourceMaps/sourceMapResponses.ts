import * as z from 'zod';
import { count, id, listOf, moment, named } from '../../../http/responses.ts';

/** An uploaded source map. Null means unknown, or any. */
export const sourceMap = named('SourceMap', () =>
  z.strictObject({
    id: id(),
    /** Generated file. */
    name: z.string().nullable(),
    release: z.string().nullable(),
    dist: z.string().nullable(),
    debug_id: z.uuid().nullable(),
    /** Bytes, as uploaded. */
    size: count(),
    created_at: moment(),
  }),
);
export const sourceMaps = listOf(sourceMap);
