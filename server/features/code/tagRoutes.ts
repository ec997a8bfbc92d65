import type { Core } from '../../core/core.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { listOf } from '../../http/responses.ts';
import { tag } from './responses.ts';
import { notFound } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { fallback, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import type { RawResponse, Route } from '../../http/route.ts';
import { createTag, removeRef } from '../pushes/pushes.ts';
import { countRefs, listRefs, openRepository, type RefFilter, refOf, type RefOrder, type RefRow } from '../git/git.ts';
import { readCommits } from '../../repositories/objects.ts';
import { presentTag } from './present.ts';
import { demandChange, pageResponse, pushRoute, readRoute, type ReadRequest, type PushRequest } from './route.ts';

/** Returns the releases of some tags of a project, by tag. */
export type ReleasesByTag = (
  core: Core,
  projectId: number,
  tags: readonly string[],
) => ReadonlyMap<string, { readonly description: string | null }>;

/** Members of a request that responses about tags are built from. */
type Shown = Pick<ReadRequest<unknown>, 'repository' | 'project' | 'baseUrl'>;

const metadata = { specRef: 'Repositories', status: 'inferred', key: 'id' } as const;

const path = '/api/v4/projects/:id/repository/tags';

const named = () => ({ id: required(string), tag_name: required(string) });

const listTagsParameters = () => ({
  id: required(string),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  order_by: fallback<RefOrder>('updated', oneOf(['name', 'updated'])),
  search: string(),
  ...pageParameters(),
});

const addTagParameters = () => ({ ...named(), ref: required(string), message: string() });

export function tagRoutes(core: GitCore, releasesByTag: ReleasesByTag): Route[] {
  return [
    readRoute(core, { ...metadata, method: 'GET', path, body: listOf(tag), params: listTagsParameters }, (request) =>
      listTags(core, releasesByTag, request),
    ),
    readRoute(core, { ...metadata, method: 'GET', path: `${path}/:tag_name`, body: tag, params: named }, (request) =>
      showTag(core, releasesByTag, request),
    ),
    pushRoute(core, { ...metadata, method: 'POST', path, body: tag, params: addTagParameters }, (request) =>
      addTag(core, releasesByTag, request),
    ),
    pushRoute(core, { ...metadata, method: 'DELETE', path: `${path}/:tag_name`, params: named }, (request) =>
      removeTag(core, request),
    ),
  ];
}

function listTags(
  core: GitCore,
  releasesByTag: ReleasesByTag,
  request: ReadRequest<ParametersOf<typeof listTagsParameters>>,
): Promise<RawResponse> {
  const { params, project } = request;
  const filter: RefFilter = { projectId: project.id, kind: 'tag', search: params.search };
  return pageResponse(request, params, {
    count: (cap) => countRefs(core.store, filter, cap),
    items: (limit, offset) =>
      presentTags(
        core,
        releasesByTag,
        request,
        listRefs(core.store, filter, { order: params.order_by, sort: params.sort, limit, offset }),
      ),
  });
}

async function showTag(
  core: GitCore,
  releasesByTag: ReleasesByTag,
  request: ReadRequest<ParametersOf<typeof named>>,
): Promise<unknown> {
  const found = refOf(core.store, request.project.id, 'tag', request.params.tag_name);
  if (found === undefined) throw notFound('Tag');
  return (await presentTags(core, releasesByTag, request, [found]))[0];
}

async function addTag(
  core: GitCore,
  releasesByTag: ReleasesByTag,
  request: PushRequest<ParametersOf<typeof addTagParameters>>,
): Promise<unknown> {
  const { params, caller, project, baseUrl } = request;
  const input = { name: params.tag_name, ref: params.ref, message: params.message };
  const created = await createTag(core, request, caller.user, input);
  const repository = await openRepository(core, project);
  return (await presentTags(core, releasesByTag, { repository, project, baseUrl }, [created]))[0];
}

async function removeTag(core: GitCore, request: PushRequest<ParametersOf<typeof named>>): Promise<void> {
  const { tag_name: name } = request.params;
  if (refOf(core.store, request.project.id, 'tag', name) === undefined) throw notFound('Tag');
  demandChange(core, request, { kind: 'tag', name, action: 'delete', by: 'api' });
  if (!(await removeRef(core, request, request.caller.user, 'tag', name))) throw notFound('Tag');
}

async function presentTags(
  core: GitCore,
  releasesByTag: ReleasesByTag,
  { repository, project, baseUrl }: Shown,
  tags: readonly RefRow[],
): Promise<unknown[]> {
  if (repository === undefined || tags.length === 0) return [];
  const commits = await readCommits(
    repository,
    tags.map((tag) => tag.commit_id),
  );
  const releases = releasesByTag(
    core,
    project.id,
    tags.map((tag) => tag.name),
  );
  return tags.flatMap((tag, index) => {
    const commit = commits[index];
    return commit === undefined ? [] : [presentTag(core, tag, commit, project, baseUrl, releases.get(tag.name))];
  });
}
