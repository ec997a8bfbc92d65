import { stateIn } from '../../../src/contract/deprecations.ts';
import { isProtected, isProtectedTag } from '../pushes/pushes.ts';
import type { Pipeline } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { type PipelineVariable, variablesOfPipeline } from '../pipelineVariables/pipelineVariables.ts';
import { expand, referencesIn } from './rules.ts';
import { groupsAround, listVariables, type VariableContainer } from './store.ts';
import { valueOf } from './variables.ts';

// Variables that a job passes to the pipeline that it starts (docs/interface.md#cicd-variables).

/** Maximum number of variables of a container that count. */
const MAX_VARIABLES = 8000;

interface KnownVariable {
  readonly value: string;
  /** True if the value may not reach the other project from the release on that limits protected variables. */
  readonly isWithheld: boolean;
}

export interface Forwarding {
  readonly from: { readonly project: Project; readonly pipeline: Pipeline };
  /** Project of the new pipeline. */
  readonly to: Pick<Project, 'id'>;
  /** Variables of the job, whose values can refer to others. */
  readonly variables: readonly PipelineVariable[];
  /** True to pass on the variables with which the pipeline of the job was started. */
  readonly withPipelineVariables: boolean;
}

/**
 * Returns the variables that the new pipeline receives. A variable whose value refers to a withheld protected variable is left out from the
 * release on that limits them; before, `noteProtected` is called for it.
 */
export function forwardedVariables(
  core: Core,
  { from, to, variables, withPipelineVariables }: Forwarding,
  noteProtected: () => void,
): PipelineVariable[] {
  const started = variablesOfPipeline(core, from.pipeline.id);
  const known = knownVariables(core, from, to);
  for (const { key, value } of started) known.set(key, { value, isWithheld: false });
  const values = new Map([...known].map(([key, { value }]) => [key, value]));
  const isLimited = stateIn('forwarded-protected-variables', core.profile.release) === 'removed';
  const passed = variables.flatMap((variable) => {
    if (referencesIn(variable.value).some((key) => known.get(key)?.isWithheld === true)) {
      if (isLimited) return [];
      noteProtected();
    }
    return [{ ...variable, value: expand(variable.value, values) }];
  });
  return [...passed, ...(withPipelineVariables ? started : [])];
}

/** Returns the variables of the project and its groups that a pipeline sees. Inner containers take precedence. */
function knownVariables(
  core: Core,
  { project, pipeline }: Forwarding['from'],
  to: Pick<Project, 'id'>,
): Map<string, KnownVariable> {
  const { store } = core;
  const seesProtected =
    pipeline.is_tag === 1 ? isProtectedTag(core, project, pipeline.ref) : isProtected(core, project, pipeline.ref);
  const known = new Map<string, KnownVariable>();
  const groupsOfTarget = groupsAround(store, to.id);
  const containers: VariableContainer[] = [
    ...groupsAround(store, project.id)
      .toReversed()
      .map((groupId) => ({ groupId })),
    { projectId: project.id },
  ];
  for (const container of containers) {
    const reaches = 'groupId' in container ? groupsOfTarget.includes(container.groupId) : container.projectId === to.id;
    for (const row of listVariables(store, container, MAX_VARIABLES, 0)) {
      // No job has an environment here, so only variables of all environments apply.
      if (row.environment_scope !== '*' || (row.protected === 1 && !seesProtected)) continue;
      known.set(row.key, { value: valueOf(core, container, row), isWithheld: row.protected === 1 && !reaches });
    }
  }
  return known;
}
