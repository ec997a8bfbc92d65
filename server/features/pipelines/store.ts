import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { FailureReason, Source, Status } from './rules.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

export interface PipelineRow {
  readonly id: number;
  readonly project_id: number;
  readonly iid: number;
  readonly name: string | null;
  readonly status: Status;
  readonly source: Source;
  readonly ref: string;
  readonly is_tag: 0 | 1;
  readonly sha: string;
  readonly before_sha: string;
  readonly yaml_errors: string | null;
  readonly user_id: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

/** Result of a finished pipeline. Canceled and skipped pipelines have none. */
export type PipelineResult = 'success' | 'failed';

export interface JobRow {
  readonly id: number;
  readonly project_id: number;
  readonly pipeline_id: number;
  readonly name: string;
  readonly stage: string;
  readonly status: Status;
  readonly allow_failure: 0 | 1;
  readonly failure_reason: FailureReason | null;
  readonly coverage: number | null;
  /** JSON array of strings. */
  readonly tag_list: string;
  readonly retried: 0 | 1;
  /** 1 for a commit status, which another system reports. It counts for its pipeline but is not listed as a job. */
  readonly external: 0 | 1;
  readonly target_url: string | null;
  readonly description: string | null;
  readonly user_id: number | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

export interface CommitRow {
  readonly sha: string;
  /** Ids separated by spaces. */
  readonly parents: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly author_seconds: number;
  readonly author_zone: string;
  readonly committer_name: string;
  readonly committer_email: string;
  readonly committer_seconds: number;
  readonly committer_zone: string;
}

const PIPELINE = `id, project_id, iid, name, status, source, ref, is_tag, sha, before_sha, yaml_errors, user_id, created_at, updated_at,
  started_at, finished_at`;
const JOB = `id, project_id, pipeline_id, name, stage, status, allow_failure, failure_reason, coverage, tag_list, retried,
  external, target_url, description, user_id, created_at, started_at, finished_at`;

/** Allocates the next iid of a project's pipelines. */
export function takeIid(store: Store, projectId: number): number {
  const row = store.get<{ last_iid: number }>(
    `INSERT INTO pipeline_counters (project_id, last_iid) VALUES ($projectId, 1)
     ON CONFLICT DO UPDATE SET last_iid = last_iid + 1 RETURNING last_iid`,
    { projectId },
  );
  return row?.last_iid ?? 1;
}

export function insertPipeline(store: Store, row: Omit<PipelineRow, 'id'>): number {
  return store.run(
    `INSERT INTO pipelines (project_id, iid, name, status, source, ref, is_tag, sha, before_sha, yaml_errors, user_id, created_at,
       updated_at, started_at, finished_at)
     VALUES ($project_id, $iid, $name, $status, $source, $ref, $is_tag, $sha, $before_sha, $yaml_errors, $user_id, $created_at,
       $updated_at, $started_at, $finished_at)`,
    { ...row },
  ).lastId;
}

export function writePipeline(
  store: Store,
  id: number,
  values: Pick<PipelineRow, 'name' | 'status' | 'updated_at' | 'started_at' | 'finished_at'>,
): void {
  store.run(
    `UPDATE pipelines SET name = $name, status = $status, updated_at = $updated_at, started_at = $started_at,
       finished_at = $finished_at WHERE id = $id`,
    { id, ...values },
  );
}

/** Stores the result of a finished pipeline, which stays when the pipeline is retried. */
export function writeResult(store: Store, id: number, result: PipelineResult): void {
  store.run('UPDATE pipelines SET last_result = $result WHERE id = $id', { id, result });
}

/** Returns the newest pipeline of a ref that has finished once, with its latest result. */
export function newestResult(
  store: Store,
  { project_id, ref, is_tag }: Pick<PipelineRow, 'project_id' | 'ref' | 'is_tag'>,
): { readonly id: number; readonly last_result: PipelineResult } | undefined {
  return store.get(
    `SELECT id, last_result FROM pipelines WHERE project_id = $project_id AND ref = $ref AND is_tag = $is_tag AND last_result IS NOT NULL
     ORDER BY id DESC LIMIT 1`,
    { project_id, ref, is_tag },
  );
}

export function deletePipelineRow(store: Store, id: number): void {
  store.run('DELETE FROM pipelines WHERE id = $id', { id });
}

export function pipelineById(store: Store, projectId: number, id: number): PipelineRow | undefined {
  return store.get<PipelineRow>(`SELECT ${PIPELINE} FROM pipelines WHERE id = $id AND project_id = $projectId`, {
    id,
    projectId,
  });
}

export function pipelinesByIds(store: Store, ids: readonly number[]): ReadonlyMap<number, PipelineRow> {
  const rows = store.all<PipelineRow>(`SELECT ${PIPELINE} FROM pipelines WHERE id IN (SELECT value FROM json_each($ids))`, {
    ids: JSON.stringify(ids),
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the average coverage of the jobs of a pipeline; null if none has a coverage. */
export function coverageOf(store: Store, pipelineId: number): number | null {
  const row = store.get<{ mean: number | null }>(
    'SELECT avg(coverage) AS mean FROM jobs WHERE pipeline_id = $pipelineId AND retried = 0',
    { pipelineId },
  );
  return row?.mean ?? null;
}

export type PipelineOrder = 'id' | 'status' | 'ref' | 'updated_at' | 'user_id';

export interface PipelineFilter {
  readonly projectId: number;
  readonly statuses?: readonly Status[] | undefined;
  /** Limits the list to the newest pipeline of each branch or tag. */
  readonly newestOf?: 'branches' | 'tags' | undefined;
  readonly ref?: string | undefined;
  readonly sha?: string | undefined;
  readonly source?: Source | undefined;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
  readonly withErrors?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
  /** Limits the list to the pipelines of a schedule. */
  readonly scheduleId?: number | undefined;
}

function conditions(filter: PipelineFilter): { where: string; params: SqlParams } {
  const { add, also, whole } = beginCondition({ projectId: filter.projectId });
  also('project_id = $projectId');
  const requested = filter.statuses === undefined ? undefined : JSON.stringify(filter.statuses);
  add('statuses', 'status IN (SELECT value FROM json_each($statuses))', requested);
  const isTag = filter.newestOf === undefined ? undefined : filter.newestOf === 'tags' ? 1 : 0;
  add('isTag', 'id IN (SELECT max(id) FROM pipelines WHERE project_id = $projectId AND is_tag = $isTag GROUP BY ref)', isTag);
  add('ref', 'ref = $ref', filter.ref);
  add('sha', 'sha = $sha', filter.sha);
  add('name', 'name = $name', filter.name);
  add('username', 'user_id = (SELECT id FROM users_view WHERE username = $username)', filter.username);
  if (filter.withErrors !== undefined) also(`yaml_errors IS ${filter.withErrors ? 'NOT ' : ''}NULL`);
  if (filter.source === undefined) also("source <> 'parent_pipeline'");
  else add('source', 'source = $source', filter.source);
  add('scheduleId', 'id IN (SELECT pipeline_id FROM scheduled_pipelines WHERE schedule_id = $scheduleId)', filter.scheduleId);
  add('createdAfter', 'created_at >= $createdAfter', filter.createdAfter);
  add('createdBefore', 'created_at <= $createdBefore', filter.createdBefore);
  add('updatedAfter', 'updated_at >= $updatedAfter', filter.updatedAfter);
  add('updatedBefore', 'updated_at <= $updatedBefore', filter.updatedBefore);
  return whole();
}

export function countPipelines(store: Store, filter: PipelineFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM pipelines WHERE ${where}`, params, cap);
}

export function listPipelines(
  store: Store,
  filter: PipelineFilter,
  page: { readonly order: PipelineOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): PipelineRow[] {
  const { where, params } = conditions(filter);
  const order = page.order === 'id' ? `id ${page.sort}` : `${page.order} ${page.sort}, id ${page.sort}`;
  return store.all<PipelineRow>(
    `SELECT ${PIPELINE} FROM pipelines WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`,
    {
      ...params,
      limit: page.limit,
      offset: page.offset,
    },
  );
}

/** Returns the SQL expression for a column of a pipeline. `id` is the expression for its ID. */
export function pipelineColumnSql(column: 'iid' | 'ref', id: string): string {
  return `(SELECT ${column} FROM pipelines WHERE id = ${id})`;
}

/** Records that a schedule created a pipeline. */
export function insertScheduledPipeline(store: Store, scheduleId: number, pipelineId: number): void {
  store.run('INSERT INTO scheduled_pipelines (pipeline_id, schedule_id) VALUES ($pipelineId, $scheduleId)', {
    pipelineId,
    scheduleId,
  });
}

/** Returns the ID of the newest pipeline of a schedule. */
export function newestScheduledPipeline(store: Store, scheduleId: number): number | undefined {
  return (
    store.get<{ id: number | null }>('SELECT max(pipeline_id) AS id FROM scheduled_pipelines WHERE schedule_id = $scheduleId', {
      scheduleId,
    })?.id ?? undefined
  );
}

export function insertJob(store: Store, row: Omit<JobRow, 'id' | 'retried'>): number {
  return store.run(
    `INSERT INTO jobs (project_id, pipeline_id, name, stage, status, allow_failure, failure_reason, coverage, tag_list, external,
       target_url, description, user_id, created_at, started_at, finished_at)
     VALUES ($project_id, $pipeline_id, $name, $stage, $status, $allow_failure, $failure_reason, $coverage, $tag_list, $external,
       $target_url, $description, $user_id, $created_at, $started_at, $finished_at)`,
    { ...row },
  ).lastId;
}

export type JobValues = Pick<JobRow, 'status' | 'allow_failure' | 'failure_reason' | 'coverage' | 'started_at' | 'finished_at'>;

export function writeJob(store: Store, id: number, values: JobValues): void {
  const { status, allow_failure, failure_reason, coverage, started_at, finished_at } = values;
  store.run(
    `UPDATE jobs SET status = $status, allow_failure = $allow_failure, failure_reason = $failure_reason, coverage = $coverage,
       started_at = $started_at, finished_at = $finished_at WHERE id = $id`,
    { id, status, allow_failure, failure_reason, coverage, started_at, finished_at },
  );
}

export function markRetried(store: Store, id: number): void {
  store.run('UPDATE jobs SET retried = 1 WHERE id = $id', { id });
}

export function jobById(store: Store, projectId: number, id: number): JobRow | undefined {
  return store.get<JobRow>(`SELECT ${JOB} FROM jobs WHERE id = $id AND project_id = $projectId`, { id, projectId });
}

/** Returns the jobs of a pipeline that were not replaced by a retry, in the order of creation. */
export function currentJobs(store: Store, pipelineId: number): JobRow[] {
  return store.all<JobRow>(`SELECT ${JOB} FROM jobs WHERE pipeline_id = $pipelineId AND retried = 0 ORDER BY id`, { pipelineId });
}

/** Returns the number of jobs of a pipeline with this name that were retried. */
export function countRetries(store: Store, pipelineId: number, name: string): number {
  const sql = 'SELECT count(*) AS n FROM jobs WHERE pipeline_id = $pipelineId AND name = $name AND retried = 1';
  return store.get<{ n: number }>(sql, { pipelineId, name })?.n ?? 0;
}

/** Returns the failed jobs of a pipeline that were not retried. */
export function failedJobs(store: Store, pipelineId: number, limit: number): { readonly name: string; readonly stage: string }[] {
  return store.all(
    `SELECT name, stage FROM jobs WHERE pipeline_id = $pipelineId AND status = 'failed' AND retried = 0 ORDER BY id LIMIT $limit`,
    { pipelineId, limit },
  );
}

/** Returns the job with an ID of any project. */
export function jobOfAnyProject(store: Store, id: number): JobRow | undefined {
  return store.get<JobRow>(`SELECT ${JOB} FROM jobs WHERE id = $id`, { id });
}

/** Returns which of some jobs do not run. */
export function jobsThatDoNotRun(store: Store, ids: readonly number[]): number[] {
  return store
    .all<{ id: number }>("SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each($ids)) AND status <> 'running'", {
      ids: JSON.stringify(ids),
    })
    .map(({ id }) => id);
}

/** Stores the link and description of a commit status. */
export function writeStatusDetails(store: Store, id: number, values: Pick<JobRow, 'target_url' | 'description'>): void {
  store.run('UPDATE jobs SET target_url = $target_url, description = $description WHERE id = $id', {
    id,
    target_url: values.target_url,
    description: values.description,
  });
}

/** Returns the unfinished commit status of a pipeline with this name that a user has reported. */
export function unfinishedStatus(store: Store, pipelineId: number, name: string, userId: number): JobRow | undefined {
  return store.get<JobRow>(
    `SELECT ${JOB} FROM jobs WHERE pipeline_id = $pipelineId AND external = 1 AND name = $name AND user_id = $userId
       AND status IN ('created', 'pending', 'running') AND retried = 0 ORDER BY id DESC LIMIT 1`,
    { pipelineId, name, userId },
  );
}

/** Marks the jobs and commit statuses of a pipeline with this name as replaced. */
export function replaceOlder(store: Store, pipelineId: number, name: string): void {
  store.run('UPDATE jobs SET retried = 1 WHERE pipeline_id = $pipelineId AND name = $name AND retried = 0', { pipelineId, name });
}

/** Returns the number of jobs and commit statuses of a pipeline, including replaced ones. */
export function countJobsOfPipeline(store: Store, pipelineId: number): number {
  return store.get<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE pipeline_id = $pipelineId', { pipelineId })?.n ?? 0;
}

/** Returns the number of jobs and commit statuses in the active pipelines of a project that were created after a time. */
export function countJobsOfActivePipelines(store: Store, projectId: number, after: number): number {
  const row = store.get<{ n: number }>(
    `SELECT count(*) AS n FROM pipelines p JOIN jobs j ON j.pipeline_id = p.id
     WHERE p.project_id = $projectId AND p.status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running')
       AND p.created_at > $after`,
    { projectId, after },
  );
  return row?.n ?? 0;
}

export interface StatusFilter {
  readonly projectId: number;
  readonly sha: string;
  readonly ref?: string | undefined;
  readonly pipelineId?: number | undefined;
  readonly stage?: string | undefined;
  readonly name?: string | undefined;
  /** True to include those that newer ones replaced. */
  readonly all: boolean;
}

function statusConditions(filter: StatusFilter): { where: string; params: SqlParams } {
  const { add, also, whole } = beginCondition({ projectId: filter.projectId, sha: filter.sha });
  also('pipeline_id IN (SELECT id FROM pipelines WHERE project_id = $projectId AND sha = $sha)');
  add('ref', 'pipeline_id IN (SELECT id FROM pipelines WHERE project_id = $projectId AND ref = $ref)', filter.ref);
  add('pipelineId', 'pipeline_id = $pipelineId', filter.pipelineId);
  add('stage', 'stage = $stage', filter.stage);
  add('name', 'name = $name', filter.name);
  if (!filter.all) also('retried = 0');
  return whole();
}

export function countStatuses(store: Store, filter: StatusFilter, cap: number): number {
  const { where, params } = statusConditions(filter);
  return countRows(store, `FROM jobs WHERE ${where}`, params, cap);
}

/** Returns the jobs and commit statuses of a commit. */
export function listStatuses(
  store: Store,
  filter: StatusFilter,
  page: { readonly order: 'id' | 'pipeline_id'; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): JobRow[] {
  const { where, params } = statusConditions(filter);
  const order = page.order === 'id' ? `id ${page.sort}` : `pipeline_id ${page.sort}, id ${page.sort}`;
  return store.all<JobRow>(`SELECT ${JOB} FROM jobs WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit: page.limit,
    offset: page.offset,
  });
}

export interface JobFilter {
  /** Jobs of a project or of one pipeline. */
  readonly of: { readonly projectId: number } | { readonly pipelineId: number };
  readonly statuses?: readonly Status[] | undefined;
  readonly withoutRetried?: boolean | undefined;
  /** Limits the list to jobs older than this one. */
  readonly before?: number | undefined;
}

function jobConditions(filter: JobFilter): { where: string; params: Record<string, string | number> } {
  const isOfProject = 'projectId' in filter.of;
  const parts = [isOfProject ? 'project_id = $parent' : 'pipeline_id = $parent', 'external = 0'];
  const params: Record<string, string | number> = {
    parent: 'projectId' in filter.of ? filter.of.projectId : filter.of.pipelineId,
  };
  if (filter.withoutRetried === true) parts.push('retried = 0');
  if (filter.before !== undefined) {
    parts.push('id < $before');
    params['before'] = filter.before;
  }
  return { where: parts.join(' AND '), params };
}

export function countJobs(store: Store, filter: JobFilter, cap: number): number {
  const { where, params } = jobConditions(filter);
  const requested = filter.statuses === undefined ? '' : 'AND status IN (SELECT value FROM json_each($statuses))';
  const statuses = filter.statuses === undefined ? {} : { statuses: JSON.stringify(filter.statuses) };
  return countRows(store, `FROM jobs WHERE ${where} ${requested}`, { ...params, ...statuses }, cap);
}

/** Returns a page of jobs, newest first. Each state is read from its own index range, so that rare states are found quickly. */
export function listJobs(store: Store, filter: JobFilter, limit: number, offset: number): JobRow[] {
  const { where, params } = jobConditions(filter);
  const { statuses } = filter;
  const page = { ...params, limit, offset };
  if (statuses === undefined) {
    return store.all<JobRow>(`SELECT ${JOB} FROM jobs WHERE ${where} ORDER BY id DESC LIMIT $limit OFFSET $offset`, page);
  }
  const ids = statuses.map(
    (_, index) =>
      `SELECT id FROM (SELECT id FROM jobs WHERE ${where} AND status = $status${index} ORDER BY id DESC LIMIT $limit + $offset)`,
  );
  const named = Object.fromEntries(statuses.map((status, index) => [`status${index}`, status]));
  return store.all<JobRow>(
    `SELECT ${JOB} FROM jobs WHERE id IN (SELECT id FROM (${ids.join(' UNION ALL ')}) ORDER BY id DESC LIMIT $limit OFFSET $offset)
     ORDER BY id DESC`,
    { ...page, ...named },
  );
}

export function insertCommit(store: Store, projectId: number, row: CommitRow): void {
  store.run(
    `INSERT INTO pipeline_commits (project_id, sha, parents, message, author_name, author_email, author_seconds, author_zone,
       committer_name, committer_email, committer_seconds, committer_zone)
     VALUES ($projectId, $sha, $parents, $message, $author_name, $author_email, $author_seconds, $author_zone,
       $committer_name, $committer_email, $committer_seconds, $committer_zone)
     ON CONFLICT DO NOTHING`,
    { projectId, ...row },
  );
}

export function commitsOf(store: Store, projectId: number, shas: readonly string[]): ReadonlyMap<string, CommitRow> {
  const rows = store.all<CommitRow>(
    `SELECT sha, parents, message, author_name, author_email, author_seconds, author_zone, committer_name, committer_email,
       committer_seconds, committer_zone
     FROM pipeline_commits WHERE project_id = $projectId AND sha IN (SELECT value FROM json_each($shas))`,
    { projectId, shas: JSON.stringify(shas) },
  );
  return new Map(rows.map((row) => [row.sha, row]));
}

/** Duration of the finished jobs of a project in a month. */
export interface MonthlyUsage {
  readonly project_id: number;
  /** First day of the month, `YYYY-MM-DD`. */
  readonly month: string;
  /** Seconds. */
  readonly duration: number;
}

/** Returns the durations of the jobs in a namespace and its subgroups, the newest month first, in it the longest first. */
export function monthlyUsage(store: Store, namespaceId: number): MonthlyUsage[] {
  return store.all<MonthlyUsage>(
    `SELECT j.project_id, strftime('%Y-%m-01', j.finished_at / 1000, 'unixepoch') AS month,
       sum(j.finished_at - j.started_at) / 1000 AS duration
     FROM projects_view p JOIN jobs j ON j.project_id = p.id
     WHERE p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $namespaceId)
       AND j.external = 0 AND j.started_at IS NOT NULL AND j.finished_at IS NOT NULL
     GROUP BY j.project_id, month ORDER BY month DESC, duration DESC, j.project_id`,
    { namespaceId },
  );
}

/** Makes another user the person of the pipelines and jobs of a user. */
export function handOverPipelines(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE pipelines SET user_id = $toUserId WHERE user_id = $fromUserId', { fromUserId, toUserId });
  store.run('UPDATE jobs SET user_id = $toUserId WHERE user_id = $fromUserId', { fromUserId, toUserId });
}
