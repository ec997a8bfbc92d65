import { boolean, fallback, integer, required, string } from '../../http/params.ts';
import type { RequestOf, Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { memberLists, memberMetadata, memberRows, type MembersOf } from '../members/members.ts';
import type { FoundGroup } from './access.ts';
import { addGroupMember, containerOf, removeGroupMember, updateGroupMember } from './members.ts';
import { groupRoute } from './route.ts';

const removeParameters = () => ({
  id: required(string),
  user_id: required(integer),
  skip_subresources: fallback(false, boolean),
});

/** Returns the routes of group members. */
export function groupMemberRoutes(core: Core): Route[] {
  const ofGroups: MembersOf<FoundGroup> = {
    path: '/api/v4/groups/:id',
    route: groupRoute,
    role: 'owner',
    containerOf: ({ group }) => containerOf(group),
    add: ({ group }, user, membership, by) => addGroupMember(core, group, user, membership, { user: by }),
    update: ({ group }, userId, input) => updateGroupMember(core, group, userId, input),
  };

  return [
    ...memberLists(core, ofGroups),
    ...memberRows(core, ofGroups),
    groupRoute(
      { ...memberMetadata, method: 'DELETE', path: '/api/v4/groups/:id/members/:user_id', params: removeParameters },
      'visible',
      (request) => remove(core, request),
    ),
  ];
}

function remove(core: Core, { params, group, caller, access }: RequestOf<typeof removeParameters> & FoundGroup): void {
  const by = { user: caller.user, access };
  removeGroupMember(core, group, params.user_id, by, params.skip_subresources);
}
