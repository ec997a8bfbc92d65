import { type FoundGroup, groupRoute } from '../groups/groups.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, required, someOf, string, time } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { administratorRoute, RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, projectRoute } from '../projectAccess/projectAccess.ts';
import { createDeployToken, deleteDeployToken, deployTokenScopes, mustFindToken } from './manageDeployTokens.ts';
import { presentDeployToken } from './present.ts';
import { deployToken, newDeployToken } from './responses.ts';
import { countTokens, type DeployTokenFilter, listTokens, type TokenContainer } from './store.ts';

const metadata = { specRef: 'Deploy tokens', status: 'inferred', key: 'id' } as const;

const filterParameters = () => ({ active: fallback(false, boolean), ...pageParameters() });
const listParameters = () => ({ id: required(string), ...filterParameters() });
const oneParameters = () => ({ id: required(string), token_id: required(integer) });
const newParameters = () => ({
  id: required(string),
  name: filled(),
  scopes: required(someOf(deployTokenScopes)),
  expires_at: time(),
  username: string(),
});

const ofProject = ({ project }: FoundProject): TokenContainer => ({ projectId: project.id, groupId: null });
const ofGroup = ({ group }: FoundGroup): TokenContainer => ({ projectId: null, groupId: group.id });

/** Returns the routes of the deploy tokens of the instance, of projects and of groups. */
export function deployTokenRoutes(core: Core): Route[] {
  const ofProjects = '/api/v4/projects/:id/deploy_tokens';
  const ofGroups = '/api/v4/groups/:id/deploy_tokens';

  return [
    administratorRoute(
      { ...metadata, method: 'GET', path: '/api/v4/deploy_tokens', body: listOf(deployToken), params: filterParameters },
      (request) => list(core, request, { projectId: null, groupId: null }),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: ofProjects, body: listOf(deployToken), params: listParameters },
      'maintainer',
      (request) => list(core, request, ofProject(request)),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: ofProjects, body: newDeployToken, params: newParameters },
      'maintainer',
      (request) => create(core, request, ofProject(request)),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${ofProjects}/:token_id`, body: deployToken, params: oneParameters },
      'maintainer',
      (request) => show(core, request, ofProject(request)),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${ofProjects}/:token_id`, params: oneParameters },
      'maintainer',
      (request) => remove(core, request, ofProject(request)),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: ofGroups, body: listOf(deployToken), params: listParameters },
      'maintainer',
      (request) => list(core, request, ofGroup(request)),
    ),
    groupRoute({ ...metadata, method: 'POST', path: ofGroups, body: newDeployToken, params: newParameters }, 'owner', (request) =>
      create(core, request, ofGroup(request)),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: `${ofGroups}/:token_id`, body: deployToken, params: oneParameters },
      'maintainer',
      (request) => show(core, request, ofGroup(request)),
    ),
    groupRoute({ ...metadata, method: 'DELETE', path: `${ofGroups}/:token_id`, params: oneParameters }, 'owner', (request) =>
      remove(core, request, ofGroup(request)),
    ),
  ];
}

function list(core: Core, request: RequestOf<typeof filterParameters>, container: TokenContainer): RawResponse {
  const { params, now } = request;
  const filter: DeployTokenFilter = { ...container, activeAt: params.active ? now : null };
  const pages = {
    count: (cap: number) => countTokens(core.store, filter, cap),
    rows: (limit: number, offset: number) => listTokens(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (token) => presentDeployToken(token, now)));
}

function create(
  core: Core,
  { params, now }: RequestOf<typeof newParameters>,
  container: TokenContainer,
): ResponseOf<typeof newDeployToken> {
  const { name, username, scopes, expires_at: expiresAt } = params;
  const { token, secret } = createDeployToken(core, container, { name, username, scopes, expiresAt });
  return { ...presentDeployToken(token, now), token: secret };
}

function show(
  core: Core,
  { params, now }: RequestOf<typeof oneParameters>,
  container: TokenContainer,
): ResponseOf<typeof deployToken> {
  return presentDeployToken(mustFindToken(core, container, params.token_id), now);
}

function remove(core: Core, { params }: RequestOf<typeof oneParameters>, container: TokenContainer): void {
  deleteDeployToken(core, mustFindToken(core, container, params.token_id));
}
