import type { Store } from '../../store/open.ts';
import type { VariableType } from './rules.ts';

export interface PipelineVariableRow {
  readonly key: string;
  readonly sealed_value: string;
  readonly variable_type: VariableType;
  readonly raw: 0 | 1;
}

export function insertPipelineVariable(store: Store, pipelineId: number, row: PipelineVariableRow): void {
  store.run(
    `INSERT INTO pipeline_variables (pipeline_id, key, sealed_value, variable_type, raw)
     VALUES ($pipelineId, $key, $sealed_value, $variable_type, $raw)`,
    { pipelineId, ...row },
  );
}

export function pipelineVariablesOf(store: Store, pipelineId: number): PipelineVariableRow[] {
  return store.all<PipelineVariableRow>(
    'SELECT key, sealed_value, variable_type, raw FROM pipeline_variables WHERE pipeline_id = $pipelineId ORDER BY id',
    { pipelineId },
  );
}
