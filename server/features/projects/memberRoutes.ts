import { listOf } from '../../http/responses.ts';
import { pageParameters } from '../../http/pagination.ts';
import { integer, integers, required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import { peopleOf, userBasic } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import type { FoundProject } from './access.ts';
import { memberMetadata, memberLists, memberPage, memberRows, type MembersOf } from './memberRows.ts';
import { addMember, containerOf, removeMember, updateMember } from './members.ts';
import { openProjectRoute, projectRoute } from './route.ts';

/** The members of a project, as memberships and as users. */
export function memberRoutes(platform: Platform): Route[] {
  const ofProjects: MembersOf<FoundProject> = {
    path: '/api/v4/projects/:id',
    route: projectRoute,
    role: 'maintainer',
    containerOf: ({ project }) => containerOf(project),
    add: ({ project, access }, user, membership, by) => addMember(platform, project, user, membership, { user: by, access }),
    update: ({ project, access }, userId, input) => updateMember(platform, project, userId, input, { access }),
  };

  return [
    ...memberLists(platform, ofProjects),
    openProjectRoute(
      platform,
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
        const personOf = peopleOf(platform, baseUrl);
        return memberPage(platform, request, params, filter, (found) => personOf(found.user_id));
      },
    ),
    ...memberRows(platform, ofProjects),
    projectRoute(
      platform,
      {
        ...memberMetadata,
        method: 'DELETE',
        path: '/api/v4/projects/:id/members/:user_id',
        params: () => ({ id: required(string), user_id: required(integer) }),
      },
      'visible',
      ({ params, project, caller, access }) => {
        removeMember(platform, project, params.user_id, { user: caller.user, access });
      },
    ),
  ];
}
