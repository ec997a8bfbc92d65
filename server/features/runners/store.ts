import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';
import { OFFLINE_AFTER, type RunnerType, STALE_AFTER, type StatusFilter } from './rules.ts';

export interface RunnerRow {
  readonly id: number;
  readonly runner_type: RunnerType;
  /** Group of a group runner. */
  readonly group_id: number | null;
  /** 1 if a user created it, 0 if it was registered with a registration token. */
  readonly is_created: 0 | 1;
  readonly description: string | null;
  readonly maintenance_note: string | null;
  readonly paused: 0 | 1;
  readonly locked: 0 | 1;
  readonly run_untagged: 0 | 1;
  readonly access_level: 'not_protected' | 'ref_protected';
  /** In seconds. */
  readonly maximum_timeout: number | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly revision: string | null;
  readonly platform: string | null;
  readonly architecture: string | null;
  readonly created_at: number;
  readonly contacted_at: number | null;
}

export type NewRunner = Omit<RunnerRow, 'id' | 'created_at' | 'contacted_at'>;

/** Properties that a runner reports about itself. */
export type RunnerInfo = Pick<RunnerRow, 'name' | 'version' | 'revision' | 'platform' | 'architecture'>;

const NEW_COLUMNS = [
  'runner_type',
  'group_id',
  'is_created',
  'description',
  'maintenance_note',
  'paused',
  'locked',
  'run_untagged',
  'access_level',
  'maximum_timeout',
  'name',
  'version',
  'revision',
  'platform',
  'architecture',
] as const satisfies readonly (keyof NewRunner)[];
const COLUMNS = ['id', ...NEW_COLUMNS, 'created_at', 'contacted_at'].map((name) => `r.${name}`).join(', ');

export function runnerById(store: Store, id: number): RunnerRow | undefined {
  return store.get<RunnerRow>(`SELECT ${COLUMNS} FROM runners r WHERE r.id = $id`, { id });
}

export function runnerByHash(store: Store, hash: string): RunnerRow | undefined {
  return store.get<RunnerRow>(`SELECT ${COLUMNS} FROM runners r WHERE r.token_hash = $hash`, { hash });
}

export function insertRunner(store: Store, runner: NewRunner, hash: string, now: number): number {
  return store.run(
    `INSERT INTO runners (${NEW_COLUMNS.join(', ')}, token_hash, created_at)
     VALUES (${NEW_COLUMNS.map((name) => `$${name}`).join(', ')}, $hash, $now)`,
    { ...runner, hash, now },
  ).lastId;
}

export type RunnerValues = Pick<
  RunnerRow,
  'description' | 'maintenance_note' | 'paused' | 'locked' | 'run_untagged' | 'access_level' | 'maximum_timeout'
>;

export function writeRunner(store: Store, id: number, values: RunnerValues): void {
  const { description, maintenance_note, paused, locked, run_untagged, access_level, maximum_timeout } = values;
  store.run(
    `UPDATE runners SET description = $description, maintenance_note = $maintenance_note, paused = $paused, locked = $locked,
       run_untagged = $run_untagged, access_level = $access_level, maximum_timeout = $maximum_timeout
     WHERE id = $id`,
    { id, description, maintenance_note, paused, locked, run_untagged, access_level, maximum_timeout },
  );
}

export function writeToken(store: Store, id: number, hash: string): void {
  store.run('UPDATE runners SET token_hash = $hash WHERE id = $id', { id, hash });
}

/** Stores that a runner contacted the server. Omitted members of `info` keep their value. */
export function writeContact(store: Store, id: number, info: RunnerInfo, now: number): void {
  store.run(
    `UPDATE runners SET contacted_at = $now, name = coalesce($name, name), version = coalesce($version, version),
       revision = coalesce($revision, revision), platform = coalesce($platform, platform),
       architecture = coalesce($architecture, architecture)
     WHERE id = $id`,
    { ...info, id, now },
  );
}

export function deleteRunnerRow(store: Store, id: number): void {
  store.run('DELETE FROM runners WHERE id = $id', { id });
}

/** Returns the tags of a runner in the order in which they were given. */
export function tagsOf(store: Store, id: number): string[] {
  return store
    .all<{ name: string }>('SELECT name FROM runner_tags WHERE runner_id = $id ORDER BY id', { id })
    .map(({ name }) => name);
}

export function writeTags(store: Store, id: number, tags: readonly string[]): void {
  store.run('DELETE FROM runner_tags WHERE runner_id = $id', { id });
  store.run('INSERT OR IGNORE INTO runner_tags (runner_id, name) SELECT $id, value FROM json_each($tags) ORDER BY key', {
    id,
    tags: JSON.stringify(tags),
  });
}

/** Returns the IDs of the projects of a runner. The first one owns it. */
export function projectIdsOf(store: Store, id: number): number[] {
  return store
    .all<{ id: number }>('SELECT project_id AS id FROM runner_projects WHERE runner_id = $id ORDER BY id', { id })
    .map((row) => row.id);
}

export function assignProject(store: Store, id: number, projectId: number): void {
  store.run('INSERT INTO runner_projects (runner_id, project_id) VALUES ($id, $projectId)', { id, projectId });
}

export function unassignProject(store: Store, id: number, projectId: number): void {
  store.run('DELETE FROM runner_projects WHERE runner_id = $id AND project_id = $projectId', { id, projectId });
}

/** Filters of a list of runners. Omitted ones do not limit it. */
export interface RunnerFilter {
  /** ID of the user who manages the runners, as maintainer of a project or owner of a group. */
  readonly managerId?: number;
  /** Project for which the runners take jobs: its own, those of its groups and those of the instance. */
  readonly project?: { readonly id: number; readonly namespaceId: number };
  /** Group for whose projects the runners take jobs: its own, those of its ancestors and those of the instance. */
  readonly groupId?: number;
  readonly type?: RunnerType | undefined;
  readonly status?: StatusFilter | undefined;
  readonly paused?: boolean | undefined;
  /** Tags that a runner must have. */
  readonly tags?: readonly string[] | undefined;
  readonly now: number;
}

const OF_MANAGER = `(r.id IN (SELECT rp.runner_id FROM project_access_view m JOIN runner_projects rp ON rp.project_id = m.project_id
    WHERE m.user_id = $managerId AND m.access_level >= 40)
  OR r.group_id IN (SELECT a.namespace_id FROM group_members_view m JOIN namespace_ancestors_view a ON a.ancestor_id = m.group_id
    WHERE m.user_id = $managerId AND m.access_level >= 50))`;
const inGroups = (namespace: string): string =>
  `(r.runner_type = 'instance_type'
    OR r.group_id IN (SELECT ancestor_id FROM namespace_ancestors_view WHERE namespace_id = ${namespace}))`;

const LATEST = 'max(r.created_at, coalesce(r.contacted_at, 0))';
const statusSql: Readonly<Record<StatusFilter, string>> = {
  active: 'r.paused = 0',
  paused: 'r.paused = 1',
  online: `r.contacted_at > $now - ${OFFLINE_AFTER}`,
  offline: `r.contacted_at <= $now - ${OFFLINE_AFTER} AND ${LATEST} > $now - ${STALE_AFTER}`,
  never_contacted: `r.contacted_at IS NULL AND ${LATEST} > $now - ${STALE_AFTER}`,
  stale: `${LATEST} <= $now - ${STALE_AFTER}`,
};

function conditions(filter: RunnerFilter): { readonly where: string; readonly params: SqlParams } {
  const { project, status, tags } = filter;
  const { add, also, whole } = beginCondition({});
  add('managerId', OF_MANAGER, filter.managerId);
  if (project !== undefined) {
    const own = 'r.id IN (SELECT runner_id FROM runner_projects WHERE project_id = $projectId)';
    also(`(${own} OR ${inGroups('$namespaceId')})`, { projectId: project.id, namespaceId: project.namespaceId });
  }
  add('groupId', inGroups('$groupId'), filter.groupId);
  add('type', 'r.runner_type = $type', filter.type);
  add('paused', 'r.paused = $paused', filter.paused === undefined ? undefined : Number(filter.paused));
  if (status !== undefined) also(statusSql[status], statusSql[status].includes('$now') ? { now: filter.now } : {});
  if (tags !== undefined && tags.length > 0) {
    const known =
      'SELECT count(*) FROM runner_tags t WHERE t.runner_id = r.id AND t.name IN (SELECT value FROM json_each($tags))';
    add('tags', `(${known}) = (SELECT count(DISTINCT value) FROM json_each($tags))`, JSON.stringify(tags));
  }
  return whole();
}

export function countRunners(store: Store, filter: RunnerFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM runners r WHERE ${where}`, params, cap);
}

/** Returns runners, oldest first. */
export function listRunners(store: Store, filter: RunnerFilter, limit: number, offset: number): RunnerRow[] {
  const { where, params } = conditions(filter);
  const sql = `SELECT ${COLUMNS} FROM runners r WHERE ${where} ORDER BY r.id LIMIT $limit OFFSET $offset`;
  return store.all<RunnerRow>(sql, { ...params, limit, offset });
}
