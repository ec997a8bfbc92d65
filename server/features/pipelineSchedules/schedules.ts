import { branchHead, findTag } from '../git/git.ts';
import { invalidRecord } from '../../http/failures.ts';
import { findUser, type User } from '../identity/identity.ts';
import { createPipeline, mayRunOn, type Pipeline } from '../pipelines/pipelines.ts';
import type { Platform } from '../../platform.ts';
import { findProject, type FoundProject, holdsRole } from '../projects/projects.ts';
import { seal, unseal } from '../../core/sealing.ts';
import { isLimitReached } from '../settings/planLimits.ts';
import { type PipelineVariable, recordVariables } from '../ciVariables/pipelineVariables.ts';
import { isVariableKey, type VariableType } from '../ciVariables/rules.ts';
import { type Cron, isTimeZone, nextTime, parseCron } from './cron.ts';
import {
  countSchedules,
  dueSchedules,
  insertRun,
  insertSchedule,
  insertVariable,
  listVariables,
  nextRun,
  scheduleById,
  type ScheduleRow,
  variableByKey,
  writeSchedule,
  writeVariable,
} from './store.ts';

export type Schedule = ScheduleRow;

/** Number of schedules that run at once. */
const SLICE = 20;

export interface ScheduleInput {
  readonly description?: string | undefined;
  /** Name of a branch or tag, perhaps with `refs/heads/` or `refs/tags/`. */
  readonly ref?: string | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly active?: boolean | undefined;
}

/**
 * Creates a schedule that runs as a user.
 *
 * @throws {WireFailure} 400 for validation errors.
 */
export function createSchedule(
  platform: Platform,
  { project }: FoundProject,
  owner: User,
  input: ScheduleInput & { readonly description: string; readonly ref: string; readonly cron: string },
): Schedule {
  const { store, clock } = platform;
  const { description, ref, timeZone = 'UTC' } = input;
  const cron = checkedCron(input.cron, timeZone);
  return store.transaction(() => {
    const count = countSchedules(store, { projectId: project.id }, 10_000);
    if (isLimitReached(platform, 'ci_pipeline_schedules', count)) {
      throw invalidRecord({ base: [`Maximum number of pipeline schedules (${count}) exceeded`] });
    }
    const now = clock.now();
    const id = insertSchedule(store, {
      project_id: project.id,
      description,
      ref,
      cron: input.cron,
      cron_timezone: timeZone,
      active: input.active === false ? 0 : 1,
      owner_id: owner.id,
      next_run_at: nextTime(cron, timeZone, now) ?? null,
      created_at: now,
      updated_at: now,
    });
    return mustFind(platform, project.id, id);
  });
}

/** @throws {WireFailure} 400 for validation errors. */
export function updateSchedule(
  platform: Platform,
  schedule: Schedule,
  input: ScheduleInput & { readonly ownerId?: number | undefined },
): Schedule {
  const { store, clock } = platform;
  const { cron: text = schedule.cron, timeZone = schedule.cron_timezone } = input;
  const cron = checkedCron(text, timeZone);
  const now = clock.now();
  writeSchedule(store, {
    id: schedule.id,
    description: input.description ?? schedule.description,
    ref: input.ref ?? schedule.ref,
    cron: text,
    cron_timezone: timeZone,
    active: (input.active ?? schedule.active === 1) ? 1 : 0,
    owner_id: input.ownerId ?? schedule.owner_id,
    next_run_at: nextTime(cron, timeZone, now) ?? null,
    updated_at: now,
  });
  return mustFind(platform, schedule.project_id, schedule.id);
}

function mustFind({ store }: Platform, projectId: number, id: number): Schedule {
  const row = scheduleById(store, projectId, id);
  if (row === undefined) throw new Error(`pipeline schedule ${id} does not exist`);
  return row;
}

/** @throws {WireFailure} 400 */
function checkedCron(text: string, timeZone: string): Cron {
  const cron = parseCron(text);
  const errors = {
    ...(cron === undefined ? { cron: ['is invalid syntax'] } : {}),
    ...(isTimeZone(timeZone) ? {} : { cron_timezone: ['is invalid syntax'] }),
  };
  if (cron === undefined || Object.keys(errors).length > 0) throw invalidRecord(errors);
  return cron;
}

/** What a user may do with a schedule. */
export interface SchedulePermissions {
  readonly play: boolean;
  readonly update: boolean;
  readonly takeOwnership: boolean;
  readonly admin: boolean;
}

export function permissionsOf(platform: Platform, found: FoundProject, schedule: Schedule): SchedulePermissions {
  const isDeveloper = holdsRole(found.access, 'developer');
  const isOwner = isDeveloper && schedule.owner_id === found.userId;
  const isMaintainer = holdsRole(found.access, 'maintainer');
  return {
    play: isDeveloper && mayRunOn(platform, found, refName(schedule.ref)),
    update: isOwner,
    takeOwnership: isMaintainer && !isOwner,
    admin: isOwner || isMaintainer,
  };
}

/** Returns the name of a branch or tag without the prefix of a full ref. */
export function refName(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '');
}

/** Starts a pipeline of a schedule. Returns undefined if its branch or tag is missing. */
export function runSchedule(platform: Platform, found: FoundProject, schedule: Schedule, user: User): Pipeline | undefined {
  const name = refName(schedule.ref);
  const ofBranch = schedule.ref.startsWith('refs/tags/') ? undefined : branchHead(platform, found.project.id, name);
  const ofTag = ofBranch === undefined ? findTag(platform, found.project.id, name)?.commit_id : undefined;
  const sha = ofBranch ?? ofTag;
  if (sha === undefined) return undefined;
  return platform.store.transaction(() => {
    const start = { ref: name, sha, isTag: ofTag !== undefined, source: 'schedule' } as const;
    const pipeline = createPipeline(platform, found, user, start);
    insertRun(platform.store, schedule.id, pipeline.id);
    recordVariables(platform, pipeline.id, scheduleVariables(platform, schedule.id));
    return pipeline;
  });
}

/** Starts the pipelines of schedules when their time comes. Runs that were missed are not repeated. */
export function scheduleRuns(platform: Platform): void {
  const { store, schedule: work } = platform;
  work.add({
    name: 'pipeline schedules',
    next: () => nextRun(store),
    run: (now) => {
      const due = dueSchedules(store, now, SLICE);
      for (const schedule of due) {
        store.transaction(() => {
          const cron = parseCron(schedule.cron);
          const next = cron === undefined ? undefined : nextTime(cron, schedule.cron_timezone, now);
          writeSchedule(store, { ...schedule, next_run_at: next ?? null });
          const owner = schedule.owner_id === null ? undefined : findUser(platform, schedule.owner_id);
          if (owner?.state !== 'active') return;
          const found = findProject(platform, schedule.project_id, { user: owner });
          if (found === undefined || found.project.archived === 1 || !permissionsOf(platform, found, schedule).play) return;
          runSchedule(platform, found, schedule, owner);
        });
      }
      return due.length === SLICE;
    },
  });
}

const sealedAs = (scheduleId: number, key: string): string => `variable ${key} of pipeline schedule ${scheduleId}`;

export interface ScheduleVariableInput {
  readonly key: string;
  readonly value: string;
  readonly type: VariableType;
}

/** @throws {WireFailure} 400 for a key that is invalid or taken. */
export function addScheduleVariable(platform: Platform, { id }: Schedule, { key, value, type }: ScheduleVariableInput): void {
  const { store } = platform;
  if (!isVariableKey(key)) throw invalidRecord({ key: ["can contain only letters, digits and '_'."] });
  store.transaction(() => {
    if (variableByKey(store, id, key) !== undefined) throw invalidRecord({ key: ['has already been taken'] });
    insertVariable(store, id, { key, sealed_value: seal(platform, sealedAs(id, key), value), variable_type: type, raw: 0 });
  });
}

/** Changes a variable; returns false if the schedule has none with this key. */
export function changeScheduleVariable(
  platform: Platform,
  { id }: Schedule,
  key: string,
  input: { readonly value: string; readonly type: VariableType | undefined },
): boolean {
  const row = variableByKey(platform.store, id, key);
  if (row === undefined) return false;
  writeVariable(platform.store, {
    id: row.id,
    sealed_value: seal(platform, sealedAs(id, key), input.value),
    variable_type: input.type ?? row.variable_type,
  });
  return true;
}

/** Returns the variables of a schedule. A value that was sealed with another key, as after a copy of the data, is empty. */
export function scheduleVariables(platform: Platform, scheduleId: number): PipelineVariable[] {
  return listVariables(platform.store, scheduleId).map((row) => ({
    key: row.key,
    value: unseal(platform, sealedAs(scheduleId, row.key), row.sealed_value) ?? '',
    type: row.variable_type,
    raw: row.raw === 1,
  }));
}
