import { listOf } from '../../http/responses.ts';
import { pageParameters } from '../../http/pagination.ts';
import { integer, integers, required, string, type ParametersOf } from '../../http/params.ts';
import type { ApiRequest, RawResponse, Route } from '../../http/route.ts';
import { peopleOf, userBasic } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { memberMetadata, memberLists, memberPage, memberRows, type MembersOf } from './memberRows.ts';
import { addMember, containerOf, removeMember, updateMember } from './projectMembers.ts';

const listUsersParameters = () => ({
  id: required(string),
  search: string(),
  skip_users: integers(),
  ...pageParameters(),
});

const removeParameters = () => ({ id: required(string), user_id: required(integer) });

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
        params: listUsersParameters,
      },
      (request) => listUsers(core, request),
    ),
    ...memberRows(core, ofProjects),
    projectRoute(
      { ...memberMetadata, method: 'DELETE', path: '/api/v4/projects/:id/members/:user_id', params: removeParameters },
      'visible',
      (request) => remove(core, request),
    ),
  ];
}

function listUsers(core: Core, request: ApiRequest<ParametersOf<typeof listUsersParameters>> & FoundProject): RawResponse {
  const { params, project, baseUrl } = request;
  const filter = { container: containerOf(project), withInherited: true, query: params.search, without: params.skip_users };
  const personOf = peopleOf(core, baseUrl);
  return memberPage(core, request, params, filter, (found) => personOf(found.user_id));
}

function remove(core: Core, { params, project, caller, access }: ProjectRequest<ParametersOf<typeof removeParameters>>): void {
  removeMember(core, project, params.user_id, { user: caller.user, access });
}
