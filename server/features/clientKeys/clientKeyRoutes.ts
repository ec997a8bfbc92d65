import { makeDsn } from '../../../src/contract/dsn.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, type ParametersOf, required, string } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { clientKey } from './clientKeyResponses.ts';
import { type ClientKey, createClientKey, deleteClientKey } from './manageClientKeys.ts';
import { countKeys, keyById, listKeys } from './clientKeyStore.ts';

const PATH = '/api/v4/projects/:id/error_tracking/client_keys';

const projectParameters = () => ({ id: required(string) });
const listParameters = () => ({ ...projectParameters(), ...pageParameters() });
const keyParameters = () => ({ ...projectParameters(), key_id: required(integer) });

type ClientKeyResponse = ResponseOf<typeof clientKey>;

/** Returns the routes of the keys with which SDKs send errors to a project (docs/interface.md#client-keys). */
export function clientKeyRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Client keys', status: 'stated', key: 'id' } as const;
  return [
    projectRoute(
      { ...metadata, method: 'GET', path: PATH, body: listOf(clientKey), params: listParameters },
      'maintainer',
      (request) => listClientKeys(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: PATH, body: clientKey, params: projectParameters },
      'maintainer',
      ({ project, baseUrl }) => presentClientKey(core, createClientKey(core, project.id), baseUrl),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${PATH}/:key_id`, successStatus: 200, body: clientKey, params: keyParameters },
      'maintainer',
      (request) => removeClientKey(core, request),
    ),
  ];
}

function listClientKeys(core: Core, request: ProjectRequest<ParametersOf<typeof listParameters>>): RawResponse {
  const { project, params, baseUrl } = request;
  const list = {
    count: (cap: number) => countKeys(core.store, project.id, cap),
    rows: (limit: number, offset: number) => listKeys(core.store, project.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, list, (key) => presentClientKey(core, key, baseUrl)));
}

function removeClientKey(
  core: Core,
  { project, params, baseUrl }: ProjectRequest<ParametersOf<typeof keyParameters>>,
): ClientKeyResponse {
  const key = keyById(core.store, project.id, params.key_id);
  if (key === undefined) throw recordNotFound('the project has no such client key');
  deleteClientKey(core, key);
  return presentClientKey(core, key, baseUrl);
}

/** Returns the JSON of a client key. The name of the DSN depends on the dialect. */
export function presentClientKey(
  { dialect }: Pick<Core, 'dialect'>,
  { id, active, public_key, project_id: projectId }: ClientKey,
  baseUrl: string,
): ClientKeyResponse {
  const key = { id, active: active === 1, public_key };
  const dsn = makeDsn(baseUrl, public_key, projectId);
  return dialect.trackerMembers.dsn === 'tracker_dsn' ? { ...key, tracker_dsn: dsn } : { ...key, sentry_dsn: dsn };
}
