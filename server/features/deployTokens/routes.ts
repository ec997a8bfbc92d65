import { type FoundGroup, groupRoute } from '../groups/groups.ts';
import { type LinkSource, offsetResponse, type OffsetRequest, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, required, someOf, string, time } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { administratorRoute, RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, projectRoute } from '../projects/projects.ts';
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

interface NewTokenParameters {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: number | undefined;
  readonly username: string | undefined;
}

type ListRequest = LinkSource & { readonly params: OffsetRequest & { readonly active: boolean }; readonly now: number };

const ofProject = ({ project }: FoundProject): TokenContainer => ({ projectId: project.id, groupId: null });
const ofGroup = ({ group }: FoundGroup): TokenContainer => ({ projectId: null, groupId: group.id });

/** Returns the routes of the deploy tokens of the instance, of projects and of groups. */
export function deployTokenRoutes(core: Core): Route[] {
  const { store } = core;
  const ofProjects = '/api/v4/projects/:id/deploy_tokens';
  const ofGroups = '/api/v4/groups/:id/deploy_tokens';
  const list = (request: ListRequest, container: TokenContainer): RawResponse => {
    const { params, now } = request;
    const filter: DeployTokenFilter = { ...container, activeAt: params.active ? now : null };
    const pages = {
      count: (cap: number) => countTokens(store, filter, cap),
      rows: (limit: number, offset: number) => listTokens(store, filter, limit, offset),
    };
    return new RawResponse(offsetResponse(request, params, pages, (token) => presentDeployToken(token, now)));
  };
  const create = (container: TokenContainer, params: NewTokenParameters, now: number) => {
    const { name, username, scopes, expires_at: expiresAt } = params;
    const { token, secret } = createDeployToken(core, container, { name, username, scopes, expiresAt });
    return { ...presentDeployToken(token, now), token: secret };
  };
  const show = (container: TokenContainer, id: number, now: number) =>
    presentDeployToken(mustFindToken(core, container, id), now);
  const remove = (container: TokenContainer, id: number): void => deleteDeployToken(core, mustFindToken(core, container, id));

  return [
    administratorRoute(
      { ...metadata, method: 'GET', path: '/api/v4/deploy_tokens', body: listOf(deployToken), params: filterParameters },
      (request) => list(request, { projectId: null, groupId: null }),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: ofProjects, body: listOf(deployToken), params: listParameters },
      'maintainer',
      (request) => list(request, ofProject(request)),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: ofProjects, body: newDeployToken, params: newParameters },
      'maintainer',
      (request) => create(ofProject(request), request.params, request.now),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${ofProjects}/:token_id`, body: deployToken, params: oneParameters },
      'maintainer',
      (request) => show(ofProject(request), request.params.token_id, request.now),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${ofProjects}/:token_id`, params: oneParameters },
      'maintainer',
      (request) => remove(ofProject(request), request.params.token_id),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: ofGroups, body: listOf(deployToken), params: listParameters },
      'maintainer',
      (request) => list(request, ofGroup(request)),
    ),
    groupRoute({ ...metadata, method: 'POST', path: ofGroups, body: newDeployToken, params: newParameters }, 'owner', (request) =>
      create(ofGroup(request), request.params, request.now),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: `${ofGroups}/:token_id`, body: deployToken, params: oneParameters },
      'maintainer',
      (request) => show(ofGroup(request), request.params.token_id, request.now),
    ),
    groupRoute({ ...metadata, method: 'DELETE', path: `${ofGroups}/:token_id`, params: oneParameters }, 'owner', (request) =>
      remove(ofGroup(request), request.params.token_id),
    ),
  ];
}
