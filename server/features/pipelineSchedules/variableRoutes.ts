import { nothingFound, notFound } from '../../core/errors.ts';
import { oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { pipelineVariable, presentPipelineVariable, variableTypes } from '../pipelineVariables/pipelineVariables.ts';
import { demandSchedule, inProject, metadata, one } from './route.ts';
import { addScheduleVariable, changeScheduleVariable, type Schedule, scheduleVariables } from './schedules.ts';
import { deleteVariableRow, variableByKey } from './store.ts';

const ofVariable = () => ({ ...inProject(), key: required(string) });

const valueParameters = () => ({ ...ofVariable(), value: required(string), variable_type: oneOf(variableTypes)() });

/** Returns the routes of the variables of schedules. */
export function scheduleVariableRoutes(): Route[] {
  return [
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${one}/variables`,
        body: pipelineVariable,
        params: valueParameters,
      },
      'developer',
      create,
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: `${one}/variables/:key`,
        body: pipelineVariable,
        params: valueParameters,
      },
      'developer',
      update,
    ),
    projectRoute(
      {
        ...metadata,
        method: 'DELETE',
        path: `${one}/variables/:key`,
        successStatus: 202,
        body: pipelineVariable,
        params: ofVariable,
      },
      'developer',
      remove,
    ),
  ];
}

function create(request: ProjectRequest<ParametersOf<typeof valueParameters>>) {
  const { core } = request.context;
  const { key, value, variable_type: kind = 'env_var', pipeline_schedule_id: number } = request.params;
  const schedule = demandSchedule(core, request, number, 'update');
  addScheduleVariable(core, schedule, { key, value, type: kind });
  return presentOneVariable(core, schedule, key);
}

function update(request: ProjectRequest<ParametersOf<typeof valueParameters>>) {
  const { core } = request.context;
  const { key, value, variable_type: kind, pipeline_schedule_id: number } = request.params;
  const schedule = demandSchedule(core, request, number, 'update');
  if (!changeScheduleVariable(core, schedule, key, { value, type: kind })) throw notFound('Variable');
  return presentOneVariable(core, schedule, key);
}

function remove(request: ProjectRequest<ParametersOf<typeof ofVariable>>) {
  const { core } = request.context;
  const { key, pipeline_schedule_id: number } = request.params;
  const schedule = demandSchedule(core, request, number, 'update');
  const row = variableByKey(core.store, schedule.id, key);
  if (row === undefined) throw nothingFound('the schedule has no variable with this key');
  const shown = presentOneVariable(core, schedule, key);
  deleteVariableRow(core.store, row.id);
  return shown;
}

function presentOneVariable(core: Core, schedule: Schedule, key: string) {
  const found = scheduleVariables(core, schedule.id).find((row) => row.key === key);
  if (found === undefined) throw notFound('Variable');
  return presentPipelineVariable(found);
}
