import * as z from 'zod';
import { declare, MAX_ITEMS } from '../../http/params.ts';
import { lazy } from '../../support/lazy.ts';
import type { Action } from '../../repositories/actions.ts';
import { plainPath } from '../../repositories/names.ts';

const kinds = ['create', 'update', 'delete', 'move', 'chmod'] as const;

const shape = lazy(() => {
  const text = z.union([z.string(), z.number().transform(String)]);
  const flag = z.union([z.boolean(), z.enum(['true', 'false', '1', '0']).transform((word) => word === 'true' || word === '1')]);
  /** Treats null like a missing member. */
  const sent = z.preprocess((raw) => raw ?? undefined, text.optional());
  return z.object({
    action: z.unknown(),
    file_path: sent,
    previous_path: sent,
    content: sent,
    encoding: sent,
    last_commit_id: sent,
    execute_filemode: z.preprocess((raw) => raw ?? undefined, flag.optional()),
  });
});

/**
 * The actions of a commit: an array of objects or, in a form, members with indexes. Validation errors name index and member, as
 * in `actions[0][file_path] is missing`.
 */
export const actionsParameter = (): z.ZodType<readonly Action[], unknown> =>
  declare(actionsSchema(), {
    kind: 'objects',
    required: true,
    members: {
      action: { kind: 'enum', required: true, values: kinds },
      file_path: { kind: 'string', required: true },
      previous_path: { kind: 'string', required: false },
      content: { kind: 'string', required: false },
      encoding: { kind: 'enum', required: false, values: ['text', 'base64'], fallback: 'text' },
      last_commit_id: { kind: 'string', required: false },
      execute_filemode: { kind: 'boolean', required: false },
    },
  });

const actionsSchema = (): z.ZodType<readonly Action[], unknown> =>
  z.unknown().transform((raw, context): readonly Action[] => {
    const addProblem = (message: string, ...path: (string | number)[]): void => {
      context.addIssue({ code: 'custom', message, path });
    };
    if (raw === undefined || raw === null || raw === '') {
      addProblem('is missing');
      return z.NEVER;
    }
    const isNumbered = typeof raw === 'object' && !Array.isArray(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key));
    const list: unknown = isNumbered ? Object.values(raw) : raw;
    if (!Array.isArray(list)) {
      addProblem('is invalid');
      return z.NEVER;
    }
    if (list.length > MAX_ITEMS) {
      addProblem(`has too many values (maximum is ${MAX_ITEMS})`);
      return z.NEVER;
    }
    const actions: Action[] = [];
    for (const [index, item] of list.entries()) {
      const read = shape().safeParse(item);
      if (!read.success) {
        const [member] = read.error.issues[0]?.path ?? [];
        addProblem('is invalid', index, ...(typeof member === 'string' ? [member] : []));
        continue;
      }
      const { data } = read;
      const action = kinds.find((kind) => kind === data.action);
      if (action === undefined) {
        addProblem(data.action === undefined ? 'is missing' : 'does not have a valid value', index, 'action');
        continue;
      }
      if (data.file_path === undefined) addProblem('is missing', index, 'file_path');
      else if (data.file_path.trim() === '') addProblem('is empty', index, 'file_path');
      if (action === 'move' && data.previous_path === undefined) addProblem('is missing', index, 'previous_path');
      if (action === 'update' && data.content === undefined) addProblem('is missing', index, 'content');
      if (action === 'chmod' && data.execute_filemode === undefined) addProblem('is missing', index, 'execute_filemode');
      const encoding = data.encoding ?? 'text';
      if (encoding !== 'text' && encoding !== 'base64') addProblem('does not have a valid value', index, 'encoding');
      actions.push({
        action,
        path: plainPath(data.file_path ?? ''),
        previousPath: action === 'move' ? plainPath(data.previous_path ?? '') : undefined,
        content: data.content === undefined ? undefined : contentOf(data.content, encoding),
        executable: data.execute_filemode,
        lastCommitId: data.last_commit_id,
      });
    }
    return actions;
  });

/** Decodes the content of a file. */
export function contentOf(content: string, encoding: string): Buffer {
  return encoding === 'base64' ? Buffer.from(content, 'base64') : Buffer.from(content.toWellFormed());
}
