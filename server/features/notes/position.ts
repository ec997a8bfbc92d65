import * as z from 'zod';
import { declare, type Parameter } from '../../http/params.ts';
import { lazy } from '../../support/lazy.ts';

const shape = lazy(() => {
  const number = z.preprocess(
    (raw) => (typeof raw === 'string' && /^\d{1,9}$/.test(raw) ? Number(raw) : (raw ?? null)),
    z.int().nullable(),
  );
  const text = z.preprocess((raw) => raw ?? null, z.string().nullable());
  const side = () =>
    z.object({ line_code: text, type: text, old_line: number, new_line: number }).transform((value) => ({ ...value }));
  return z.object({
    base_sha: z.string(),
    start_sha: z.string(),
    head_sha: z.string(),
    position_type: z.enum(['text', 'image', 'file']),
    old_path: text,
    new_path: text,
    old_line: number,
    new_line: number,
    line_range: z.preprocess((raw) => raw ?? null, z.object({ start: side(), end: side() }).nullable()),
  });
});

/** Position of a note in the changes of a merge request: the file and the line before or after the changes. */
export type Position = z.output<ReturnType<typeof shape>>;

const NEEDED = ['base_sha', 'start_sha', 'head_sha', 'position_type'] as const;

/** Returns the parameter for the position of a note. Errors name the member, as in `position[base_sha] is missing`. */
export function positionParameter(): Parameter<Position | undefined> {
  const optional = (kind: 'string' | 'integer') => ({ kind, required: false }) as const;
  const line = {
    line_code: optional('string'),
    type: optional('string'),
    old_line: optional('integer'),
    new_line: optional('integer'),
  };
  return declare(schema(), {
    kind: 'object',
    required: false,
    members: {
      base_sha: { kind: 'string', required: true },
      start_sha: { kind: 'string', required: true },
      head_sha: { kind: 'string', required: true },
      position_type: { kind: 'enum', required: true, values: ['text', 'image', 'file'] },
      old_path: optional('string'),
      new_path: optional('string'),
      old_line: optional('integer'),
      new_line: optional('integer'),
      line_range: {
        kind: 'object',
        required: false,
        members: {
          start: { kind: 'object', required: true, members: line },
          end: { kind: 'object', required: true, members: line },
        },
      },
    },
  });
}

function schema(): Parameter<Position | undefined> {
  return z.unknown().transform((raw, context): Position | undefined => {
    if (raw === undefined || raw === null || raw === '') return undefined;
    const isHash = typeof raw === 'object' && !Array.isArray(raw);
    const missing = isHash ? NEEDED.filter((name) => !Object.hasOwn(raw, name)) : [];
    for (const name of missing) context.addIssue({ code: 'custom', message: 'is missing', path: [name] });
    if (missing.length > 0) return z.NEVER;
    const read = shape().safeParse(raw);
    if (read.success) return read.data;
    for (const issue of read.error.issues) {
      const message = issue.path[0] === 'position_type' ? 'does not have a valid value' : 'is invalid';
      context.addIssue({ code: 'custom', message, path: issue.path.map(String) });
    }
    return z.NEVER;
  });
}

/** Parses a stored position. */
export function readPosition(stored: string): Position {
  return shape().parse(JSON.parse(stored));
}
