import * as z from 'zod';
import { declare, type Parameter } from '../../http/params.ts';
import { lazy } from '../../support/lazy.ts';
import type { FileInput } from './manageSnippets.ts';

const kinds = ['create', 'update', 'delete', 'move'] as const;

/** Maximum number of files that are parsed; the limit of a snippet is lower. */
const MAX_FILES_READ = 1000;

const shape = lazy(() => {
  const text = z.union([z.string(), z.number().transform(String)]);
  /** Treats null like a missing member. */
  const sent = z.preprocess((raw) => raw ?? undefined, text.optional());
  return z.object({ action: sent, file_path: sent, previous_path: sent, content: sent });
});

/** The files of a new snippet: an array of objects or, in a form, members with indexes. */
export const newFiles = (): Parameter<readonly FileInput[] | undefined> =>
  declare(schemaOf(true), {
    kind: 'objects',
    required: false,
    members: { file_path: { kind: 'string', required: true }, content: { kind: 'string', required: true } },
  });

/** The file changes of a snippet. */
export const changedFiles = (): Parameter<readonly FileInput[] | undefined> =>
  declare(schemaOf(false), {
    kind: 'objects',
    required: false,
    members: {
      action: { kind: 'enum', required: true, values: kinds },
      file_path: { kind: 'string', required: false },
      previous_path: { kind: 'string', required: false },
      content: { kind: 'string', required: false },
    },
  });

const schemaOf = (isNew: boolean): Parameter<readonly FileInput[] | undefined> =>
  z.unknown().transform((raw, context): readonly FileInput[] | undefined => {
    const addProblem = (message: string, ...path: (string | number)[]): void => {
      context.addIssue({ code: 'custom', message, path });
    };
    if (raw === undefined || raw === null || raw === '') return undefined;
    const isNumbered = typeof raw === 'object' && !Array.isArray(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key));
    const list: unknown = isNumbered ? Object.values(raw) : raw;
    if (!Array.isArray(list)) {
      addProblem('is invalid');
      return z.NEVER;
    }
    if (list.length > MAX_FILES_READ) {
      addProblem(`has too many values (maximum is ${MAX_FILES_READ})`);
      return z.NEVER;
    }
    const inputs: FileInput[] = [];
    for (const [index, item] of list.entries()) {
      const read = shape().safeParse(item);
      if (!read.success) {
        addProblem('is invalid', index);
        continue;
      }
      const { data } = read;
      const action = isNew ? 'create' : kinds.find((kind) => kind === data.action);
      if (action === undefined) {
        addProblem(data.action === undefined ? 'is missing' : 'does not have a valid value', index, 'action');
        continue;
      }
      if (isNew && data.file_path === undefined) addProblem('is missing', index, 'file_path');
      if (isNew && data.content === undefined) addProblem('is missing', index, 'content');
      if (action === 'move' && data.previous_path === undefined) addProblem('is missing', index, 'previous_path');
      inputs.push({ action, path: data.file_path, previousPath: data.previous_path, content: data.content });
    }
    return inputs;
  });
