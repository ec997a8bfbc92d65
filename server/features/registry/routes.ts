import { openGroupRoute } from '../groups/groups.ts';
import { accepted, listOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { forbidden, notFound, recordNotFound } from '../../core/errors.ts';
import { invalidParameters, keysetUnavailable } from '../../http/failures.ts';
import { keysetSize, linkUrl, nextLink, offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, oneOf, opaque, required, string, time, limited } from '../../http/params.ts';
import { openRoute, RawResponse, type Route } from '../../http/route.ts';
import { demandWritable } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import type { Availability } from '../../core/profile.ts';
import {
  findProject,
  type FoundProject,
  openProjectRoute,
  projectRoute,
  readableCodeSql,
  accessOf,
  viewerId,
} from '../projects/projects.ts';
import { groupRepository, listedTag, repositoryResponse, repositoryDetail, tagResponse, tagDeleted } from './responses.ts';
import { NamePattern } from './matching.ts';
import { parseDuration } from './names.ts';
import { presentListedTag, presentRepository, presentRepositoryWith, presentTag } from './present.ts';
import {
  cleanContainerTags,
  type ContainerRepository,
  type ContainerTag,
  createContainerRepository,
  deleteContainerRepository,
  deleteContainerTag,
  findContainerRepository,
  findContainerTag,
  writeContainerTag,
} from './containerRepositories.ts';
import { countRepositories, countTags, listRepositories, listTags, type RepositoryContainer } from './store.ts';

const keyset: Availability = { addedIn: '16.10' };
const ACCEPTED = { message: '202 Accepted' };

const inProject = () => ({ id: required(string), repository_id: required(integer) });
const inRepository = () => ({ ...inProject(), tag_name: required(string) });
const detailParameters = () => ({ tags: fallback(false, boolean), tags_count: fallback(false, boolean) });

/**
 * The container registry API, for callers who can read the code of the project. Developers add tags and delete single ones,
 * maintainers delete in bulk. It only lists and deletes: there are no images to pull.
 */
export function registryRoutes(core: Core): Route[] {
  const { store } = core;
  const inferred = { specRef: 'Container registry', status: 'inferred' } as const;
  const stated = { specRef: 'Container registry', status: 'stated' } as const;
  const local = { specRef: 'Container registry', status: 'local' } as const;

  const demandReadable = ({ can }: FoundProject): void => {
    if (can.readCode) return;
    throw forbidden(undefined, 'viewing images of a private project requires at least the reporter role', 'ability.readImages');
  };

  const mustFind = (found: FoundProject, id: number): ContainerRepository => {
    demandReadable(found);
    const repository = findContainerRepository(core, id);
    if (repository?.project_id !== found.project.id) throw recordNotFound('no such repository in the registry of the project');
    return repository;
  };

  const mustFindTag = (repository: ContainerRepository, name: string): ContainerTag => {
    const tag = findContainerTag(core, repository, name);
    if (tag === undefined) throw notFound('Tag');
    return tag;
  };

  const listFor = (container: RepositoryContainer) => ({
    count: (cap: number) => countRepositories(store, container, cap),
    rows: (limit: number, offset: number) => listRepositories(store, container, limit, offset),
  });

  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/registry/repositories',
        key: 'id',
        body: listOf(repositoryResponse),
        ...stated,
        params: () => ({ id: required(string), ...detailParameters(), ...pageParameters() }),
      },
      (request) => {
        demandReadable(request);
        const { params, project, baseUrl } = request;
        const present = (row: ContainerRepository): unknown =>
          presentRepositoryWith(core, row, { tags: params.tags, tagsCount: params.tags_count }, baseUrl);
        return new RawResponse(offsetResponse(request, params, listFor({ projectId: project.id }), present));
      },
    ),
    openGroupRoute(
      {
        method: 'GET',
        path: '/api/v4/groups/:id/registry/repositories',
        key: 'id',
        body: listOf(groupRepository),
        ...inferred,
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      (request) => {
        const { params, group, caller, baseUrl } = request;
        const container = { groupId: group.id, viewer: viewerId(caller), readable: readableCodeSql(accessOf(caller)) };
        return new RawResponse(offsetResponse(request, params, listFor(container), (row) => presentRepository(row, baseUrl)));
      },
    ),
    openRoute(
      {
        method: 'GET',
        path: '/api/v4/registry/repositories/:id',
        key: 'id',
        body: repositoryDetail,
        ...inferred,
        params: () => ({ id: required(integer), ...detailParameters(), size: fallback(false, boolean) }),
      },
      ({ params, caller, baseUrl }) => {
        const repository = findContainerRepository(core, params.id);
        const found = repository === undefined ? undefined : findProject(core, repository.project_id, caller);
        if (repository === undefined || found === undefined) throw recordNotFound('no such repository in any registry');
        demandReadable(found);
        const { tags, tags_count: tagsCount, size } = params;
        return presentRepositoryWith(core, repository, { tags, tagsCount, size }, baseUrl);
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/registry/repositories',
        key: 'id',
        body: repositoryResponse,
        ...local,
        params: () => ({ id: required(string), name: fallback('', string) }),
      },
      'developer',
      (request) => {
        demandWritable(request.project);
        return presentRepository(createContainerRepository(core, request, request.params.name), request.baseUrl);
      },
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id',
        key: 'id',
        successStatus: 202,
        body: accepted,
        ...stated,
        params: inProject,
      },
      'maintainer',
      (request) => {
        demandWritable(request.project);
        deleteContainerRepository(core, mustFind(request, request.params.repository_id));
        return ACCEPTED;
      },
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags',
        key: 'id',
        body: listOf(listedTag),
        specRef: 'Container registry',
        status: 'stated',
        params: () => ({
          ...inProject(),
          order_by: string(),
          sort: fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc'])),
          // Supported since the release with the required registry version.
          pagination: limited(core.profile, keyset, string()),
          last: opaque(),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params, caller, baseUrl } = request;
        const repository = mustFind(request, params.repository_id);
        const present = (tag: ContainerTag): unknown => presentListedTag(tag, repository, baseUrl);
        // Anonymous callers get offset pagination only (docs/interface.md#container-registry).
        if (params.pagination !== 'keyset' || caller === undefined) {
          const list = {
            count: (cap: number) => countTags(store, repository.id, cap),
            rows: (limit: number, offset: number) => listTags(store, repository.id, { sort: params.sort, limit, offset }),
          };
          return new RawResponse(offsetResponse(request, params, list, present));
        }
        if ((params.order_by ?? 'name') !== 'name') {
          throw keysetUnavailable('keyset pagination of registry tags requires order_by=name');
        }
        const limit = keysetSize(params.per_page);
        const tags = listTags(store, repository.id, { sort: params.sort, last: params.last, limit, offset: 0 });
        const end = tags.at(-1);
        if (end === undefined) return new RawResponse(jsonResponse(200, []));
        const next = linkUrl(request, { last: end.name, pagination: 'keyset', page: undefined });
        return new RawResponse(jsonResponse(200, tags.map(present), { Link: nextLink(next) }));
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags',
        key: 'id',
        body: tagResponse,
        ...local,
        params: () => ({ ...inProject(), name: filled(), digest: string(), total_size: integer(), created_at: time() }),
      },
      'developer',
      (request) => {
        const { params } = request;
        demandWritable(request.project);
        const repository = mustFind(request, params.repository_id);
        const tag = writeContainerTag(core, repository, {
          name: params.name,
          digest: params.digest,
          totalSize: params.total_size,
          createdAt: params.created_at,
        });
        return presentTag(tag, repository, request.baseUrl);
      },
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/registry/repositories/:repository_id/tags',
        key: 'id',
        successStatus: 202,
        body: accepted,
        ...inferred,
        params: () => ({
          ...inProject(),
          name_regex_delete: opaque(),
          name_regex: opaque(),
          name_regex_keep: opaque(),
          keep_n: integer(),
          older_than: opaque(),
        }),
      },
      'maintainer',
      (request) => {
        const { params } = request;
        demandOneOf(request.linkParameters(), ['name_regex', 'name_regex_delete']);
        const matching = pattern('name_regex_delete', params.name_regex_delete) ?? pattern('name_regex', params.name_regex);
        const keeping = pattern('name_regex_keep', params.name_regex_keep);
        const isUnlimited = params.older_than === undefined || params.older_than === '';
        const olderThan = isUnlimited ? undefined : parseDuration(params.older_than ?? '');
        if (olderThan === undefined && !isUnlimited) throw invalidParameters(['older_than is invalid']);
        demandWritable(request.project);
        const repository = mustFind(request, params.repository_id);
        if (matching !== undefined) {
          cleanContainerTags(core, repository, { matching, keeping, keepNewest: params.keep_n, olderThan });
        }
        return ACCEPTED;
      },
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
      (request) => {
        const repository = mustFind(request, request.params.repository_id);
        return presentTag(mustFindTag(repository, request.params.tag_name), repository, request.baseUrl);
      },
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
      (request) => {
        demandWritable(request.project);
        deleteContainerTag(core, mustFindTag(mustFind(request, request.params.repository_id), request.params.tag_name));
        return { message: '200 OK' };
      },
    ),
  ];
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
