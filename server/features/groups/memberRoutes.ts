import { boolean, fallback, integer, required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';
import { memberMetadata, memberLists, memberRows, type MembersOf } from '../projects/projects.ts';
import type { FoundGroup } from './access.ts';
import { addGroupMember, containerOf, removeGroupMember, updateGroupMember } from './members.ts';
import { groupRoute } from './route.ts';

/** Returns the routes of group members. */
export function groupMemberRoutes(platform: Platform): Route[] {
  const ofGroups: MembersOf<FoundGroup> = {
    path: '/api/v4/groups/:id',
    route: groupRoute,
    role: 'owner',
    containerOf: ({ group }) => containerOf(group),
    add: ({ group }, user, membership, by) => addGroupMember(platform, group, user, membership, { user: by }),
    update: ({ group }, userId, input) => updateGroupMember(platform, group, userId, input),
  };

  return [
    ...memberLists(platform, ofGroups),
    ...memberRows(platform, ofGroups),
    groupRoute(
      platform,
      {
        ...memberMetadata,
        method: 'DELETE',
        path: '/api/v4/groups/:id/members/:user_id',
        params: () => ({
          id: required(string),
          user_id: required(integer),
          skip_subresources: fallback(false, boolean),
        }),
      },
      'visible',
      ({ params, group, caller, access }) => {
        const by = { user: caller.user, access };
        removeGroupMember(platform, group, params.user_id, by, params.skip_subresources);
      },
    ),
  ];
}
