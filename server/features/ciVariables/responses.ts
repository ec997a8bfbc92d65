import * as z from 'zod';
import { named } from '../../http/responses.ts';
import { variableTypes } from '../pipelineVariables/pipelineVariables.ts';

export const variable = named('Variable', () =>
  z.strictObject({
    variable_type: z.enum(variableTypes),
    key: z.string(),
    // Null if the variable is hidden.
    value: z.string().nullable(),
    protected: z.boolean(),
    masked: z.boolean(),
    hidden: z.boolean(),
    raw: z.boolean(),
    environment_scope: z.string(),
    description: z.string().nullable(),
  }),
);
