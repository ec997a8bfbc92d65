import * as z from 'zod';
import { findGroup, type FoundGroup } from '../groups/groups.ts';
import { badRequest, nothingFound, notFound } from '../../core/errors.ts';
import { type LinkSource, offsetResponse, type OffsetRequest, pageParameters } from '../../http/pagination.ts';
import { boolean, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { address, id, listOf, named, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type ProjectRequest, projectRoute, shownProjects } from '../projectAccess/projectAccess.ts';
import { jobTokenScope, setJobTokenScope } from '../jobTokenScope/jobTokenScope.ts';
import { presentProjectBasic, projectBasic } from '../projects/projects.ts';
import { allow, allowedGroups, allowedProjects, disallow } from './allowlists.ts';

const metadata = { specRef: 'Job tokens', status: 'inferred', key: 'id' } as const;
/** First release with groups in allowlists. */
const GROUPS_SINCE = '17.0';

const scope = named('JobTokenScope', () => z.strictObject({ inbound_enabled: z.boolean(), outbound_enabled: z.boolean() }));
const projectLink = named('JobTokenProjectLink', () => z.strictObject({ source_project_id: id(), target_project_id: id() }));
const groupLink = named('JobTokenGroupLink', () => z.strictObject({ source_project_id: id(), target_group_id: id() }));
const allowedGroup = named('JobTokenAllowedGroup', () => z.strictObject({ id: id(), web_url: address(), name: z.string() }));

const listParameters = () => ({ id: required(string), ...pageParameters() });

const path = '/api/v4/projects/:id/job_token_scope';

const projects = `${path}/allowlist`;

const groups = `${path}/groups_allowlist`;

const page = <T>(
  request: LinkSource & { readonly params: OffsetRequest },
  items: readonly T[],
  present: (item: T) => unknown,
) => {
  const list = {
    count: (cap: number) => Math.min(items.length, cap),
    rows: (limit: number, offset: number) => items.slice(offset, offset + limit),
  };
  return new RawResponse(offsetResponse(request, request.params, list, present));
};

const showScopeParameters = () => ({ id: required(string) });

const allowProjectParameters = () => ({ id: required(string), target_project_id: required(integer) });

const disallowProjectParameters = () => ({ id: required(string), target_project_id: required(integer) });

const allowGroupParameters = () => ({ id: required(string), target_group_id: required(integer) });

const disallowGroupParameters = () => ({ id: required(string), target_group_id: required(integer) });

/** Returns the routes of the settings that decide which projects job tokens reach. */
export function jobTokenScopeRoutes(core: Core): Route[] {
  return [
    projectRoute({ ...metadata, method: 'GET', path, body: scope, params: showScopeParameters }, 'maintainer', (request) =>
      showScope(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PATCH',
        path,
        successStatus: 204,
        params: () => ({ id: required(string), enabled: required(boolean) }),
      },
      'maintainer',
      ({ project, params }) => setJobTokenScope(core, project.id, { inbound: params.enabled }),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: projects, body: listOf(projectBasic), params: listParameters },
      'maintainer',
      (request) => showProjects(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: projects, body: projectLink, params: allowProjectParameters },
      'maintainer',
      (request) => allowProject(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${projects}/:target_project_id`, params: disallowProjectParameters },
      'maintainer',
      (request) => disallowProject(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: groups, addedIn: GROUPS_SINCE, body: listOf(allowedGroup), params: listParameters },
      'maintainer',
      (request) => page(request, allowedGroups(core, request.project.id, request.caller), presentGroup(request.baseUrl)),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: groups, addedIn: GROUPS_SINCE, body: groupLink, params: allowGroupParameters },
      'maintainer',
      (request) => allowGroup(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'DELETE',
        path: `${groups}/:target_group_id`,
        addedIn: GROUPS_SINCE,
        params: disallowGroupParameters,
      },
      'maintainer',
      (request) => disallowGroup(core, request),
    ),
  ];
}

function showScope(core: Core, { project }: ProjectRequest<ParametersOf<typeof showScopeParameters>>): ResponseOf<typeof scope> {
  const { inbound, outbound } = jobTokenScope(core, project.id);
  return { inbound_enabled: inbound, outbound_enabled: outbound };
}

function showProjects(core: Core, request: ProjectRequest<ParametersOf<typeof listParameters>>): unknown {
  const items = allowedProjects(core, request.project, 'inbound', request.caller);
  const projects = shownProjects(
    core,
    items.map(({ project }) => project),
  );
  return page(request, projects, (project) => presentProjectBasic(project, request.baseUrl));
}

function allowProject(
  core: Core,
  { project, params, caller }: ProjectRequest<ParametersOf<typeof allowProjectParameters>>,
): ResponseOf<typeof projectLink> {
  const target = findProject(core, params.target_project_id, caller);
  if (target === undefined) throw notFound('Project');
  const refusal = allow(core, project.id, 'inbound', { projectId: target.project.id });
  if (refusal !== undefined) throw badRequest(refusal);
  return { source_project_id: project.id, target_project_id: target.project.id };
}

function disallowProject(core: Core, { project, params }: ProjectRequest<ParametersOf<typeof disallowProjectParameters>>): void {
  if (!disallow(core, project.id, 'inbound', { projectId: params.target_project_id })) throw notListed();
}

function allowGroup(
  core: Core,
  { project, params, caller }: ProjectRequest<ParametersOf<typeof allowGroupParameters>>,
): ResponseOf<typeof groupLink> {
  const target = findGroup(core, params.target_group_id, caller);
  if (target === undefined) throw notFound('Group');
  const refusal = allow(core, project.id, 'inbound', { groupId: target.group.id });
  if (refusal !== undefined) throw badRequest(refusal);
  return { source_project_id: project.id, target_group_id: target.group.id };
}

function disallowGroup(core: Core, { project, params }: ProjectRequest<ParametersOf<typeof disallowGroupParameters>>): void {
  if (!disallow(core, project.id, 'inbound', { groupId: params.target_group_id })) throw notListed();
}

const presentGroup =
  (baseUrl: string) =>
  ({ group }: FoundGroup) => ({ id: group.id, web_url: `${baseUrl}/groups/${group.full_path}`, name: group.name });

const notListed = () => nothingFound('the allowlist does not contain this project or group');
