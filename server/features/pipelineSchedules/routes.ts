import { demandOneOf } from '../../http/combinations.ts';
import * as z from 'zod';
import { isoTime } from '../../core/clock.ts';
import { refusedChange } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { id, listOf, moment, named } from '../../http/responses.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { presentUserBasic, userBasic } from '../profiles/profiles.ts';
import {
  pipelineBasic,
  presentPipelineBasic,
  demandWritable,
  findPipelines,
  listedPipelines,
  newestScheduledPipeline,
} from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { pipelineVariable, presentPipelineVariable } from '../pipelineVariables/pipelineVariables.ts';
import { demandSchedule, inProject, metadata, mustFindSchedule, one, schedules } from './route.ts';
import { scheduleVariableRoutes } from './variableRoutes.ts';
import { createSchedule, permissionsOf, runSchedule, type Schedule, scheduleVariables, updateSchedule } from './schedules.ts';
import { countSchedules, deleteScheduleRow, listSchedules } from './store.ts';

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

const listParameters = () => ({ id: required(string), scope: oneOf(['active', 'inactive'])(), ...pageParameters() });

const createParameters = () => ({
  id: required(string),
  description: required(string),
  ref: filled(),
  cron: required(string),
  cron_timezone: fallback('UTC', string),
  active: fallback(true, boolean),
});

const changes = () => ({
  description: string(),
  ref: string(),
  cron: string(),
  cron_timezone: string(),
  active: boolean(),
});

const updateParameters = () => ({ ...inProject(), ...changes() });

const listPipelinesParameters = () => ({ ...inProject(), ...pageParameters() });

/** Returns the routes of pipeline schedules and their variables. */
export function pipelineScheduleRoutes(): Route[] {
  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: schedules,
        body: listOf(listed),
        params: listParameters,
      },
      'visible',
      list,
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: schedules,
        body: detailed,
        params: createParameters,
      },
      'developer',
      create,
    ),
    projectRoute({ ...metadata, method: 'GET', path: one, body: detailed, params: inProject }, 'visible', show),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        path: one,
        body: detailed,
        params: updateParameters,
      },
      'developer',
      update,
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: one, params: inProject }, 'developer', remove),
    projectRoute(
      { ...metadata, method: 'POST', path: `${one}/take_ownership`, body: detailed, params: inProject },
      'developer',
      takeOwnership,
    ),
    projectRoute({ ...metadata, method: 'POST', path: `${one}/play`, body: created, params: inProject }, 'developer', play),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${one}/pipelines`,
        body: listOf(pipelineBasic),
        params: listPipelinesParameters,
      },
      listPipelines,
    ),
    ...scheduleVariableRoutes(),
  ];
}

function list(request: ProjectRequest<ParametersOf<typeof listParameters>>) {
  const { params, project, baseUrl, context } = request;
  const { core } = context;
  const active = params.scope === undefined ? undefined : params.scope === 'active';
  const filter = { projectId: project.id, active };
  const pages = {
    count: (cap: number) => countSchedules(core.store, filter, cap),
    rows: (limit: number, offset: number) => listSchedules(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (schedule) => present(core, schedule, baseUrl)));
}

function create(request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  const { params, caller, context } = request;
  const { core } = context;
  demandWritable(request.project);
  const { description, ref, cron, cron_timezone: timeZone, active } = params;
  const input = { description, ref, cron, timeZone, active };
  return presentDetails(core, createSchedule(core, request, caller.user, input), request);
}

function show(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  return presentDetails(core, mustFindSchedule(core, request, request.params.pipeline_schedule_id), request);
}

function update(request: ProjectRequest<ParametersOf<typeof updateParameters>>) {
  const { core } = request.context;
  const { description, ref, cron, cron_timezone: timeZone, active, pipeline_schedule_id: number } = request.params;
  demandOneOf(request, Object.keys(changes()));
  demandWritable(request.project);
  const schedule = demandSchedule(core, request, number, 'update');
  const input = { description, ref: ref === '' ? undefined : ref, cron, timeZone, active };
  return presentDetails(core, updateSchedule(core, schedule, input), request);
}

function remove(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  deleteScheduleRow(core.store, demandSchedule(core, request, request.params.pipeline_schedule_id, 'admin').id);
}

function takeOwnership(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  const schedule = demandSchedule(core, request, request.params.pipeline_schedule_id, 'admin');
  return presentDetails(core, updateSchedule(core, schedule, { ownerId: request.caller.user.id }), request);
}

function play(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  const schedule = demandSchedule(core, request, request.params.pipeline_schedule_id, 'play');
  if (runSchedule(core, request, schedule, request.caller.user) === undefined) {
    throw refusedChange('Reference not found', 'the branch or tag of the schedule does not exist');
  }
  return { message: '201 Created' };
}

function listPipelines(request: ApiRequest<ParametersOf<typeof listPipelinesParameters>> & FoundProject) {
  const { params, project, baseUrl, context } = request;
  const { core } = context;
  const pages = listedPipelines(core, {
    projectId: project.id,
    scheduleId: mustFindSchedule(core, request, params.pipeline_schedule_id).id,
  });
  return new RawResponse(offsetResponse(request, params, pages, (row) => presentPipelineBasic(row, project, baseUrl)));
}

function present(core: Core, schedule: Schedule, baseUrl: string) {
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
}

function presentDetails(core: Core, schedule: Schedule, request: FoundProject & { readonly baseUrl: string }) {
  const { project, baseUrl } = request;
  const pipelineId = newestScheduledPipeline(core.store, schedule.id);
  const pipeline = pipelineId === undefined ? undefined : findPipelines(core, [pipelineId]).get(pipelineId);
  return {
    ...present(core, schedule, baseUrl),
    last_pipeline: pipeline === undefined ? null : presentPipelineBasic(pipeline, project, baseUrl),
    ...(permissionsOf(core, request, schedule).admin
      ? { variables: scheduleVariables(core, schedule.id).map(presentPipelineVariable) }
      : {}),
  };
}
