import { makeDsn } from '../../../src/contract/dsn.ts';
import { listOf } from '../../http/responses.ts';
import { recordNotFound } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, required, string } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute } from '../projects/projects.ts';
import { clientKey } from './clientKeyResponses.ts';
import { type ClientKey, createClientKey, deleteClientKey } from './manageClientKeys.ts';
import { countKeys, keyById, listKeys } from './clientKeyStore.ts';

/** Returns the routes of the keys with which SDKs send errors to a project (docs/interface.md#client-keys). */
export function clientKeyRoutes(core: Core): Route[] {
  const { store } = core;
  const metadata = { specRef: 'Client keys', status: 'stated', key: 'id' } as const;
  const path = '/api/v4/projects/:id/error_tracking/client_keys';
  const dsnMember = core.dialect.trackerMembers.dsn;

  const present = (key: ClientKey, baseUrl: string): object => ({
    id: key.id,
    active: key.active === 1,
    public_key: key.public_key,
    [dsnMember]: makeDsn(baseUrl, key.public_key, key.project_id),
  });

  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path,
        body: listOf(clientKey),
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      'maintainer',
      (request) => {
        const { project, params, baseUrl } = request;
        const list = {
          count: (cap: number) => countKeys(store, project.id, cap),
          rows: (limit: number, offset: number) => listKeys(store, project.id, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, (key) => present(key, baseUrl)));
      },
    ),
    projectRoute(
      { ...metadata, method: 'POST', path, body: clientKey, params: () => ({ id: required(string) }) },
      'maintainer',
      ({ project, baseUrl }) => present(createClientKey(core, project.id), baseUrl),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'DELETE',
        path: `${path}/:key_id`,
        successStatus: 200,
        body: clientKey,
        params: () => ({ id: required(string), key_id: required(integer) }),
      },
      'maintainer',
      ({ project, params, baseUrl }) => {
        const key = keyById(store, project.id, params.key_id);
        if (key === undefined) throw recordNotFound('the project has no such client key');
        deleteClientKey(core, key);
        return present(key, baseUrl);
      },
    ),
  ];
}
