import type { GitCore } from '../../repositories/repositories.ts';
import { findNamespace, isNamespaceSeen } from '../groups/groups.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { boolean, integer, oneOf, opaque, required, string, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { findProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { listedProject, presentOneProject, projectList, projectListParameters, projectResponse } from '../projects/projects.ts';
import { visibilities } from '../abilities/abilities.ts';
import { forkProject, linkFork, unlinkFork } from './createFork.ts';

const metadata = { specRef: 'Forks', status: 'inferred', key: 'id' } as const;

const addForkParameters = () => ({
  id: required(string),
  namespace: opaque(),
  namespace_id: integer(),
  namespace_path: opaque(),
  path: string(),
  name: string(),
  description: string(),
  visibility: oneOf(visibilities)(),
  mr_default_target_self: boolean(),
  branches: string(),
});

const linkToSourceParameters = () => ({ id: required(string), forked_from_id: required(opaque) });

const removeForkParameters = () => ({ id: required(string) });

/** Forks of projects. */
export function forkRoutes(core: GitCore): Route[] {
  return [
    projectRoute(
      { ...metadata, method: 'POST', path: '/api/v4/projects/:id/fork', body: projectResponse, params: addForkParameters },
      'visible',
      (request) => addFork(core, request),
    ),
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/projects/:id/forks',
        body: listOf(listedProject),
        params: () => ({ id: required(string), ...projectListParameters() }),
      },
      (request) => projectList(core, request, { forkedFrom: request.project.id }),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/projects/:id/fork/:forked_from_id',
        body: projectResponse,
        params: linkToSourceParameters,
      },
      'owner',
      (request) => linkToSource(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: '/api/v4/projects/:id/fork', params: removeForkParameters },
      'owner',
      (request) => removeFork(core, request),
    ),
  ];
}

async function addFork(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof addForkParameters>>,
): Promise<ResponseOf<typeof projectResponse>> {
  const { params, caller } = request;
  const made = await forkProject(core, request, caller.user, {
    namespace: targetOf(core, params, caller),
    name: params.name,
    path: params.path,
    description: params.description,
    visibility: params.visibility,
    branch: params.branches === '' ? undefined : params.branches,
    mrDefaultTargetSelf: params.mr_default_target_self,
  });
  return presentAgain(core, made.project.id, request);
}

function linkToSource(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof linkToSourceParameters>>,
): ResponseOf<typeof projectResponse> {
  const source = findProject(core, request.params.forked_from_id, request.caller);
  if (source === undefined) throw notFound('Project');
  linkFork(core, request, source);
  return presentAgain(core, request.project.id, request);
}

function removeFork(core: GitCore, request: ProjectRequest<ParametersOf<typeof removeForkParameters>>): unknown {
  if (unlinkFork(core, request, request.caller.user)) return undefined;
  request.context.noteRefusal('fork.known', 'the project is not a fork');
  return new RawResponse({ status: 304 });
}

function presentAgain(
  core: GitCore,
  projectId: number,
  request: { readonly caller: Caller; readonly baseUrl: string },
): ResponseOf<typeof projectResponse> {
  const again = findProject(core, projectId, request.caller);
  if (again === undefined) throw notFound('Project');
  return presentOneProject(core, again, request);
}

/** Returns the namespace given by id, by path or by either; undefined if none is given. */
function targetOf(
  core: GitCore,
  sent: {
    readonly namespace: string | undefined;
    readonly namespace_id: number | undefined;
    readonly namespace_path: string | undefined;
  },
  caller: Caller,
) {
  const named = [sent.namespace_id, sent.namespace_path, sent.namespace].find((name) => name !== undefined && name !== '');
  if (named === undefined) return undefined;
  const namespace = findNamespace(core, named, caller);
  if (namespace === undefined || !isNamespaceSeen(namespace, caller)) throw notFound('Namespace');
  return namespace;
}
