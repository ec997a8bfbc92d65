import type { User } from '../../core/caller.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { accepted, listOf, type ResponseOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { notFound } from '../../core/errors.ts';
import {
  boolean,
  deprecated,
  fallback,
  integer,
  oneOf,
  required,
  string,
  strings,
  type ParametersOf,
} from '../../http/params.ts';
import { type ApiRequest, openRoute, type Route, userRoute, type SignedInRequest } from '../../http/route.ts';
import { findUserByIdOrName } from '../users/users.ts';
import { isProfileShown } from '../profiles/profiles.ts';
import { featureAccesses, type FeatureAccess, visibilities } from '../abilities/abilities.ts';
import {
  findProject,
  type FoundProject,
  openProjectRoute,
  type ProjectRequest,
  projectRoute,
} from '../projectAccess/projectAccess.ts';
import { listedProject, projectResponse } from './responses.ts';
import { setJobTokenScope } from '../jobTokenScope/jobTokenScope.ts';
import { projectList, projectListParameters } from './lists.ts';
import { presentOneProject } from './present.ts';
import { createProject, deleteProject, setArchived, updateProject } from './manageProjects.ts';

/** Attributes that can be set when a project is created and later. */
const projectValues = () => ({
  name: string(),
  path: string(),
  description: string(),
  visibility: oneOf(visibilities)(),
  default_branch: string(),
  issues_access_level: oneOf(featureAccesses)(),
  issues_enabled: boolean(),
  topics: strings(),
  tag_list: strings(),
});

/** Attributes that can only be set later. */
const laterValues = () => ({ ci_job_token_scope_enabled: deprecated('ci-job-token-scope-enabled', boolean()) });

const projectId = () => ({ id: required(string) });

/** The repository of a project, which the application passes in. */
export interface ProjectRepository {
  /** Throws if a project could not be created with a first commit on this branch. */
  readonly demandGit: (core: GitCore, branch: string) => Promise<void>;
  /** Commits a readme as the first file. */
  readonly initialise: (core: GitCore, found: FoundProject, user: User) => Promise<void>;
  /** Throws if a branch cannot become the default branch. */
  readonly demandDefaultBranch: (core: GitCore, projectId: number, branch: string) => Promise<void>;
  /** Updates the repository after a change of the default branch. */
  readonly followDefaultBranch: (core: GitCore, found: FoundProject, user: User) => Promise<void>;
}

const listParameters = () => ({ user_id: required(string), ...projectListParameters() });
const newParameters = () => ({ ...projectValues(), namespace_id: integer(), initialize_with_readme: fallback(false, boolean) });
const changedParameters = () => ({ ...projectId(), ...projectValues(), ...laterValues() });

export function projectRoutes(core: GitCore, repository: ProjectRepository): Route[] {
  return [
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/projects',
        body: listOf(listedProject),
        specRef: 'Projects',
        status: 'stated',
        key: 'id',
        params: projectListParameters,
      },
      (request) => projectList(core, request),
    ),
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/users/:user_id/projects',
        body: listOf(listedProject),
        specRef: 'Projects',
        status: 'inferred',
        key: 'id',
        params: listParameters,
      },
      (request) => listProjectsOfUser(core, request),
    ),
    userRoute(
      {
        method: 'POST',
        path: '/api/v4/projects',
        body: projectResponse,
        specRef: 'Projects',
        status: 'inferred',
        authenticateFirst: true,
        params: newParameters,
      },
      (request) => addProject(core, repository, request),
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id',
        acceptsJobToken: true,
        body: projectResponse,
        specRef: 'Projects',
        status: 'stated',
        key: 'id',
        params: projectId,
      },
      (request) => presentOneProject(core, request, request),
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id',
        body: projectResponse,
        specRef: 'Projects',
        status: 'inferred',
        key: 'id',
        params: changedParameters,
      },
      'maintainer',
      (request) => changeProject(core, repository, request),
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id',
        body: accepted,
        specRef: 'Projects',
        status: 'inferred',
        key: 'id',
        successStatus: 202,
        params: projectId,
      },
      'owner',
      (request) => removeProject(core, request),
    ),
    ...(['archive', 'unarchive'] as const).map((action) =>
      projectRoute(
        {
          method: 'POST',
          path: `/api/v4/projects/:id/${action}`,
          body: projectResponse,
          specRef: 'Projects',
          status: 'inferred',
          key: 'id',
          params: projectId,
        },
        'owner',
        (request) => changeArchiving(core, request, action),
      ),
    ),
  ];
}

function listProjectsOfUser(core: GitCore, request: ApiRequest<ParametersOf<typeof listParameters>>): unknown {
  const user = findUserByIdOrName(core, request.params.user_id);
  if (user === undefined) throw notFound('User');
  // A private profile hides projects, too; 0 matches no owner.
  return projectList(core, request, { namespaceOwner: isProfileShown(user, request.caller) ? user.id : 0 });
}

async function addProject(
  core: GitCore,
  repository: ProjectRepository,
  request: SignedInRequest<ParametersOf<typeof newParameters>>,
): Promise<ResponseOf<typeof projectResponse>> {
  const { params, caller } = request;
  demandOneOf(request, ['name', 'path']);
  if (params.initialize_with_readme) await repository.demandGit(core, params.default_branch ?? 'main');
  const created = createProject(core, caller.user, {
    name: params.name,
    path: params.path,
    namespaceId: params.namespace_id,
    description: params.description,
    visibility: params.visibility,
    defaultBranch: params.default_branch,
    issuesAccess: issuesAccess(params),
    topics: params.topics ?? params.tag_list,
  });
  if (!params.initialize_with_readme) return presentOneProject(core, created, request);
  await repository.initialise(core, created, caller.user);
  return presentAgain(core, created, request);
}

async function changeProject(
  core: GitCore,
  repository: ProjectRepository,
  request: ProjectRequest<ParametersOf<typeof changedParameters>>,
): Promise<ResponseOf<typeof projectResponse>> {
  const { params, project, caller } = request;
  demandOneOf(request, Object.keys({ ...projectValues(), ...laterValues() }));
  const branch = params.default_branch ?? project.default_branch;
  const isNewBranch = branch !== project.default_branch;
  if (isNewBranch) await repository.demandDefaultBranch(core, project.id, branch);
  updateProject(core, request, {
    name: params.name,
    path: params.path,
    description: params.description,
    visibility: params.visibility,
    defaultBranch: params.default_branch,
    issuesAccess: issuesAccess(params),
    topics: params.topics ?? params.tag_list,
  });
  const { ci_job_token_scope_enabled: outbound } = params;
  if (outbound !== undefined) setJobTokenScope(core, project.id, { outbound });
  if (isNewBranch) await repository.followDefaultBranch(core, request, caller.user);
  return presentAgain(core, request, request);
}

function removeProject(core: GitCore, { project }: ProjectRequest<ParametersOf<typeof projectId>>): ResponseOf<typeof accepted> {
  deleteProject(core, project);
  return { message: '202 Accepted' };
}

function changeArchiving(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof projectId>>,
  action: 'archive' | 'unarchive',
): ResponseOf<typeof projectResponse> {
  setArchived(core, request.project, action === 'archive');
  return presentAgain(core, request, request);
}

/** Presents the project after a change, with the caller's current permissions. */
function presentAgain(core: GitCore, found: FoundProject, request: ApiRequest<unknown>): ResponseOf<typeof projectResponse> {
  const again = findProject(core, found.project.id, request.caller);
  if (again === undefined) throw notFound('Project');
  return presentOneProject(core, again, request);
}

/** Returns the issues access. The deprecated switch applies only if the newer parameter is not sent. */
function issuesAccess(params: {
  readonly issues_access_level: FeatureAccess | undefined;
  readonly issues_enabled: boolean | undefined;
}): FeatureAccess | undefined {
  if (params.issues_access_level !== undefined || params.issues_enabled === undefined) return params.issues_access_level;
  return params.issues_enabled ? 'enabled' : 'disabled';
}
