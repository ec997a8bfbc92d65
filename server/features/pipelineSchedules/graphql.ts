import { connection, encodeCursor, globalId, timeOf } from '../../graphql/parts.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectFields } from '../projects/projects.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { permissionsOf, refName, type Schedule } from './schedules.ts';
import { listSchedules } from './store.ts';

/** Maximum number of schedules that a query returns. */
const MAX_SCHEDULES = 100;

export const pipelineSchedulesSdl = /* GraphQL */ `
  extend type Project {
    "Pipeline schedules of the project."
    pipelineSchedules("Filter pipeline schedules by active status." status: PipelineScheduleStatus): PipelineScheduleConnection
  }

  enum PipelineScheduleStatus {
    "Active pipeline schedules."
    ACTIVE
    "Inactive pipeline schedules."
    INACTIVE
  }

  "Represents a pipeline schedule."
  type PipelineSchedule {
    "Indicates if the pipeline schedule is active."
    active: Boolean!
    "Timestamp of when the pipeline schedule was created."
    createdAt: Time!
    "Cron notation for the schedule."
    cron: String!
    "Timezone for the pipeline schedule."
    cronTimezone: String!
    "Description of the pipeline schedule."
    description: String
    "ID of the pipeline schedule."
    id: ID!
    "Time when the next pipeline will run."
    nextRunAt: Time
    "Ref of the pipeline schedule."
    ref: String
    "Git ref for the pipeline schedule."
    refForDisplay: String
    "Timestamp of when the pipeline schedule was last updated."
    updatedAt: Time!
    "Permissions for the current user on the resource."
    userPermissions: PipelineSchedulePermissions!
  }

  "The connection type for PipelineSchedule."
  type PipelineScheduleConnection {
    "Total count of collection."
    count: Int!
    edges: [PipelineScheduleEdge]
    nodes: [PipelineSchedule]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type PipelineScheduleEdge {
    cursor: String!
    node: PipelineSchedule
  }

  type PipelineSchedulePermissions {
    "If true, the user can perform admin_pipeline_schedule on this resource."
    adminPipelineSchedule: Boolean!
    "If true, the user can perform play_pipeline_schedule on this resource."
    playPipelineSchedule: Boolean!
    "If true, the user can perform take_ownership_pipeline_schedule on this resource."
    takeOwnershipPipelineSchedule: Boolean! @deprecation(id: "take-ownership-permission")
    "If true, the user can perform update_pipeline_schedule on this resource."
    updatePipelineSchedule: Boolean!
  }
`;

/** Returns the fields that pipeline schedules add to projects. */
export function pipelineSchedulesOf(core: Core): ProjectFields {
  return (found) => ({
    pipelineSchedules: ({ status }: { readonly status?: unknown }) => {
      const active = status === undefined || status === null ? undefined : status === 'ACTIVE';
      const rows = listSchedules(core.store, { projectId: found.project.id, active }, MAX_SCHEDULES, 0);
      const cursorOf = (row: Schedule): string => encodeCursor([row.id]);
      const [first, last] = [rows[0], rows.at(-1)];
      const nodes = rows.map((row) => fieldsOf(core, found, row));
      return {
        count: rows.length,
        ...connection(nodes, (_, index) => (rows[index] === undefined ? '' : cursorOf(rows[index])), {
          hasNextPage: false,
          hasPreviousPage: false,
          startCursor: first === undefined ? null : cursorOf(first),
          endCursor: last === undefined ? null : cursorOf(last),
        }),
      };
    },
  });
}

function fieldsOf(core: Core, found: FoundProject, schedule: Schedule): Readonly<Record<string, unknown>> {
  const { play, update, takeOwnership, admin } = permissionsOf(core, found, schedule);
  return {
    active: schedule.active === 1,
    createdAt: timeOf(schedule.created_at),
    cron: schedule.cron,
    cronTimezone: schedule.cron_timezone,
    description: schedule.description,
    id: globalId('Ci::PipelineSchedule', schedule.id),
    nextRunAt: schedule.next_run_at === null ? null : timeOf(schedule.next_run_at),
    ref: schedule.ref,
    refForDisplay: refName(schedule.ref),
    updatedAt: timeOf(schedule.updated_at),
    userPermissions: {
      adminPipelineSchedule: admin,
      playPipelineSchedule: play,
      takeOwnershipPipelineSchedule: takeOwnership,
      updatePipelineSchedule: update,
    },
  };
}
