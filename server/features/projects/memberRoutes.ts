import { listOf } from '../../http/responses.ts';
import { pageParameters } from '../../http/pagination.ts';
import { integer, integers, required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import { peopleOf, userBasic } from '../identity/identity.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from './access.ts';
import { memberMetadata, memberLists, memberPage, memberRows, type MembersOf } from './memberRows.ts';
import { addMember, containerOf, removeMember, updateMember } from './members.ts';
import { openProjectRoute, projectRoute } from './route.ts';

/** The members of a project, as memberships and as users. */
export function memberRoutes(core: Core): Route[] {
  const ofProjects: MembersOf<FoundProject> = {
    path: '/api/v4/projects/:id',
    route: projectRoute,
    role: 'maintainer',
    containerOf: ({ project }) => containerOf(project),
    add: ({ project, access }, user, membership, by) => addMember(core, project, user, membership, { user: by, access }),
    update: ({ project, access }, userId, input) => updateMember(core, project, userId, input, { access }),
  };

  return [
    ...memberLists(core, ofProjects),
    openProjectRoute(
      {
        ...memberMetadata,
        method: 'GET',
        path: '/api/v4/projects/:id/users',
        body: listOf(userBasic),
        params: () => ({ id: required(string), search: string(), skip_users: integers(), ...pageParameters() }),
      },
      (request) => {
        const { params, project, baseUrl } = request;
        const filter = { container: containerOf(project), withInherited: true, query: params.search, without: params.skip_users };
        const personOf = peopleOf(core, baseUrl);
        return memberPage(core, request, params, filter, (found) => personOf(found.user_id));
      },
    ),
    ...memberRows(core, ofProjects),
    projectRoute(
      {
        ...memberMetadata,
        method: 'DELETE',
        path: '/api/v4/projects/:id/members/:user_id',
        params: () => ({ id: required(string), user_id: required(integer) }),
      },
      'visible',
      ({ params, project, caller, access }) => {
        removeMember(core, project, params.user_id, { user: caller.user, access });
      },
    ),
  ];
}
