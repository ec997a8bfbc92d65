import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface ScheduleRow {
  readonly id: number;
  readonly project_id: number;
  readonly description: string;
  readonly ref: string;
  readonly cron: string;
  readonly cron_timezone: string;
  readonly active: 0 | 1;
  /** User who runs the pipelines; null if the user was deleted. */
  readonly owner_id: number | null;
  readonly next_run_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ScheduleVariableRow {
  readonly id: number;
  readonly key: string;
  readonly sealed_value: string;
  readonly variable_type: 'env_var' | 'file';
  readonly raw: 0 | 1;
}

const COLUMNS = 'id, project_id, description, ref, cron, cron_timezone, active, owner_id, next_run_at, created_at, updated_at';

export interface ScheduleFilter {
  readonly projectId: number;
  readonly active?: boolean | undefined;
}

const whereSql = ({ active }: ScheduleFilter): string =>
  `project_id = $projectId${active === undefined ? '' : ` AND active = ${active ? 1 : 0}`}`;

export function countSchedules(store: Store, filter: ScheduleFilter, cap: number): number {
  return countRows(store, `FROM pipeline_schedules WHERE ${whereSql(filter)}`, { projectId: filter.projectId }, cap);
}

/** Returns schedules, oldest first. */
export function listSchedules(store: Store, filter: ScheduleFilter, limit: number, offset: number): ScheduleRow[] {
  return store.all<ScheduleRow>(
    `SELECT ${COLUMNS} FROM pipeline_schedules WHERE ${whereSql(filter)} ORDER BY id LIMIT $limit OFFSET $offset`,
    { projectId: filter.projectId, limit, offset },
  );
}

export function scheduleById(store: Store, projectId: number, id: number): ScheduleRow | undefined {
  return store.get<ScheduleRow>(`SELECT ${COLUMNS} FROM pipeline_schedules WHERE id = $id AND project_id = $projectId`, {
    id,
    projectId,
  });
}

export function insertSchedule(store: Store, row: Omit<ScheduleRow, 'id'>): number {
  return store.run(
    `INSERT INTO pipeline_schedules (project_id, description, ref, cron, cron_timezone, active, owner_id, next_run_at, created_at, updated_at)
     VALUES ($project_id, $description, $ref, $cron, $cron_timezone, $active, $owner_id, $next_run_at, $created_at, $updated_at)`,
    { ...row },
  ).lastId;
}

export function writeSchedule(store: Store, row: Omit<ScheduleRow, 'project_id' | 'created_at'>): void {
  const { id, description, ref, cron, cron_timezone, active, owner_id, next_run_at, updated_at } = row;
  store.run(
    `UPDATE pipeline_schedules SET description = $description, ref = $ref, cron = $cron, cron_timezone = $cron_timezone,
       active = $active, owner_id = $owner_id, next_run_at = $next_run_at, updated_at = $updated_at WHERE id = $id`,
    { id, description, ref, cron, cron_timezone, active, owner_id, next_run_at, updated_at },
  );
}

export function deleteScheduleRow(store: Store, id: number): void {
  store.run('DELETE FROM pipeline_schedules WHERE id = $id', { id });
}

/** Returns the time of the next run of all active schedules. */
export function nextRun(store: Store): number | null {
  const sql = 'SELECT min(next_run_at) AS at FROM pipeline_schedules WHERE active = 1 AND next_run_at IS NOT NULL';
  return store.get<{ at: number | null }>(sql)?.at ?? null;
}

export function dueSchedules(store: Store, now: number, limit: number): ScheduleRow[] {
  return store.all<ScheduleRow>(
    `SELECT ${COLUMNS} FROM pipeline_schedules WHERE active = 1 AND next_run_at <= $now ORDER BY next_run_at LIMIT $limit`,
    { now, limit },
  );
}

const VARIABLE = 'id, key, sealed_value, variable_type, raw';

export function listVariables(store: Store, scheduleId: number): ScheduleVariableRow[] {
  return store.all<ScheduleVariableRow>(
    `SELECT ${VARIABLE} FROM pipeline_schedule_variables WHERE schedule_id = $scheduleId ORDER BY id`,
    { scheduleId },
  );
}

export function variableByKey(store: Store, scheduleId: number, key: string): ScheduleVariableRow | undefined {
  return store.get<ScheduleVariableRow>(
    `SELECT ${VARIABLE} FROM pipeline_schedule_variables WHERE schedule_id = $scheduleId AND key = $key`,
    { scheduleId, key },
  );
}

export function insertVariable(store: Store, scheduleId: number, row: Omit<ScheduleVariableRow, 'id'>): void {
  store.run(
    `INSERT INTO pipeline_schedule_variables (schedule_id, key, sealed_value, variable_type, raw)
     VALUES ($scheduleId, $key, $sealed_value, $variable_type, $raw)`,
    { scheduleId, ...row },
  );
}

export function writeVariable(store: Store, { id, sealed_value, variable_type }: Omit<ScheduleVariableRow, 'key' | 'raw'>): void {
  store.run(
    'UPDATE pipeline_schedule_variables SET sealed_value = $sealed_value, variable_type = $variable_type WHERE id = $id',
    {
      id,
      sealed_value,
      variable_type,
    },
  );
}

export function deleteVariableRow(store: Store, id: number): void {
  store.run('DELETE FROM pipeline_schedule_variables WHERE id = $id', { id });
}
