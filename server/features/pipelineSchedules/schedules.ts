import { branchHead, findTag } from '../git/git.ts';
import { invalidRecord } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { createPipeline, insertScheduledPipeline, mayRunOn, type Pipeline } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { seal, unseal } from '../../core/sealing.ts';
import { isLimitReached } from '../settings/settings.ts';
import {
  isVariableKey,
  type PipelineVariable,
  recordVariables,
  type VariableType,
} from '../pipelineVariables/pipelineVariables.ts';
import { type Cron, isTimeZone, nextTime, parseCron } from './cron.ts';
import {
  countSchedules,
  dueSchedules,
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
 * @throws {Invalid} For validation errors.
 */
export function createSchedule(
  core: Core,
  { project }: FoundProject,
  owner: User,
  input: ScheduleInput & { readonly description: string; readonly ref: string; readonly cron: string },
): Schedule {
  const { store, clock } = core;
  const { description, ref, timeZone = 'UTC' } = input;
  const cron = checkedCron(input.cron, timeZone);
  return store.transaction(() => {
    const count = countSchedules(store, { projectId: project.id }, 10_000);
    if (isLimitReached(core, 'ci_pipeline_schedules', count)) {
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
    return mustFind(core, project.id, id);
  });
}

/** @throws {Invalid} For validation errors. */
export function updateSchedule(
  core: Core,
  schedule: Schedule,
  input: ScheduleInput & { readonly ownerId?: number | undefined },
): Schedule {
  const { store, clock } = core;
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
  return mustFind(core, schedule.project_id, schedule.id);
}

function mustFind({ store }: Core, projectId: number, id: number): Schedule {
  const row = scheduleById(store, projectId, id);
  if (row === undefined) throw new Error(`pipeline schedule ${id} does not exist`);
  return row;
}

/** @throws {Invalid} For validation errors. */
function checkedCron(text: string, timeZone: string): Cron {
  const cron = parseCron(text);
  const errors = {
    ...(cron === undefined ? { cron: ['is invalid syntax'] } : {}),
    ...(isTimeZone(timeZone) ? {} : { cron_timezone: ['is invalid syntax'] }),
  };
  if (cron === undefined || Object.keys(errors).length > 0) throw invalidRecord(errors);
  return cron;
}

/** Permissions of a user for a schedule. */
export interface SchedulePermissions {
  readonly play: boolean;
  readonly update: boolean;
  readonly takeOwnership: boolean;
  readonly admin: boolean;
}

export function permissionsOf(core: Core, found: FoundProject, schedule: Schedule): SchedulePermissions {
  const isDeveloper = holdsRole(found.access, 'developer');
  const isOwner = isDeveloper && schedule.owner_id === found.userId;
  const isMaintainer = holdsRole(found.access, 'maintainer');
  return {
    play: isDeveloper && mayRunOn(core, found, refName(schedule.ref)),
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
export function runSchedule(core: Core, found: FoundProject, schedule: Schedule, user: User): Pipeline | undefined {
  const name = refName(schedule.ref);
  const ofBranch = schedule.ref.startsWith('refs/tags/') ? undefined : branchHead(core, found.project.id, name);
  const ofTag = ofBranch === undefined ? findTag(core, found.project.id, name)?.commit_id : undefined;
  const sha = ofBranch ?? ofTag;
  if (sha === undefined) return undefined;
  return core.store.transaction(() => {
    const start = { ref: name, sha, isTag: ofTag !== undefined, source: 'schedule' } as const;
    const pipeline = createPipeline(core, found, user, start);
    insertScheduledPipeline(core.store, schedule.id, pipeline.id);
    recordVariables(core, pipeline.id, scheduleVariables(core, schedule.id));
    return pipeline;
  });
}

/** Starts the pipelines of schedules when their time comes. Runs that were missed are not repeated. */
export function scheduleRuns(core: Core): void {
  const { store, schedule: work } = core;
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
          const owner = schedule.owner_id === null ? undefined : findUser(core, schedule.owner_id);
          if (owner?.state !== 'active') return;
          const found = findProject(core, schedule.project_id, { user: owner });
          if (found === undefined || found.project.archived === 1 || !permissionsOf(core, found, schedule).play) return;
          runSchedule(core, found, schedule, owner);
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

/** @throws {Invalid} For a key that is invalid or taken. */
export function addScheduleVariable(core: Core, { id }: Schedule, { key, value, type }: ScheduleVariableInput): void {
  const { store } = core;
  if (!isVariableKey(key)) throw invalidRecord({ key: ["can contain only letters, digits and '_'."] });
  store.transaction(() => {
    if (variableByKey(store, id, key) !== undefined) throw invalidRecord({ key: ['has already been taken'] });
    insertVariable(store, id, { key, sealed_value: seal(core, sealedAs(id, key), value), variable_type: type, raw: 0 });
  });
}

/** Changes a variable; returns false if the schedule has none with this key. */
export function changeScheduleVariable(
  core: Core,
  { id }: Schedule,
  key: string,
  input: { readonly value: string; readonly type: VariableType | undefined },
): boolean {
  const row = variableByKey(core.store, id, key);
  if (row === undefined) return false;
  writeVariable(core.store, {
    id: row.id,
    sealed_value: seal(core, sealedAs(id, key), input.value),
    variable_type: input.type ?? row.variable_type,
  });
  return true;
}

/** Returns the variables of a schedule. A value that was sealed with another key, as after a copy of the data, is empty. */
export function scheduleVariables(core: Core, scheduleId: number): PipelineVariable[] {
  return listVariables(core.store, scheduleId).map((row) => ({
    key: row.key,
    value: unseal(core, sealedAs(scheduleId, row.key), row.sealed_value) ?? '',
    type: row.variable_type,
    raw: row.raw === 1,
  }));
}
