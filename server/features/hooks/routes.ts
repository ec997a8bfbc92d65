import { Invalid, recordNotFound } from '../../core/errors.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { filled, integer, required, string } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import { type FoundGroup, groupRoute } from '../groups/groups.ts';
import { type FoundProject, projectRoute } from '../projectAccess/projectAccess.ts';
import { deliveryRoutes } from './deliveryRoutes.ts';
import { groupHooks } from './events.ts';
import type { HookCore } from './hookCore.ts';
import type { HooksOf } from './hooksOf.ts';
import { createHook, mustFindHook, openHook, updateHook } from './manageHooks.ts';
import { hookParameters, inputOf } from './parameters.ts';
import { presentHook } from './present.ts';
import { groupHook, projectHook } from './responses.ts';
import { countHooks, deleteHookRow, type HookContainer, listHooks, projectsBelow } from './store.ts';

/** Number of projects of a group that are searched for something to test a hook with. */
const MAX_TESTED = 100;

const inContainer = () => ({ id: required(string) });
const oneParameters = () => ({ ...inContainer(), hook_id: required(integer) });
const changes = () => ({ url: string(), ...hookParameters() });

const listParameters = () => ({ ...inContainer(), ...pageParameters() });

const createParameters = () => ({ ...inContainer(), url: filled(), ...hookParameters() });

const changeParameters = () => ({ ...oneParameters(), ...changes() });

const onePairParameters = () => ({ id: required(string), hook_id: required(integer), key: required(string) });

const setPairParameters = () => ({ ...onePairParameters(), value: required(string) });

/** Returns the routes of the hooks of projects and groups. */
export function hookRoutes(core: HookCore): Route[] {
  const ofProjects: HooksOf<FoundProject> = {
    path: '/api/v4/projects/:id/hooks',
    route: projectRoute,
    role: 'maintainer',
    body: projectHook,
    availability: {},
    containerOf: ({ project }) => ({ projectId: project.id }),
    projectsOf: ({ project }) => [project.id],
  };
  const ofGroups: HooksOf<FoundGroup> = {
    path: '/api/v4/groups/:id/hooks',
    route: groupRoute,
    role: 'owner',
    body: groupHook,
    availability: groupHooks,
    containerOf: ({ group }) => ({ groupId: group.id }),
    projectsOf: ({ group }) => projectsBelow(core.store, group.id, MAX_TESTED),
  };
  return [...routesOf(core, ofProjects), ...routesOf(core, ofGroups)];
}

function routesOf<Found>(core: HookCore, hooksOf: HooksOf<Found>): Route[] {
  const { path, route, role, body, containerOf } = hooksOf;
  const metadata = { specRef: 'Hooks', status: 'inferred', key: 'id', ...hooksOf.availability } as const;
  const one = `${path}/:hook_id`;
  return [
    route({ ...metadata, method: 'GET', path, body: listOf(body), params: listParameters }, role, (request) =>
      list(core, request, containerOf(request)),
    ),
    route({ ...metadata, method: 'POST', path, body, params: createParameters }, role, (request) =>
      create(core, request, containerOf(request)),
    ),
    route({ ...metadata, method: 'GET', path: one, body, params: oneParameters }, role, (request) =>
      presentHook(core, mustFindHook(core, containerOf(request), request.params.hook_id)),
    ),
    route({ ...metadata, method: 'PUT', path: one, body, params: changeParameters }, role, (request) =>
      change(core, request, containerOf(request)),
    ),
    route({ ...metadata, method: 'DELETE', path: one, params: oneParameters }, role, (request) =>
      remove(core, request, containerOf(request)),
    ),
    ...pairRoutes(core, hooksOf, 'url_variables'),
    ...pairRoutes(core, hooksOf, 'custom_headers'),
    ...deliveryRoutes(core, hooksOf),
  ];
}

function list(core: HookCore, request: RequestOf<typeof listParameters>, container: HookContainer): RawResponse {
  const pages = {
    count: (cap: number) => countHooks(core.store, container, cap),
    rows: (limit: number, offset: number) => listHooks(core.store, container, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, (row) => presentHook(core, openHook(core, row))));
}

function create(
  core: HookCore,
  { params }: RequestOf<typeof createParameters>,
  container: HookContainer,
): ResponseOf<typeof projectHook | typeof groupHook> {
  const input = { ...inputOf(params), url: params.url };
  return presentHook(
    core,
    unprocessableIfInvalid(() => createHook(core, container, input)),
  );
}

function change(
  core: HookCore,
  request: RequestOf<typeof changeParameters>,
  container: HookContainer,
): ResponseOf<typeof projectHook | typeof groupHook> {
  const { params } = request;
  demandOneOf(request, Object.keys(changes()));
  const hook = mustFindHook(core, container, params.hook_id);
  const input = { ...inputOf(params), url: params.url };
  return presentHook(
    core,
    unprocessableIfInvalid(() => updateHook(core, hook, input)),
  );
}

function remove(core: HookCore, { params }: RequestOf<typeof oneParameters>, container: HookContainer): void {
  deleteHookRow(core.store, mustFindHook(core, container, params.hook_id).id);
}

type PairKind = 'url_variables' | 'custom_headers';

const memberOfPairs = { url_variables: 'urlVariables', custom_headers: 'customHeaders' } as const;

/** Routes that set and delete the value of one URL variable or custom header. */
function pairRoutes<Found>(core: HookCore, hooksOf: HooksOf<Found>, kind: PairKind): Route[] {
  const { path, route, role, containerOf, availability } = hooksOf;
  const metadata = { specRef: 'Hooks', status: 'inferred', key: 'id', ...availability } as const;
  const one = `${path}/:hook_id/${kind}/:key`;
  return [
    route({ ...metadata, method: 'PUT', path: one, successStatus: 204, params: setPairParameters }, role, (request) =>
      setPair(core, request, containerOf(request), kind),
    ),
    route({ ...metadata, method: 'DELETE', path: one, params: onePairParameters }, role, (request) =>
      removePair(core, request, containerOf(request), kind),
    ),
  ];
}

function setPair(
  core: HookCore,
  { params }: RequestOf<typeof setPairParameters>,
  container: HookContainer,
  kind: PairKind,
): void {
  const { hook_id: id, key, value } = params;
  const hook = mustFindHook(core, container, id);
  const member = memberOfPairs[kind];
  const pairs = { ...hook.secrets[member], [key]: value };
  unprocessableIfInvalid(() => updateHook(core, hook, { events: {}, [member]: pairs }));
}

function removePair(
  core: HookCore,
  { params }: RequestOf<typeof onePairParameters>,
  container: HookContainer,
  kind: PairKind,
): void {
  const { hook_id: id, key } = params;
  const hook = mustFindHook(core, container, id);
  const member = memberOfPairs[kind];
  if (!Object.hasOwn(hook.secrets[member], key)) throw recordNotFound(`the hook has no ${kind} with this key`);
  const pairs = Object.fromEntries(Object.entries(hook.secrets[member]).filter(([name]) => name !== key));
  unprocessableIfInvalid(() => updateHook(core, hook, { events: {}, [member]: pairs }));
}

/** Reports invalid values like an incomplete change, as GitLab does for hooks. */
function unprocessableIfInvalid<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Invalid ? new Invalid(error.fields, error, true) : error;
  }
}
