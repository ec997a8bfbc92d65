import { isoTime } from '../../core/clock.ts';
import { listOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { required, string, type ParametersOf } from '../../http/params.ts';
import { openRoute, RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { findUserByIdOrName } from '../users/users.ts';
import { isProfileShown, peopleOf } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import {
  accessOf,
  findProject,
  type FoundProject,
  openProjectRoute,
  type ProjectRequest,
  projectRoute,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { listedProject, presentOneProject, projectList, projectListParameters, projectResponse } from '../projects/projects.ts';
import { starrer } from './responses.ts';
import { countStars, deleteStar, insertStar, listStars, type StarFilter } from './store.ts';

const metadata = { specRef: 'Projects', status: 'inferred', key: 'id' } as const;

const changeStarParameters = () => ({ id: required(string) });

const showStarrersParameters = () => ({ id: required(string), search: string(), ...pageParameters() });

const showStarredProjectsParameters = () => ({ user_id: required(string), ...projectListParameters() });

/** Starring, unstarring and lists of starred projects. */
export function starRoutes(core: Core): Route[] {
  return [
    ...(['star', 'unstar'] as const).map((action) =>
      projectRoute(
        {
          ...metadata,
          method: 'POST',
          path: `/api/v4/projects/:id/${action}`,
          body: projectResponse,
          params: changeStarParameters,
        },
        'visible',
        (request) => changeStar(core, request, action),
      ),
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/projects/:id/starrers',
        body: listOf(starrer),
        params: showStarrersParameters,
      },
      (request) => showStarrers(core, request),
    ),
    openRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/users/:user_id/starred_projects',
        body: listOf(listedProject),
        params: showStarredProjectsParameters,
      },
      (request) => showStarredProjects(core, request),
    ),
  ];
}

function changeStar(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof changeStarParameters>>,
  action: 'star' | 'unstar',
): unknown {
  const { project, caller, context } = request;
  const isChanged =
    action === 'star'
      ? insertStar(core.store, project.id, caller.user.id, core.clock.now())
      : deleteStar(core.store, project.id, caller.user.id);
  if (!isChanged) {
    context.noteRefusal(
      'star.changed',
      action === 'star' ? 'the caller has already starred the project' : 'the caller has not starred the project',
    );
    return new RawResponse({ status: 304 });
  }
  const again = findProject(core, project.id, caller);
  if (again === undefined) throw notFound('Project');
  return presentOneProject(core, again, request);
}

function showStarrers(core: Core, request: ApiRequest<ParametersOf<typeof showStarrersParameters>> & FoundProject): RawResponse {
  const { params, project, caller, baseUrl } = request;
  const filter: StarFilter = {
    projectId: project.id,
    search: params.search,
    viewer: viewerId(caller),
    seesAll: accessOf(caller).isAdministrator,
  };
  const personOf = peopleOf(core, baseUrl);
  const pages = {
    count: (cap: number) => countStars(core.store, filter, cap),
    rows: (limit: number, offset: number) => listStars(core.store, filter, limit, offset),
  };
  return new RawResponse(
    offsetResponse(request, params, pages, (star) => ({
      starred_since: isoTime(star.created_at),
      user: personOf(star.user_id),
    })),
  );
}

function showStarredProjects(core: Core, request: ApiRequest<ParametersOf<typeof showStarredProjectsParameters>>): unknown {
  const user = findUserByIdOrName(core, request.params.user_id);
  if (user === undefined) throw notFound('User');
  // A private profile hides stars, too; 0 matches no user.
  return projectList(core, request, { starredBy: isProfileShown(user, request.caller) ? user.id : 0 });
}
