import type { Store } from '../../../store/open.ts';
import { likePattern, likeSql } from '../../../store/sql.ts';

/** Returns the ID and full path of a group and the groups above it, nearest first. Personal namespaces have none. */
export function groupsAround(store: Store, namespaceId: number): { readonly id: number; readonly path: string }[] {
  return store.all(
    `SELECT n.id, n.full_path AS path FROM namespace_ancestors_view a JOIN namespaces_view n ON n.id = a.ancestor_id
     WHERE a.namespace_id = $namespaceId AND n.kind = 'group' ORDER BY length(n.full_path) DESC`,
    { namespaceId },
  );
}

/** A group or project of which a user is a member, directly or through a group. */
export interface MembershipRow {
  readonly kind: 'group' | 'project';
  readonly id: number;
  readonly path: string;
  /** ID of the namespace of a project, or of the group itself. */
  readonly namespace_id: number;
}

/** Returns the groups and projects of a user by path, so that projects follow their group. With a text, only those whose path contains it. */
export function listMemberships(
  store: Store,
  userId: number,
  search: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): MembershipRow[] {
  return store.all<MembershipRow>(
    `SELECT kind, id, path, namespace_id FROM (
       SELECT 'group' AS kind, n.id, n.full_path AS path, n.id AS namespace_id FROM namespaces_view n
         WHERE n.kind = 'group' AND n.id IN (
           SELECT d.namespace_id FROM group_members_view m JOIN namespace_ancestors_view d ON d.ancestor_id = m.group_id
           WHERE m.user_id = $userId)
       UNION ALL
       SELECT 'project', p.id, p.full_path, p.namespace_id FROM project_access_view a JOIN projects_view p ON p.id = a.project_id
         WHERE a.user_id = $userId)
     WHERE ${likeSql(['path'], '$search')} ORDER BY path, kind LIMIT $limit OFFSET $offset`,
    { userId, search: likePattern(search), limit, offset },
  );
}
