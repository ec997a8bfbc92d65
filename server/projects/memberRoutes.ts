import { listOf } from '../http/answers.ts';
import { pageParameters } from '../http/pagination.ts';
import { integer, integers, required, string } from '../http/params.ts';
import type { Route } from '../http/route.ts';
import { peopleOf, userBasic } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import type { FoundProject } from './access.ts';
import { memberFacts, memberLists, memberPage, memberRows, type MembersOf } from './memberRows.ts';
import { addMember, homeOf, removeMember, updateMember } from './members.ts';
import { openProjectRoute, projectRoute } from './route.ts';

/** Members of a project, as such and as people. */
export function memberRoutes(platform: Platform): Route[] {
  const ofProjects: MembersOf<FoundProject> = {
    path: '/api/v4/projects/:id',
    route: projectRoute,
    role: 'maintainer',
    homeOf: ({ project }) => homeOf(project),
    add: ({ project, standing }, user, membership, by) => addMember(platform, project, user, membership, { user: by, standing }),
    update: ({ project, standing }, userId, wish) => updateMember(platform, project, userId, wish, { standing }),
  };

  return [
    ...memberLists(platform, ofProjects),
    openProjectRoute(
      platform,
      {
        ...memberFacts,
        method: 'GET',
        path: '/api/v4/projects/:id/users',
        body: listOf(userBasic),
        params: () => ({ id: required(string), search: string(), skip_users: integers(), ...pageParameters() }),
      },
      (request) => {
        const { params, project, baseUrl } = request;
        const filter = { home: homeOf(project), withInherited: true, query: params.search, without: params.skip_users };
        const personOf = peopleOf(platform, baseUrl);
        return memberPage(platform, request, params, filter, (found) => personOf(found.user_id));
      },
    ),
    ...memberRows(platform, ofProjects),
    projectRoute(
      platform,
      {
        ...memberFacts,
        method: 'DELETE',
        path: '/api/v4/projects/:id/members/:user_id',
        params: () => ({ id: required(string), user_id: required(integer) }),
      },
      'visible',
      ({ params, project, caller, standing }) => {
        removeMember(platform, project, params.user_id, { user: caller.user, standing });
      },
    ),
  ];
}
