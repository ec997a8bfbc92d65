import type { GitCore } from '../../repositories/repositories.ts';
import { pageResponse, pushRoute, readRoute } from '../code/code.ts';
import { content, listOf } from '../../http/responses.ts';
import { forbidden, invalidParameters, nothingFound } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, integers, oneOf, required, string, strings, time, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest } from '../projectAccess/projectAccess.ts';
import { release } from './responses.ts';
import { linkRoutes } from './linkRoutes.ts';
import { assetsParameter } from './parameters.ts';
import { presentReleases, type ReleaseReader } from './present.ts';
import {
  createRelease,
  deleteRelease,
  findRelease,
  type Release,
  updateRelease,
  type RequestedMilestones,
} from './manageReleases.ts';
import { countReleases, listReleases, type ReleaseFilter, type ReleaseOrder } from './store.ts';

const metadata = { specRef: 'Releases', status: 'inferred', key: 'id', acceptsJobToken: true } as const;

const path = '/api/v4/projects/:id/releases';

const named = () => ({ id: required(string), tag_name: required(string) });

const listParameters = () => ({
  id: required(string),
  order_by: fallback<ReleaseOrder>('released_at', oneOf(['released_at', 'created_at'])),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  include_html_description: boolean(),
  updated_before: time(),
  updated_after: time(),
  ...pageParameters(),
});

const showParameters = () => ({ ...named(), include_html_description: boolean() });

const permalinkParameters = () => ({ id: required(string) });

const milestoneParameters = () => ({ milestones: strings(), milestone_ids: integers() });

const createParameters = () => ({
  id: required(string),
  tag_name: required(string),
  tag_message: string(),
  name: string(),
  description: string(),
  ref: string(),
  assets: assetsParameter(),
  released_at: time(),
  ...milestoneParameters(),
});

const updateParameters = () => ({
  ...named(),
  name: string(),
  description: string(),
  released_at: time(),
  ...milestoneParameters(),
});

/** Returns the routes of releases and their links. */
export function releaseRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute(
      {
        ...metadata,
        method: 'GET',
        path,
        body: listOf(release),
        params: listParameters,
      },
      (request) => list(core, request),
    ),
    readRoute(
      core,
      {
        ...metadata,
        method: 'GET',
        path: `${path}/:tag_name`,
        body: release,
        params: showParameters,
      },
      (request) => show(core, request),
    ),
    readRoute(
      core,
      {
        ...metadata,
        method: 'GET',
        path: `${path}/permalink/latest`,
        successStatus: 302,
        body: content,
        params: permalinkParameters,
      },
      (request) => permalink(core, request),
    ),
    pushRoute(
      core,
      {
        ...metadata,
        method: 'POST',
        path,
        body: release,
        params: createParameters,
      },
      (request) => create(core, request),
    ),
    pushRoute(
      core,
      {
        ...metadata,
        method: 'PUT',
        path: `${path}/:tag_name`,
        body: release,
        params: updateParameters,
      },
      (request) => update(core, request),
    ),
    pushRoute(
      core,
      { ...metadata, method: 'DELETE', path: `${path}/:tag_name`, successStatus: 200, body: release, params: named },
      (request) => remove(core, request),
    ),
    ...linkRoutes(core),
  ];
}

function list(core: GitCore, request: ApiRequest<ParametersOf<typeof listParameters>> & FoundProject) {
  const { params, project, baseUrl } = request;
  const filter: ReleaseFilter = {
    projectId: project.id,
    updatedBefore: params.updated_before,
    updatedAfter: params.updated_after,
  };
  const order = { order: params.order_by, sort: params.sort };
  return pageResponse(request, params, {
    count: (cap) => countReleases(core.store, filter, cap),
    items: (limit, offset) =>
      presentReleases(core, request, listReleases(core.store, filter, { ...order, limit, offset }), {
        baseUrl,
        caller: request.caller,
        withHtml: params.include_html_description === true,
      }),
  });
}

function show(core: GitCore, request: ApiRequest<ParametersOf<typeof showParameters>> & FoundProject) {
  const row = findRelease(core, request.project.id, request.params.tag_name);
  if (row === undefined) throw nothingFound('no release has this tag');
  return one(core, request, row, request.params.include_html_description === true);
}

function permalink(
  core: GitCore,
  { project, baseUrl, context }: ApiRequest<ParametersOf<typeof permalinkParameters>> & FoundProject,
) {
  const [latest] = listReleases(
    core.store,
    { projectId: project.id },
    { order: 'released_at', sort: 'desc', limit: 1, offset: 0 },
  );
  if (latest === undefined) throw nothingFound('the project has no releases');
  const query = new URLSearchParams(context.query);
  query.delete('order_by');
  const rest = query.size === 0 ? '' : `?${query.toString()}`;
  const to = `${baseUrl}/api/v4/projects/${project.id}/releases/${encodeURIComponent(latest.tag)}${rest}`;
  const body = `This resource has been moved temporarily to ${to}.`;
  return new RawResponse({ status: 302, type: 'text/plain; charset=utf-8', body, headers: { Location: to } });
}

async function create(core: GitCore, request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  const { params, caller } = request;
  const made = await createRelease(core, request, caller.user, {
    tag: params.tag_name,
    tagMessage: params.tag_message,
    name: params.name,
    description: params.description,
    ref: params.ref,
    releasedAt: params.released_at,
    links: params.assets,
    milestones: requestedMilestones(params, request.linkParameters()),
  });
  return one(core, request, made);
}

function update(core: GitCore, request: ProjectRequest<ParametersOf<typeof updateParameters>>) {
  const { params } = request;
  const row = demandRelease(core, request, params.tag_name);
  const input = {
    name: params.name,
    description: params.description,
    releasedAt: params.released_at,
    milestones: requestedMilestones(params, request.linkParameters()),
  };
  return one(core, request, updateRelease(core, row, request.caller.user, input));
}

async function remove(core: GitCore, request: ProjectRequest<ParametersOf<typeof named>>) {
  const row = demandRelease(core, request, request.params.tag_name);
  const gone = await one(core, request, row);
  deleteRelease(core, row);
  return gone;
}

async function one(core: GitCore, request: FoundProject & ReleaseReader, row: Release, withHtml = false): Promise<unknown> {
  return (await presentReleases(core, request, [row], { ...request, withHtml }))[0];
}

function requestedMilestones(
  params: ParametersOf<typeof milestoneParameters>,
  sent: Readonly<Record<string, unknown>>,
): RequestedMilestones | undefined {
  const names = ['milestones', 'milestone_ids'];
  if (names.every((name) => Object.hasOwn(sent, name))) {
    throw invalidParameters([`${names.join(', ')} Cannot specify milestones and milestone_ids at the same time`]);
  }
  if (params.milestones !== undefined) return { titles: params.milestones };
  return params.milestone_ids === undefined ? undefined : { ids: params.milestone_ids };
}

/**
 * Finds the release of a change. Throws `Forbidden` if it does not exist, because GitLab checks the permission on the missing
 * release, which nobody has.
 */
function demandRelease(core: Core, { project }: FoundProject, tag: string): Release {
  const row = findRelease(core, project.id, tag);
  if (row === undefined) throw forbidden(undefined, 'no release has this tag', 'record.found');
  return row;
}
