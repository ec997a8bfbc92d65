import * as z from 'zod';
import { isoTime } from '../../core/clock.ts';
import { forbidden, nothingFound, notFound, refusedChange } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, oneOf, required, string } from '../../http/params.ts';
import { id, listOf, moment, named } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { findUser, presentUserBasic, userBasic } from '../identity/identity.ts';
import { pipelineBasic, presentPipelineBasic, demandWritable, findPipelines, listedPipelines } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, projectRoute } from '../projects/projects.ts';
import { pipelineVariable, presentPipelineVariable, variableTypes } from '../pipelineVariables/pipelineVariables.ts';
import {
  addScheduleVariable,
  changeScheduleVariable,
  createSchedule,
  permissionsOf,
  runSchedule,
  type Schedule,
  type SchedulePermissions,
  scheduleVariables,
  updateSchedule,
} from './schedules.ts';
import {
  countSchedules,
  deleteScheduleRow,
  deleteVariableRow,
  listSchedules,
  newestRuns,
  scheduleById,
  variableByKey,
} from './store.ts';

const members = () => ({
  id: id(),
  description: z.string(),
  ref: z.string(),
  cron: z.string(),
  cron_timezone: z.string(),
  next_run_at: moment().nullable(),
  active: z.boolean(),
  created_at: moment(),
  updated_at: moment(),
  owner: userBasic().nullable(),
});
const listed = named('PipelineSchedule', () => z.strictObject(members()));
const detailed = named('PipelineScheduleDetails', () =>
  z.strictObject({
    ...members(),
    last_pipeline: pipelineBasic().nullable(),
    // Only for those who can change the schedule.
    variables: z.array(pipelineVariable()).exactOptional(),
  }),
);
const created = named('Created', () => z.strictObject({ message: z.literal('201 Created') }));

const inProject = () => ({ id: required(string), pipeline_schedule_id: required(integer) });
const ofVariable = () => ({ ...inProject(), key: required(string) });
const type = () => oneOf(variableTypes)();

/** Returns the routes of pipeline schedules and their variables. */
export function pipelineScheduleRoutes(core: Core): Route[] {
  const { store } = core;
  const metadata = { specRef: 'Pipeline schedules', status: 'inferred', key: 'id' } as const;
  const schedules = '/api/v4/projects/:id/pipeline_schedules';
  const one = `${schedules}/:pipeline_schedule_id`;

  const mustFind = ({ project }: FoundProject, number: number): Schedule => {
    const schedule = scheduleById(store, project.id, number);
    if (schedule === undefined) throw notFound('Pipeline Schedule');
    return schedule;
  };
  /** @throws {WireFailure} 404, or 403 without the permission. */
  const demand = (found: FoundProject, number: number, permission: keyof SchedulePermissions): Schedule => {
    const schedule = mustFind(found, number);
    if (permissionsOf(core, found, schedule)[permission]) return schedule;
    throw forbidden(
      undefined,
      'only the owner of the schedule can change it; maintainers can take the ownership',
      'schedule.owner',
    );
  };
  const present = (schedule: Schedule, baseUrl: string) => {
    const owner = schedule.owner_id === null ? undefined : findUser(core, schedule.owner_id);
    return {
      id: schedule.id,
      description: schedule.description,
      ref: schedule.ref,
      cron: schedule.cron,
      cron_timezone: schedule.cron_timezone,
      next_run_at: schedule.next_run_at === null ? null : isoTime(schedule.next_run_at),
      active: schedule.active === 1,
      created_at: isoTime(schedule.created_at),
      updated_at: isoTime(schedule.updated_at),
      owner: owner === undefined ? null : presentUserBasic(core, owner, baseUrl),
    };
  };
  const presentDetails = (schedule: Schedule, request: FoundProject & { readonly baseUrl: string }) => {
    const { project, baseUrl } = request;
    const pipelineId = newestRuns(store, [schedule.id]).get(schedule.id);
    const pipeline = pipelineId === undefined ? undefined : findPipelines(core, [pipelineId]).get(pipelineId);
    return {
      ...present(schedule, baseUrl),
      last_pipeline: pipeline === undefined ? null : presentPipelineBasic(pipeline, project, baseUrl),
      ...(permissionsOf(core, request, schedule).admin
        ? { variables: scheduleVariables(core, schedule.id).map(presentPipelineVariable) }
        : {}),
    };
  };
  const presentOneVariable = (schedule: Schedule, key: string) => {
    const found = scheduleVariables(core, schedule.id).find((row) => row.key === key);
    if (found === undefined) throw notFound('Variable');
    return presentPipelineVariable(found);
  };

  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: schedules,
        body: listOf(listed),
        params: () => ({ id: required(string), scope: oneOf(['active', 'inactive'])(), ...pageParameters() }),
      },
      'visible',
      (request) => {
        const { params, project, baseUrl } = request;
        const active = params.scope === undefined ? undefined : params.scope === 'active';
        const filter = { projectId: project.id, active };
        const list = {
          count: (cap: number) => countSchedules(store, filter, cap),
          rows: (limit: number, offset: number) => listSchedules(store, filter, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, (schedule) => present(schedule, baseUrl)));
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: schedules,
        body: detailed,
        params: () => ({
          id: required(string),
          description: required(string),
          ref: filled(),
          cron: required(string),
          cron_timezone: fallback('UTC', string),
          active: fallback(true, boolean),
        }),
      },
      'developer',
      (request) => {
        const { params, caller } = request;
        demandWritable(request.project);
        const { description, ref, cron, cron_timezone: timeZone, active } = params;
        const input = { description, ref, cron, timeZone, active };
        return presentDetails(createSchedule(core, request, caller.user, input), request);
      },
    ),
    projectRoute({ ...metadata, method: 'GET', path: one, body: detailed, params: inProject }, 'visible', (request) =>
      presentDetails(mustFind(request, request.params.pipeline_schedule_id), request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: one,
        body: detailed,
        params: () => ({
          ...inProject(),
          description: string(),
          ref: string(),
          cron: string(),
          cron_timezone: string(),
          active: boolean(),
        }),
      },
      'developer',
      (request) => {
        const { description, ref, cron, cron_timezone: timeZone, active, pipeline_schedule_id: number } = request.params;
        demandWritable(request.project);
        const schedule = demand(request, number, 'update');
        const input = { description, ref: ref === '' ? undefined : ref, cron, timeZone, active };
        return presentDetails(updateSchedule(core, schedule, input), request);
      },
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: one, params: inProject }, 'developer', (request) => {
      deleteScheduleRow(store, demand(request, request.params.pipeline_schedule_id, 'admin').id);
    }),
    projectRoute(
      { ...metadata, method: 'POST', path: `${one}/take_ownership`, body: detailed, params: inProject },
      'developer',
      (request) => {
        demandWritable(request.project);
        const schedule = demand(request, request.params.pipeline_schedule_id, 'admin');
        return presentDetails(updateSchedule(core, schedule, { ownerId: request.caller.user.id }), request);
      },
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${one}/play`, body: created, params: inProject },
      'developer',
      (request) => {
        demandWritable(request.project);
        const schedule = demand(request, request.params.pipeline_schedule_id, 'play');
        if (runSchedule(core, request, schedule, request.caller.user) === undefined) {
          throw refusedChange('Reference not found', 'the branch or tag of the schedule does not exist');
        }
        return { message: '201 Created' };
      },
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${one}/pipelines`,
        body: listOf(pipelineBasic),
        params: () => ({ ...inProject(), ...pageParameters() }),
      },
      (request) => {
        const { params, project, baseUrl } = request;
        const list = listedPipelines(core, {
          projectId: project.id,
          scheduleId: mustFind(request, params.pipeline_schedule_id).id,
        });
        return new RawResponse(offsetResponse(request, params, list, (row) => presentPipelineBasic(row, project, baseUrl)));
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${one}/variables`,
        body: pipelineVariable,
        params: () => ({ ...ofVariable(), value: required(string), variable_type: type() }),
      },
      'developer',
      (request) => {
        const { key, value, variable_type: kind = 'env_var', pipeline_schedule_id: number } = request.params;
        const schedule = demand(request, number, 'update');
        addScheduleVariable(core, schedule, { key, value, type: kind });
        return presentOneVariable(schedule, key);
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: `${one}/variables/:key`,
        body: pipelineVariable,
        params: () => ({ ...ofVariable(), value: required(string), variable_type: type() }),
      },
      'developer',
      (request) => {
        const { key, value, variable_type: kind, pipeline_schedule_id: number } = request.params;
        const schedule = demand(request, number, 'update');
        if (!changeScheduleVariable(core, schedule, key, { value, type: kind })) throw notFound('Variable');
        return presentOneVariable(schedule, key);
      },
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
      (request) => {
        const { key, pipeline_schedule_id: number } = request.params;
        const schedule = demand(request, number, 'update');
        const row = variableByKey(store, schedule.id, key);
        if (row === undefined) throw nothingFound('the schedule has no variable with this key');
        const shown = presentOneVariable(schedule, key);
        deleteVariableRow(store, row.id);
        return shown;
      },
    ),
  ];
}
