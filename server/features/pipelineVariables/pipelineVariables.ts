import type { Core } from '../../core/core.ts';
import { seal, unseal } from '../../core/sealing.ts';
import type { PipelineVariable } from './rules.ts';
import { insertPipelineVariable, pipelineVariablesOf } from './store.ts';

export { variablesParameter } from './parameters.ts';
export { pipelineVariable, presentPipelineVariable } from './responses.ts';
export { isVariableKey, type PipelineVariable, type VariableType, variableTypes } from './rules.ts';

// Variables with which pipelines were started. Their values are sealed, because forwarded ones can be secrets.

const sealedAs = (pipelineId: number, key: string): string => `variable ${key} of pipeline ${pipelineId}`;

/** Stores the variables of a new pipeline. The last one of a key counts. */
export function recordVariables(core: Core, pipelineId: number, variables: readonly PipelineVariable[]): void {
  core.store.transaction(() => {
    for (const { key, value, type, raw } of new Map(variables.map((variable) => [variable.key, variable])).values()) {
      insertPipelineVariable(core.store, pipelineId, {
        key,
        sealed_value: seal(core, sealedAs(pipelineId, key), value),
        variable_type: type,
        raw: raw ? 1 : 0,
      });
    }
  });
}

/** Returns the variables of a pipeline. A value that was sealed with another key, as after a copy of the data, is empty. */
export function variablesOfPipeline(core: Core, pipelineId: number): PipelineVariable[] {
  return pipelineVariablesOf(core.store, pipelineId).map((row) => ({
    key: row.key,
    value: unseal(core, sealedAs(pipelineId, row.key), row.sealed_value) ?? '',
    type: row.variable_type,
    raw: row.raw === 1,
  }));
}
