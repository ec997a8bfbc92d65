import { demandOneOf } from '../../http/combinations.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, required, string, time, type ParametersOf } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { administratorRoute, RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { addDeployKey, enableDeployKey, mustFindKey, removeDeployKey, updateDeployKey } from './manageDeployKeys.ts';
import { presentInstanceKey, presentProjectKey } from './present.ts';
import { deployKey, instanceKey } from './responses.ts';
import { countKeys, countProjectKeys, listKeys, listProjectKeys } from './store.ts';

const metadata = { specRef: 'Deploy keys', status: 'inferred', key: 'id' } as const;
const oneParameters = () => ({ id: required(string), key_id: required(integer) });

const all = '/api/v4/projects/:id/deploy_keys';

const one = `${all}/:key_id`;

const showInstanceKeysParameters = () => ({ public: fallback(false, boolean), ...pageParameters() });

const showProjectKeysParameters = () => ({ id: required(string), ...pageParameters() });

const addKeyParameters = () => ({
  id: required(string),
  title: filled(),
  key: filled(),
  can_push: boolean(),
  expires_at: time(),
});

const changeKeyParameters = () => ({ ...oneParameters(), title: string(), can_push: boolean() });

/** Returns the routes of the deploy keys of the instance and of projects. */
export function deployKeyRoutes(core: Core): Route[] {
  return [
    administratorRoute(
      { ...metadata, method: 'GET', path: '/api/v4/deploy_keys', body: listOf(instanceKey), params: showInstanceKeysParameters },
      (request) => showInstanceKeys(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: all, body: listOf(deployKey), params: showProjectKeysParameters },
      'maintainer',
      (request) => showProjectKeys(core, request),
    ),
    projectRoute({ ...metadata, method: 'POST', path: all, body: deployKey, params: addKeyParameters }, 'maintainer', (request) =>
      addKey(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: one, body: deployKey, params: oneParameters },
      'maintainer',
      ({ params, project }) => presentProjectKey(mustFindKey(core, project, params.key_id)),
    ),
    projectRoute(
      { ...metadata, method: 'PUT', path: one, body: deployKey, params: changeKeyParameters },
      'maintainer',
      (request) => changeKey(core, request),
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: one, params: oneParameters }, 'maintainer', ({ params, project }) =>
      removeDeployKey(core, project, mustFindKey(core, project, params.key_id)),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${one}/enable`, body: deployKey, params: oneParameters },
      'maintainer',
      ({ params, project, caller }) => presentProjectKey(enableDeployKey(core, project, caller.user, params.key_id)),
    ),
  ];
}

function showInstanceKeys(core: Core, request: SignedInRequest<ParametersOf<typeof showInstanceKeysParameters>>): RawResponse {
  const { params, caller } = request;
  const pages = {
    count: (cap: number) => countKeys(core.store, params.public, cap),
    rows: (limit: number, offset: number) => listKeys(core.store, params.public, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (key) => presentInstanceKey(core, key, caller)));
}

function showProjectKeys(core: Core, request: ProjectRequest<ParametersOf<typeof showProjectKeysParameters>>): RawResponse {
  const { id } = request.project;
  const pages = {
    count: (cap: number) => countProjectKeys(core.store, id, cap),
    rows: (limit: number, offset: number) => listProjectKeys(core.store, id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, presentProjectKey));
}

function addKey(
  core: Core,
  { params, project, caller }: ProjectRequest<ParametersOf<typeof addKeyParameters>>,
): ResponseOf<typeof deployKey> {
  const { title, key, can_push: canPush = false, expires_at: expiresAt } = params;
  return presentProjectKey(addDeployKey(core, project, caller.user, { title, key, canPush, expiresAt }));
}

function changeKey(
  core: Core,
  { params, project, hasSent }: ProjectRequest<ParametersOf<typeof changeKeyParameters>>,
): ResponseOf<typeof deployKey> {
  demandOneOf({ hasSent }, ['title', 'can_push']);
  const key = mustFindKey(core, project, params.key_id);
  return presentProjectKey(updateDeployKey(core, project, key, { title: params.title, canPush: params.can_push }));
}
