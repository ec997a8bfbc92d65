import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface ReleaseRow {
  readonly id: number;
  readonly project_id: number;
  readonly tag: string;
  readonly commit_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly released_at: number;
  /** When the release is to be announced; null after that. */
  readonly notice_at: number | null;
}

export const linkTypes = ['other', 'runbook', 'image', 'package'] as const;
export type LinkType = (typeof linkTypes)[number];

export interface LinkRow {
  readonly id: number;
  readonly release_id: number;
  readonly name: string;
  readonly url: string;
  /** Path below the release, with a leading slash. */
  readonly filepath: string | null;
  readonly link_type: LinkType;
}

const COLUMNS = 'id, project_id, tag, commit_id, name, description, author_id, created_at, updated_at, released_at, notice_at';

export function releaseById(store: Store, id: number): ReleaseRow | undefined {
  return store.get<ReleaseRow>(`SELECT ${COLUMNS} FROM releases WHERE id = $id`, { id });
}

/** Returns the SQL expression for the name of a release. `id` is the expression for its ID. */
export function releaseNameSql(id: string): string {
  return `(SELECT name FROM releases WHERE id = ${id})`;
}

export function releaseOf(store: Store, projectId: number, tag: string): ReleaseRow | undefined {
  return store.get<ReleaseRow>(`SELECT ${COLUMNS} FROM releases WHERE project_id = $projectId AND tag = $tag`, {
    projectId,
    tag,
  });
}

export function releasesOfTags(store: Store, projectId: number, tags: readonly string[]): ReleaseRow[] {
  return store.all<ReleaseRow>(
    `SELECT ${COLUMNS} FROM releases WHERE project_id = $projectId AND tag IN (SELECT value FROM json_each($tags))`,
    { projectId, tags: JSON.stringify(tags) },
  );
}

export function insertRelease(store: Store, row: Omit<ReleaseRow, 'id'>): number {
  return store.run(
    `INSERT INTO releases (project_id, tag, commit_id, name, description, author_id, created_at, updated_at, released_at, notice_at)
     VALUES ($project_id, $tag, $commit_id, $name, $description, $author_id, $created_at, $updated_at, $released_at, $notice_at)`,
    { ...row },
  ).lastId;
}

export function writeRelease(store: Store, { id, name, description, released_at, notice_at, updated_at }: ReleaseRow): void {
  store.run(
    `UPDATE releases SET name = $name, description = $description, released_at = $released_at, notice_at = $notice_at, updated_at = $updated_at
     WHERE id = $id`,
    { id, name, description, released_at, notice_at, updated_at },
  );
}

/** Returns the releases that are to be announced at `now`, the longest due first. */
export function releasesToAnnounce(store: Store, now: number, limit: number): ReleaseRow[] {
  return store.all<ReleaseRow>(`SELECT ${COLUMNS} FROM releases WHERE notice_at <= $now ORDER BY notice_at, id LIMIT $limit`, {
    now,
    limit,
  });
}

/** Returns the time of the next announcement of a release; null if there is none. */
export function nextNotice(store: Store): number | null {
  const sql = 'SELECT min(notice_at) AS at FROM releases WHERE notice_at IS NOT NULL';
  return store.get<{ at: number | null }>(sql)?.at ?? null;
}

export function clearNotice(store: Store, id: number): void {
  store.run('UPDATE releases SET notice_at = NULL WHERE id = $id', { id });
}

export function deleteReleaseRow(store: Store, id: number): void {
  store.run('DELETE FROM releases WHERE id = $id', { id });
}

export interface ReleaseFilter {
  readonly projectId: number;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

const CONDITIONS = `project_id = $projectId AND ($updatedAfter IS NULL OR updated_at > $updatedAfter)
  AND ($updatedBefore IS NULL OR updated_at < $updatedBefore)`;

function conditionsOf({ projectId, updatedAfter, updatedBefore }: ReleaseFilter) {
  return { projectId, updatedAfter: updatedAfter ?? null, updatedBefore: updatedBefore ?? null };
}

export function countReleases(store: Store, filter: ReleaseFilter, cap: number): number {
  return countRows(store, `FROM releases WHERE ${CONDITIONS}`, conditionsOf(filter), cap);
}

export type ReleaseOrder = 'released_at' | 'created_at';

export function listReleases(
  store: Store,
  filter: ReleaseFilter,
  page: { readonly order: ReleaseOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): ReleaseRow[] {
  const { order, sort, limit, offset } = page;
  return store.all<ReleaseRow>(
    `SELECT ${COLUMNS} FROM releases WHERE ${CONDITIONS} ORDER BY ${order} ${sort}, id ${sort} LIMIT $limit OFFSET $offset`,
    { ...conditionsOf(filter), limit, offset },
  );
}

const LINK_COLUMNS = 'id, release_id, name, url, filepath, link_type';

/** Returns the links of some releases, newest first within each release. */
export function linksOfReleases(store: Store, releaseIds: readonly number[]): LinkRow[] {
  return store.all<LinkRow>(
    `SELECT ${LINK_COLUMNS} FROM release_links WHERE release_id IN (SELECT value FROM json_each($ids)) ORDER BY id DESC`,
    { ids: JSON.stringify(releaseIds) },
  );
}

export function linkById(store: Store, releaseId: number, id: number): LinkRow | undefined {
  return store.get<LinkRow>(`SELECT ${LINK_COLUMNS} FROM release_links WHERE release_id = $releaseId AND id = $id`, {
    releaseId,
    id,
  });
}

export function insertLink(store: Store, row: Omit<LinkRow, 'id'>): number {
  return store.run(
    `INSERT INTO release_links (release_id, name, url, filepath, link_type)
     VALUES ($release_id, $name, $url, $filepath, $link_type)`,
    { ...row },
  ).lastId;
}

export function writeLink(store: Store, row: LinkRow): void {
  store.run(
    `UPDATE release_links SET release_id = $release_id, name = $name, url = $url, filepath = $filepath, link_type = $link_type
     WHERE id = $id`,
    { ...row },
  );
}

export function deleteLinkRow(store: Store, id: number): void {
  store.run('DELETE FROM release_links WHERE id = $id', { id });
}

export function milestonesOfReleases(
  store: Store,
  releaseIds: readonly number[],
): { readonly release_id: number; readonly milestone_id: number }[] {
  return store.all(
    `SELECT release_id, milestone_id FROM release_milestones
     WHERE release_id IN (SELECT value FROM json_each($ids)) ORDER BY release_id, milestone_id`,
    { ids: JSON.stringify(releaseIds) },
  );
}

export function writeMilestones(store: Store, releaseId: number, milestoneIds: readonly number[]): void {
  store.run('DELETE FROM release_milestones WHERE release_id = $releaseId', { releaseId });
  store.run('INSERT INTO release_milestones (release_id, milestone_id) SELECT DISTINCT $releaseId, value FROM json_each($ids)', {
    releaseId,
    ids: JSON.stringify(milestoneIds),
  });
}

/**
 * Returns the numbers of readable and of closed issues of some milestones; `readable` is the condition of `readableIssuesSql`.
 */
export function issueCountsOf(
  store: Store,
  milestoneIds: readonly number[],
  seen: { readonly viewer: number; readonly readable: string },
): { readonly milestone_id: number; readonly total: number; readonly closed: number }[] {
  return store.all(
    `SELECT i.milestone_id, count(*) AS total, count(*) FILTER (WHERE i.state = 'closed') AS closed
     FROM issues_view i JOIN projects_view p ON p.id = i.project_id
       LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
     WHERE i.milestone_id IN (SELECT value FROM json_each($ids)) AND ${seen.readable}
     GROUP BY i.milestone_id`,
    { ids: JSON.stringify(milestoneIds), viewer: seen.viewer },
  );
}

/** Makes another user the author of the releases of a user. */
export function handOverReleases(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE releases SET author_id = $toUserId WHERE author_id = $fromUserId', { fromUserId, toUserId });
}
