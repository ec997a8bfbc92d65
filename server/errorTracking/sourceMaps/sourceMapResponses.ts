import * as z from 'zod';
import { count, id, listOf, moment, named } from '../../http/responses.ts';

/** A source map that was uploaded; null: not known, or of any. */
export const sourceMap = named('SourceMap', () =>
  z.strictObject({
    id: id(),
    /** Of the generated file. */
    name: z.string().nullable(),
    release: z.string().nullable(),
    dist: z.string().nullable(),
    debug_id: z.uuid().nullable(),
    /** Bytes, as it was uploaded. */
    size: count(),
    created_at: moment(),
  }),
);
export const sourceMaps = listOf(sourceMap);
