import type { Core } from '../../core/core.ts';
import type { OffsetList } from '../../http/pagination.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { presentUserBasic } from './present.ts';
import type { userBasic } from './responses.ts';
import { countMatchingUsers, listUsers, type UserFilter } from '../users/users.ts';

/** Returns the users whose name or username contains a text, or whose email address it is, by the time of their creation. */
export function searchUsers(
  core: Core,
  baseUrl: string,
  filter: Pick<UserFilter, 'search' | 'projectId' | 'group'>,
  sort: 'asc' | 'desc',
): OffsetList<ResponseOf<typeof userBasic>> {
  return {
    count: (cap) => countMatchingUsers(core.store, filter, cap),
    rows: (limit, offset) =>
      listUsers(core.store, filter, { order: 'created_at', sort, limit, offset }).map((user) =>
        presentUserBasic(core, user, baseUrl),
      ),
  };
}
