import { accepted, listOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { invalidParameters, notFound } from '../../core/errors.ts';
import { keysetSize, keysetUnavailable, linkUrl, nextLink, offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, filled, integer, oneOf, opaque, required, string, time, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { demandWritable } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { inProject, mustFindRepository } from './route.ts';
import { listedTag, tagResponse, tagDeleted } from './responses.ts';
import { NamePattern } from './matching.ts';
import { parseDuration } from './names.ts';
import { presentListedTag, presentTag } from './present.ts';
import {
  cleanContainerTags,
  type ContainerRepository,
  type ContainerTag,
  deleteContainerTag,
  findContainerTag,
  writeContainerTag,
} from './containerRepositories.ts';
import { countTags, listTags } from './store.ts';

const ACCEPTED = { message: '202 Accepted' };

const inRepository = () => ({ ...inProject(), tag_name: required(string) });

const inferred = { specRef: 'Container registry', status: 'inferred' } as const;

const stated = { specRef: 'Container registry', status: 'stated' } as const;

const local = { specRef: 'Container registry', status: 'local' } as const;

const listParameters = () => ({
  ...inProject(),
  order_by: string(),
  sort: fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc'])),
  pagination: string(),
  last: opaque(),
  ...pageParameters(),
});

const createParameters = () => ({
  ...inProject(),
  name: filled(),
  digest: string(),
  total_size: integer(),
  created_at: time(),
});

const cleanParameters = () => ({
  ...inProject(),
  name_regex_delete: opaque(),
  name_regex: opaque(),
  name_regex_keep: opaque(),
  keep_n: integer(),
  older_than: opaque(),
});

/** Returns the routes of the tags of repositories. Developers add tags and delete single ones, maintainers delete in bulk. */
export function tagRoutes(): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags',
        key: 'id',
        body: listOf(listedTag),
        specRef: 'Container registry',
        status: 'stated',
        params: listParameters,
      },
      list,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags',
        key: 'id',
        body: tagResponse,
        ...local,
        params: createParameters,
      },
      'developer',
      create,
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags',
        key: 'id',
        successStatus: 202,
        body: accepted,
        ...inferred,
        params: cleanParameters,
      },
      'maintainer',
      clean,
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags/:tag_name',
        key: 'id',
        body: tagResponse,
        ...stated,
        params: inRepository,
      },
      show,
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags/:tag_name',
        key: 'id',
        successStatus: 200,
        body: tagDeleted,
        ...stated,
        params: inRepository,
      },
      'developer',
      remove,
    ),
  ];
}

function list(request: ApiRequest<ParametersOf<typeof listParameters>> & FoundProject) {
  const { params, caller, baseUrl, context } = request;
  const { core } = context;
  const repository = mustFindRepository(core, request, params.repository_id);
  const present = (tag: ContainerTag): unknown => presentListedTag(tag, repository, baseUrl);
  // Anonymous callers get offset pagination only (docs/interface.md#container-registry).
  if (params.pagination !== 'keyset' || caller === undefined) {
    const pages = {
      count: (cap: number) => countTags(core.store, repository.id, cap),
      rows: (limit: number, offset: number) => listTags(core.store, repository.id, { sort: params.sort, limit, offset }),
    };
    return new RawResponse(offsetResponse(request, params, pages, present));
  }
  if ((params.order_by ?? 'name') !== 'name') {
    throw keysetUnavailable('keyset pagination of registry tags requires order_by=name');
  }
  const limit = keysetSize(params.per_page);
  const tags = listTags(core.store, repository.id, { sort: params.sort, last: params.last, limit, offset: 0 });
  const end = tags.at(-1);
  if (end === undefined) return new RawResponse(jsonResponse(200, []));
  const next = linkUrl(request, { last: end.name, pagination: 'keyset', page: undefined });
  return new RawResponse(jsonResponse(200, tags.map(present), { Link: nextLink(next) }));
}

function create(request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  const { params, context } = request;
  const { core } = context;
  demandWritable(request.project);
  const repository = mustFindRepository(core, request, params.repository_id);
  const tag = writeContainerTag(core, repository, {
    name: params.name,
    digest: params.digest,
    totalSize: params.total_size,
    createdAt: params.created_at,
  });
  return presentTag(tag, repository, request.baseUrl);
}

function clean(request: ProjectRequest<ParametersOf<typeof cleanParameters>>) {
  const { params, context } = request;
  const { core } = context;
  demandOneOf(request, ['name_regex', 'name_regex_delete']);
  const matching = pattern('name_regex_delete', params.name_regex_delete) ?? pattern('name_regex', params.name_regex);
  const keeping = pattern('name_regex_keep', params.name_regex_keep);
  const isUnlimited = params.older_than === undefined || params.older_than === '';
  const olderThan = isUnlimited ? undefined : parseDuration(params.older_than ?? '');
  if (olderThan === undefined && !isUnlimited) throw invalidParameters(['older_than is invalid']);
  demandWritable(request.project);
  const repository = mustFindRepository(core, request, params.repository_id);
  if (matching !== undefined) {
    cleanContainerTags(core, repository, { matching, keeping, keepNewest: params.keep_n, olderThan });
  }
  return ACCEPTED;
}

function show(request: ApiRequest<ParametersOf<typeof inRepository>> & FoundProject) {
  const { core } = request.context;
  const repository = mustFindRepository(core, request, request.params.repository_id);
  return presentTag(mustFindTag(core, repository, request.params.tag_name), repository, request.baseUrl);
}

function remove(request: ProjectRequest<ParametersOf<typeof inRepository>>) {
  const { core } = request.context;
  demandWritable(request.project);
  deleteContainerTag(
    core,
    mustFindTag(core, mustFindRepository(core, request, request.params.repository_id), request.params.tag_name),
  );
  return { message: '200 OK' };
}

function mustFindTag(core: Core, repository: ContainerRepository, name: string): ContainerTag {
  const tag = findContainerTag(core, repository, name);
  if (tag === undefined) throw notFound('Tag');
  return tag;
}

/** Parses a regular expression parameter; undefined without one. Throws 400 if it is invalid. */
function pattern(name: string, text: string | undefined): NamePattern | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return new NamePattern(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidParameters([`${name} is an invalid regexp`]);
    throw error;
  }
}
