import type { GitCore } from '../../repositories/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import { findGroup } from '../groups/groups.ts';
import { invalidParameters, notFound, recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, opaque, required, string } from '../../http/params.ts';
import { accepted, listOf, type ResponseOf } from '../../http/responses.ts';
import { administratorRoute, type ApiRequest, RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Availability } from '../../core/profile.ts';
import { findProject, presentProjectIdentity } from '../projectAccess/projectAccess.ts';
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

const oneParameters = () => ({ repository_storage_move_id: required(integer) });

const moveAllParameters = () => ({ source_storage_name: required(opaque), destination_storage_name: opaque() });

const moveOneParameters = () => ({ id: required(string), destination_storage_name: string() });

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
  const move = moveResponses[kind];
  const metadata = { specRef: 'Repository storage moves', ...availabilities[kind] } as const;
  const inferred = { ...metadata, status: 'inferred', key: 'id' } as const;
  const all = `/api/v4/${kind}_repository_storage_moves`;
  const ofOne = `/api/v4/${kind}s/:id/repository_storage_moves`;

  return [
    administratorRoute({ ...inferred, method: 'GET', path: all, body: listOf(move), params: pageParameters }, (request) =>
      showMoves(core, request, { kind, id: undefined }),
    ),
    administratorRoute(
      { ...inferred, method: 'GET', path: `${all}/:repository_storage_move_id`, body: move, params: oneParameters },
      (request) => showMove(core, request, { kind, id: undefined }),
    ),
    administratorRoute(
      {
        ...metadata,
        status: 'stated',
        method: 'POST',
        path: all,
        successStatus: 202,
        body: accepted,
        params: moveAllParameters,
      },
      (request) => moveAll(core, request, kind),
    ),
    administratorRoute(
      {
        ...inferred,
        method: 'GET',
        path: ofOne,
        body: listOf(move),
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      (request) => showMoves(core, request, demandContainer(core, kind, request.params.id, request.caller)),
    ),
    administratorRoute(
      {
        ...inferred,
        method: 'GET',
        path: `${ofOne}/:repository_storage_move_id`,
        body: move,
        params: () => ({ id: required(string), ...oneParameters() }),
      },
      (request) => showMove(core, request, demandContainer(core, kind, request.params.id, request.caller)),
    ),
    administratorRoute(
      {
        ...inferred,
        method: 'POST',
        path: ofOne,
        body: move,
        params: moveOneParameters,
      },
      (request) => moveOne(core, request, kind),
    ),
  ];
}

/** The containers of one kind, or one of them. */
interface Containers {
  readonly kind: ContainerKind;
  readonly id: number | undefined;
}

function showMoves(core: Core, request: RequestOf<typeof pageParameters>, of: Containers): RawResponse {
  const pages = {
    count: (cap: number) => countMoves(core.store, of, cap),
    rows: (limit: number, offset: number) => listMoves(core.store, of, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, (row) => presentMove(core, row, of.kind, request)));
}

function showMove(core: Core, request: RequestOf<typeof oneParameters>, { kind, id }: Containers): unknown {
  const row = moveById(core.store, request.params.repository_storage_move_id);
  const container = row === undefined ? undefined : containerOf(row);
  if (row === undefined || container?.kind !== kind || (id !== undefined && container.id !== id))
    throw recordNotFound('no such move of this kind of container');
  return presentMove(core, row, kind, request);
}

function moveAll(
  core: GitCore,
  { params }: RequestOf<typeof moveAllParameters>,
  kind: ContainerKind,
): ResponseOf<typeof accepted> {
  const { storages } = core.repositories;
  const unknown = (['source_storage_name', 'destination_storage_name'] as const).filter((name) => {
    const storage = params[name];
    return storage !== undefined && !storages.includes(storage);
  });
  if (unknown.length > 0) throw invalidParameters(unknown.map((name) => `${name} does not have a valid value`));
  scheduleAll(core, kind, params.source_storage_name, params.destination_storage_name);
  return { message: '202 Accepted' };
}

function moveOne(core: GitCore, request: RequestOf<typeof moveOneParameters>, kind: ContainerKind): unknown {
  const container = demandContainer(core, kind, request.params.id, request.caller);
  return presentMove(core, scheduleMove(core, container, request.params.destination_storage_name), kind, request);
}

/** @throws {NotFound} If there is no such container. */
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

function presentMove(core: Core, row: MoveRow, kind: ContainerKind, request: Present): unknown {
  return {
    id: row.id,
    created_at: isoTime(row.created_at),
    state: row.state,
    source_storage_name: row.source_storage,
    destination_storage_name: row.destination_storage,
    error_message: row.failure,
    [kind]: presentContainer(core, containerOf(row), request),
  };
}

function presentContainer(core: Core, { kind, id }: Container, { baseUrl, caller }: Present): unknown {
  if (kind === 'project') {
    const found = findProject(core, id, caller);
    return found === undefined ? null : presentProjectIdentity(found.project);
  }
  if (kind === 'group') {
    const found = findGroup(core, id, caller);
    if (found === undefined) return null;
    return { id, web_url: `${baseUrl}/groups/${found.group.full_path}`, name: found.group.name };
  }
  const found = findSnippet(core, id, caller);
  return found === undefined ? null : presentSnippets(core, [found.snippet], { baseUrl, caller })[0];
}
