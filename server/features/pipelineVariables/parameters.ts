import * as z from 'zod';
import { declare, type Parameter } from '../../http/params.ts';
import { lazy } from '../../support/lazy.ts';
import { isVariableKey, type PipelineVariable, variableTypes } from './rules.ts';

/** Maximum number of variables in a request. */
const MAX_VARIABLES = 100;

const shape = lazy(() => {
  const text = z.union([z.string(), z.number().transform(String)]);
  return z.object({
    key: text.refine(isVariableKey),
    value: z.preprocess((raw) => raw ?? undefined, text.optional()),
    variable_type: z.preprocess((raw) => raw ?? undefined, z.enum(variableTypes).optional()),
  });
});

/** Variables of a pipeline: an array of objects or, in a form, members with indexes. */
export const variablesParameter = (): Parameter<readonly PipelineVariable[] | undefined> =>
  declare(schema(), {
    kind: 'objects',
    required: false,
    members: {
      key: { kind: 'string', required: true },
      value: { kind: 'string', required: false },
      variable_type: { kind: 'enum', required: false, values: variableTypes },
    },
  });

const schema = (): Parameter<readonly PipelineVariable[] | undefined> =>
  z.unknown().transform((raw, context): readonly PipelineVariable[] | undefined => {
    if (raw === undefined || raw === null || raw === '') return undefined;
    const isNumbered = typeof raw === 'object' && !Array.isArray(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key));
    const list: unknown = isNumbered ? Object.values(raw) : raw;
    const read = z.array(shape()).max(MAX_VARIABLES).safeParse(list);
    if (!read.success) {
      context.addIssue({ code: 'custom', message: 'is invalid' });
      return z.NEVER;
    }
    return read.data.map(({ key, value = '', variable_type: type = 'env_var' }) => ({ key, value, type, raw: false }));
  });
