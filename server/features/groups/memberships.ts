import type { ResponseOf } from '../../http/responses.ts';
import { countRows } from '../../store/count.ts';
import { projectMembershipsSql } from '../members/members.ts';
import type { SqlParams, Store } from '../../store/open.ts';
import type { membership } from './responses.ts';

export interface MembershipFilter {
  readonly userId: number;
  /** Both types if omitted. */
  readonly type: 'Project' | 'Namespace' | undefined;
}

function from({ userId, type }: MembershipFilter): { from: string; params: SqlParams } {
  return {
    from: `FROM (
      SELECT n.id AS source_id, n.name AS source_name, 'Namespace' AS source_type, m.access_level, m.created_at
        FROM group_members_view m JOIN namespaces n ON n.id = m.group_id WHERE m.user_id = $userId
      UNION ALL
      ${projectMembershipsSql})
      ${type === undefined ? '' : 'WHERE source_type = $type'}`,
    params: type === undefined ? { userId } : { userId, type },
  };
}

export function countMemberships(store: Store, filter: MembershipFilter, cap: number): number {
  const { from: source, params } = from(filter);
  return countRows(store, source, params, cap);
}

/** Returns memberships, oldest first. */
export function listMemberships(
  store: Store,
  filter: MembershipFilter,
  limit: number,
  offset: number,
): ResponseOf<typeof membership>[] {
  const { from: source, params } = from(filter);
  return store.all(
    `SELECT source_id, source_name, source_type, access_level ${source}
     ORDER BY created_at, source_type, source_id LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}
