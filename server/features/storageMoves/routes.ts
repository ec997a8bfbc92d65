import type { GitCore } from '../../repositories/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import { findGroup } from '../groups/groups.ts';
import { notFound, recordNotFound } from '../../core/errors.ts';
import { invalidParameters } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, opaque, required, string } from '../../http/params.ts';
import { accepted, listOf } from '../../http/responses.ts';
import { administratorRoute, type ApiRequest, RawResponse, type Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Availability } from '../../core/profile.ts';
import { findProject, presentProjectBasic } from '../projects/projects.ts';
import { findSnippet, presentSnippets } from '../snippets/snippets.ts';
import { scheduleAll, scheduleMove } from './moves.ts';
import { moveResponses } from './responses.ts';
import {
  type Container,
  containerKinds,
  type ContainerKind,
  containerOf,
  countMoves,
  listMoves,
  moveById,
  type MoveRow,
} from './store.ts';

type Present = Pick<ApiRequest<unknown>, 'baseUrl' | 'caller'>;

const availabilities: Readonly<Record<ContainerKind, Availability>> = {
  project: { offerings: ['self-managed'] },
  snippet: { offerings: ['self-managed'] },
  group: { offerings: ['self-managed'], tiers: ['premium', 'ultimate'] },
};

/** Returns the routes of moves of repositories between storages, for administrators. */
export function storageMoveRoutes(core: GitCore): Route[] {
  return containerKinds.flatMap((kind) => routesOf(core, kind));
}

function routesOf(core: GitCore, kind: ContainerKind): Route[] {
  const { store, repositories } = core;
  const move = moveResponses[kind];
  const metadata = { specRef: 'Repository storage moves', ...availabilities[kind] } as const;
  const inferred = { ...metadata, status: 'inferred', key: 'id' } as const;
  const all = `/api/v4/${kind}_repository_storage_moves`;
  const ofOne = `/api/v4/${kind}s/:id/repository_storage_moves`;
  const number = () => ({ repository_storage_move_id: required(integer) });
  const present = movePresenter(core, kind);

  const list = (request: ApiRequest<{ readonly page: number; readonly per_page: number }>, id?: number): RawResponse => {
    const pages = {
      count: (cap: number) => countMoves(store, { kind, id }, cap),
      rows: (limit: number, offset: number) => listMoves(store, { kind, id }, limit, offset),
    };
    return new RawResponse(offsetResponse(request, request.params, pages, (row) => present(row, request)));
  };
  const one = (request: ApiRequest<{ readonly repository_storage_move_id: number }>, id?: number): unknown => {
    const row = moveById(store, request.params.repository_storage_move_id);
    const container = row === undefined ? undefined : containerOf(row);
    if (row === undefined || container?.kind !== kind || (id !== undefined && container.id !== id))
      throw recordNotFound('no such move of this kind of container');
    return present(row, request);
  };
  const isStorage = (name: string | undefined): boolean => name === undefined || repositories.storages.includes(name);

  return [
    administratorRoute({ ...inferred, method: 'GET', path: all, body: listOf(move), params: pageParameters }, (request) =>
      list(request),
    ),
    administratorRoute(
      { ...inferred, method: 'GET', path: `${all}/:repository_storage_move_id`, body: move, params: number },
      (request) => one(request),
    ),
    administratorRoute(
      {
        ...metadata,
        status: 'stated',
        method: 'POST',
        path: all,
        successStatus: 202,
        body: accepted,
        params: () => ({
          source_storage_name: required(opaque),
          destination_storage_name: opaque(),
        }),
      },
      ({ params }) => {
        const unknown = (['source_storage_name', 'destination_storage_name'] as const).filter((name) => !isStorage(params[name]));
        if (unknown.length > 0) throw invalidParameters(unknown.map((name) => `${name} does not have a valid value`));
        scheduleAll(core, kind, params.source_storage_name, params.destination_storage_name);
        return { message: '202 Accepted' };
      },
    ),
    administratorRoute(
      {
        ...inferred,
        method: 'GET',
        path: ofOne,
        body: listOf(move),
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      (request) => list(request, demandContainer(core, kind, request.params.id, request.caller).id),
    ),
    administratorRoute(
      {
        ...inferred,
        method: 'GET',
        path: `${ofOne}/:repository_storage_move_id`,
        body: move,
        params: () => ({ id: required(string), ...number() }),
      },
      (request) => one(request, demandContainer(core, kind, request.params.id, request.caller).id),
    ),
    administratorRoute(
      {
        ...inferred,
        method: 'POST',
        path: ofOne,
        body: move,
        params: () => ({ id: required(string), destination_storage_name: string() }),
      },
      (request) => {
        const container = demandContainer(core, kind, request.params.id, request.caller);
        return present(scheduleMove(core, container, request.params.destination_storage_name), request);
      },
    ),
  ];
}

/** @throws {WireFailure} 404 if there is no such container. */
function demandContainer(core: Core, kind: ContainerKind, text: string, caller: Caller): Container {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (kind === 'project') {
    const found = findProject(core, number ?? text, caller);
    if (found === undefined) throw notFound('Project');
    return { kind, id: found.project.id };
  }
  if (kind === 'group') {
    const found = findGroup(core, number ?? text, caller);
    if (found === undefined) throw notFound('Group');
    return { kind, id: found.group.id };
  }
  const found = number === undefined ? undefined : findSnippet(core, number, caller);
  if (found === undefined) throw notFound('Snippet');
  return { kind, id: found.snippet.id };
}

function movePresenter(core: Core, kind: ContainerKind): (row: MoveRow, request: Present) => unknown {
  return (row, request) => ({
    id: row.id,
    created_at: isoTime(row.created_at),
    state: row.state,
    source_storage_name: row.source_storage,
    destination_storage_name: row.destination_storage,
    error_message: row.failure,
    [kind]: presentContainer(core, containerOf(row), request),
  });
}

function presentContainer(core: Core, { kind, id }: Container, { baseUrl, caller }: Present): unknown {
  if (kind === 'project') {
    const found = findProject(core, id, caller);
    if (found === undefined) return null;
    const { description, name, name_with_namespace, path, path_with_namespace, created_at } = presentProjectBasic(
      found.project,
      baseUrl,
    );
    return { id, description, name, name_with_namespace, path, path_with_namespace, created_at };
  }
  if (kind === 'group') {
    const found = findGroup(core, id, caller);
    if (found === undefined) return null;
    return { id, web_url: `${baseUrl}/groups/${found.group.full_path}`, name: found.group.name };
  }
  const found = findSnippet(core, id, caller);
  return found === undefined ? null : presentSnippets(core, [found.snippet], { baseUrl, caller })[0];
}
