import * as z from 'zod';
import { named } from '../../http/responses.ts';
import { type PipelineVariable, variableTypes } from './rules.ts';

/** A variable of a pipeline or a pipeline schedule. */
export const pipelineVariable = named('PipelineVariable', () =>
  z.strictObject({ variable_type: z.enum(variableTypes), key: z.string(), value: z.string(), raw: z.boolean() }),
);

export function presentPipelineVariable({
  key,
  value,
  type,
  raw,
}: PipelineVariable): z.output<ReturnType<typeof pipelineVariable>> {
  return { variable_type: type, key, value, raw };
}
