import type { Core } from '../../core/core.ts';
import { forbidden, notFound } from '../../core/errors.ts';
import { integer, required, string } from '../../http/params.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { permissionsOf, type Schedule, type SchedulePermissions } from './schedules.ts';
import { scheduleById } from './store.ts';

export const metadata = { specRef: 'Pipeline schedules', status: 'inferred', key: 'id' } as const;

/** Path of the schedules of a project. */
export const schedules = '/api/v4/projects/:id/pipeline_schedules';

/** Path of a schedule. */
export const one = `${schedules}/:pipeline_schedule_id`;

/** Parameters of the path of a schedule. */
export const inProject = () => ({ id: required(string), pipeline_schedule_id: required(integer) });

/** Finds the schedule of a path. Throws `NotFound` if the project has none with this ID. */
export function mustFindSchedule(core: Core, { project }: FoundProject, id: number): Schedule {
  const schedule = scheduleById(core.store, project.id, id);
  if (schedule === undefined) throw notFound('Pipeline Schedule');
  return schedule;
}

/** Finds a schedule that the caller may change or play. Throws `NotFound`, or `Forbidden` without the permission. */
export function demandSchedule(core: Core, found: FoundProject, id: number, permission: keyof SchedulePermissions): Schedule {
  const schedule = mustFindSchedule(core, found, id);
  if (permissionsOf(core, found, schedule)[permission]) return schedule;
  throw forbidden(
    undefined,
    'only the owner of the schedule can change it; maintainers can take the ownership',
    'schedule.owner',
  );
}
