import type { Project } from '../projectAccess/projectAccess.ts';
import type { Store } from '../../store/open.ts';
import type { FeatureAccess, Visibility } from '../abilities/abilities.ts';
import { outboundLimitSql } from '../jobTokenScope/jobTokenScope.ts';
import { inheritedLevelSql, namespaceLevelSql, ownLevelSql } from '../members/members.ts';
import { levelNumberSql } from '../notificationSettings/notificationSettings.ts';
import { secretProtectedSql } from '../secretPushProtection/secretPushProtection.ts';

export interface NamespaceRow {
  readonly id: number;
  readonly kind: 'user' | 'group';
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly owner_id: number | null;
  readonly visibility: Visibility;
  readonly project_creation_level: 'noone' | 'maintainer' | 'developer';
  /** Viewer's highest access level in the project or an ancestor group; 0 without a membership. */
  readonly level: number;
}

/** Replaces the topics of a project, in this order. */
export function writeTopics(store: Store, projectId: number, names: readonly string[]): void {
  const topics = JSON.stringify(names);
  store.run(
    `DELETE FROM project_topics WHERE project_id = $projectId
       AND topic_id NOT IN (SELECT t.id FROM topics t WHERE t.name IN (SELECT value FROM json_each($topics)))`,
    { projectId, topics },
  );
  store.run('INSERT INTO topics (name) SELECT value FROM json_each($topics) WHERE true ON CONFLICT DO NOTHING', { topics });
  store.run(
    `INSERT INTO project_topics (project_id, topic_id, position)
     SELECT $projectId, t.id, j.key FROM json_each($topics) j JOIN topics t ON t.name = j.value WHERE true
     ON CONFLICT DO UPDATE SET position = excluded.position`,
    { projectId, topics },
  );
}

/** Kinds of objects that are numbered in their project. Requirements and other work items share the numbers of issues. */
export type NumberedKind = 'issue' | 'merge_request' | 'milestone';

/**
 * Reserves the next IID of a project.
 *
 * @throws Error if the project does not exist.
 */
export function takeIid(store: Store, projectId: number, kind: NumberedKind): number {
  const row = store.get<{ readonly iid: number }>(
    `UPDATE projects SET last_${kind}_iid = last_${kind}_iid + 1 WHERE id = $projectId RETURNING last_${kind}_iid AS iid`,
    { projectId },
  );
  if (row === undefined) throw new Error(`project ${projectId} does not exist`);
  return row.iid;
}

/** Makes the next IID of a project higher than a given one. */
export function skipIssueIid(store: Store, projectId: number, iid: number): void {
  store.run('UPDATE projects SET last_issue_iid = max(last_issue_iid, $iid) WHERE id = $projectId', { projectId, iid });
}

/** Stores the storage of a project's repository. */
export function writeProjectStorage(store: Store, projectId: number, storage: string): void {
  store.run('UPDATE projects SET repository_storage = $storage WHERE id = $projectId', { storage, projectId });
}

/** Allows or refuses writes to a project's repository. */
export function writeProjectReadOnly(store: Store, projectId: number, readOnly: boolean): void {
  store.run('UPDATE projects SET repository_read_only = $readOnly WHERE id = $projectId', {
    projectId,
    readOnly: readOnly ? 1 : 0,
  });
}

/** Records that a project changed now. */
export function touchProject(store: Store, projectId: number, now: number): void {
  store.run('UPDATE projects SET updated_at = $now WHERE id = $projectId', { projectId, now });
}

/** Returns the number of open issues of a project. */
export function openIssueCount(store: Store, projectId: number, withConfidential: boolean): number {
  const sql =
    'SELECT count(*) AS n FROM open_issues_view WHERE project_id = $projectId AND (confidential = 0 OR $withConfidential)';
  return store.get<{ n: number }>(sql, { projectId, withConfidential: Number(withConfidential) })?.n ?? 0;
}

/** Values that responses show of a project, but that are not in its row. */
export interface RelatedRow {
  readonly id: number;
  readonly open_issues: number;
  /** Access levels of the viewer: direct and inherited from groups. */
  readonly own_level: number | null;
  readonly inherited_level: number | null;
  /** Numbers of the viewer's notification levels: of the project and of its namespace. */
  readonly notifications: number;
  readonly namespace_notifications: number;
  readonly job_token_limited: 0 | 1;
  readonly secret_protected: 0 | 1;
}

/** Returns a statement for related values. It is only one, because starting a statement takes as long as reading several values. */
function relatedSql(where: string, isConfidentialCounted: string): string {
  return `SELECT p.id,
      (SELECT count(*) FROM open_issues_view i WHERE i.project_id = p.id AND (i.confidential = 0 OR ${isConfidentialCounted})) AS open_issues,
      ${ownLevelSql} AS own_level, ${inheritedLevelSql} AS inherited_level,
      ${levelNumberSql('project', 'p.id')} AS notifications, ${levelNumberSql('group', 'p.namespace_id')} AS namespace_notifications,
      ${outboundLimitSql} AS job_token_limited, ${secretProtectedSql} AS secret_protected
    FROM projects_view p WHERE ${where}`;
}

const RELATED_OF_ONE = relatedSql('p.id = $id', '$withConfidential');
const RELATED = relatedSql(
  'p.id IN (SELECT value FROM json_each($ids))',
  'p.id IN (SELECT value FROM json_each($withConfidential))',
);

/** Returns the related values of projects by ID. Confidential issues are counted only in the projects in `withConfidential`. */
export function relatedRows(
  store: Store,
  ids: readonly number[],
  withConfidential: readonly number[],
  viewer: number,
): ReadonlyMap<number, RelatedRow> {
  const [id = 0] = ids;
  const rows =
    ids.length === 1
      ? store.all<RelatedRow>(RELATED_OF_ONE, { id, withConfidential: withConfidential.length, viewer })
      : store.all<RelatedRow>(RELATED, {
          ids: JSON.stringify(ids),
          withConfidential: JSON.stringify(withConfidential),
          viewer,
        });
  return new Map(rows.map((row) => [row.id, row]));
}

export function namespaceById(store: Store, id: number, viewer: number): NamespaceRow | undefined {
  return store.get<NamespaceRow>(
    `SELECT id, kind, name, path, full_path, owner_id, visibility, project_creation_level,
       ${namespaceLevelSql('n.id')} AS level
     FROM namespaces_view n WHERE id = $id`,
    { id, viewer },
  );
}

/** Returns true if another project of the namespace has this name or path, or a group has this full path. */
export function isTaken(
  store: Store,
  input: { readonly namespaceId: number; readonly name: string; readonly path: string; readonly fullPath: string },
  exceptId: number,
): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects WHERE namespace_id = $namespaceId AND id <> $exceptId AND (path = $path OR name = $name COLLATE NOCASE)
       UNION ALL SELECT 1 FROM namespaces_view WHERE full_path = $fullPath`,
      { ...input, exceptId },
    ) !== undefined
  );
}

export interface NewProjectRow {
  readonly namespaceId: number;
  readonly creatorId: number;
  readonly name: string;
  readonly path: string;
  readonly fullPath: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  readonly defaultBranch: string;
  readonly issuesAccess: FeatureAccess;
  readonly forkedFromId: number | null;
  readonly importStatus: string;
  readonly mrDefaultTargetSelf: 0 | 1;
  readonly storage: string;
  readonly now: number;
}

export function insertProject(store: Store, project: NewProjectRow): number {
  return store.run(
    `INSERT INTO projects (namespace_id, creator_id, name, path, full_path, description, visibility, default_branch, issues_access,
       forked_from_id, import_status, mr_default_target_self, repository_storage, created_at, updated_at, last_activity_at)
     VALUES ($namespaceId, $creatorId, $name, $path, $fullPath, $description, $visibility, $defaultBranch, $issuesAccess,
       $forkedFromId, $importStatus, $mrDefaultTargetSelf, $storage, $now, $now, $now)`,
    { ...project },
  ).lastId;
}

export type ProjectValues = Pick<
  Project,
  'name' | 'path' | 'full_path' | 'description' | 'visibility' | 'default_branch' | 'archived' | 'issues_access'
>;

export function writeProject(store: Store, id: number, values: ProjectValues, now: number): void {
  const { name, path, full_path, description, visibility, default_branch, archived, issues_access } = values;
  store.run(
    `UPDATE projects SET name = $name, path = $path, full_path = $full_path, description = $description, visibility = $visibility,
       default_branch = $default_branch, archived = $archived, issues_access = $issues_access, updated_at = $now
     WHERE id = $id`,
    { id, now, name, path, full_path, description, visibility, default_branch, archived, issues_access },
  );
}

export function writeNamespace(
  store: Store,
  id: number,
  repository: { readonly namespaceId: number; readonly fullPath: string; readonly visibility: Visibility },
  now: number,
): void {
  store.run(
    `UPDATE projects SET namespace_id = $namespaceId, full_path = $fullPath, visibility = $visibility, updated_at = $now
     WHERE id = $id`,
    { ...repository, id, now },
  );
}

export function writeDefaultBranch(store: Store, id: number, branch: string): void {
  store.run('UPDATE projects SET default_branch = $branch WHERE id = $id', { id, branch });
}

/** Sets the fork source of a project; null removes it. */
export function writeSource(store: Store, id: number, sourceId: number | null): void {
  store.run('UPDATE projects SET forked_from_id = $sourceId WHERE id = $id', { id, sourceId });
}

export function insertRedirect(store: Store, formerPath: string, projectId: number): void {
  store.run(
    `INSERT INTO project_redirects (full_path, project_id) VALUES ($formerPath, $projectId)
     ON CONFLICT DO UPDATE SET project_id = $projectId`,
    { formerPath, projectId },
  );
}

/** Deletes the redirect from a path that is in use again. */
export function deleteRedirect(store: Store, path: string): void {
  store.run('DELETE FROM project_redirects WHERE full_path = $path', { path });
}

export function deleteProjectRow(store: Store, id: number): void {
  store.run('DELETE FROM projects WHERE id = $id', { id });
}

/** Updates the time of last activity, unless it is closer to `now` than `resolution`. */
export function markProjectActivity(store: Store, id: number, now: number, resolution: number): void {
  store.run('UPDATE projects SET last_activity_at = $now WHERE id = $id AND abs($now - last_activity_at) >= $resolution', {
    id,
    now,
    resolution,
  });
}

/**
 * Updates the paths of the projects below a group, at any depth, after a change of their namespaces' paths, and adds redirects
 * from the old paths.
 */
export function followNamespacePaths(
  store: Store,
  groupId: number,
): readonly { readonly id: number; readonly former_path: string }[] {
  const inside = 'namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)';
  const params = { groupId };
  const moved = store.all<{ id: number; former_path: string }>(
    `SELECT id, full_path AS former_path FROM projects WHERE ${inside} ORDER BY id`,
    params,
  );
  store.run(
    `INSERT INTO project_redirects (full_path, project_id) SELECT full_path, id FROM projects WHERE ${inside}
     ON CONFLICT DO UPDATE SET project_id = excluded.project_id`,
    params,
  );
  store.run(
    `UPDATE projects SET full_path = (SELECT n.full_path FROM namespaces_view n WHERE n.id = projects.namespace_id) || '/' || path
     WHERE ${inside}`,
    params,
  );
  store.run(`DELETE FROM project_redirects WHERE full_path IN (SELECT full_path FROM projects WHERE ${inside})`, params);
  return moved;
}

/** Deletes the projects below a group, at any depth, and returns them. */
export function removeProjectsOfGroup(
  store: Store,
  groupId: number,
): readonly { readonly id: number; readonly name: string; readonly fullPath: string; readonly namespace_id: number }[] {
  return store.all(
    `DELETE FROM projects WHERE namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)
     RETURNING id, name, full_path AS fullPath, namespace_id`,
    { groupId },
  );
}

/** Changes the visibility of the projects below a group, at any depth, that have one of the given visibilities. */
export function writeVisibilityBelow(store: Store, groupId: number, of: readonly Visibility[], visibility: Visibility): void {
  store.run(
    `UPDATE projects SET visibility = $visibility WHERE visibility IN (SELECT value FROM json_each($of))
       AND namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)`,
    { groupId, of: JSON.stringify(of), visibility },
  );
}

/** Returns true if there is a project with one of these visibilities below a group, at any depth. */
export function hasProjectOf(store: Store, groupId: number, of: readonly Visibility[]): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects WHERE visibility IN (SELECT value FROM json_each($of))
         AND namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId) LIMIT 1`,
      { groupId, of: JSON.stringify(of) },
    ) !== undefined
  );
}

/** Makes another user the creator of the projects that a user created in groups. */
export function handOverProjects(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE projects SET creator_id = $toUserId WHERE creator_id = $fromUserId', { fromUserId, toUserId });
}
