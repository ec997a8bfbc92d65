import type { Core } from '../../core/core.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { listOf } from '../../http/responses.ts';
import { tag } from './responses.ts';
import { notFound } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { fallback, oneOf, required, string } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { Project } from '../projects/projects.ts';
import { createTag, removeRef } from './refUpdates.ts';
import { openRepository } from './open.ts';
import { type RepositoryDir, readCommits } from '../../repositories/objects.ts';
import { presentTag } from './present.ts';
import { demandChange, pageResponse, pushRoute, readRoute } from './route.ts';
import { countRefs, listRefs, type RefFilter, refOf, type RefOrder, type RefRow } from './store.ts';

/** Returns the releases of some tags of a project, by tag. */
export type ReleasesByTag = (
  core: Core,
  projectId: number,
  tags: readonly string[],
) => ReadonlyMap<string, { readonly description: string | null }>;

export function tagRoutes(core: GitCore, releasesByTag: ReleasesByTag): Route[] {
  const { store } = core;
  const metadata = { specRef: 'Repositories', status: 'inferred', key: 'id' } as const;
  const path = '/api/v4/projects/:id/repository/tags';
  const named = () => ({ id: required(string), tag_name: required(string) });

  const present = async (
    repository: RepositoryDir | undefined,
    project: Project,
    tags: readonly RefRow[],
    baseUrl: string,
  ): Promise<unknown[]> => {
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
  };

  return [
    readRoute(
      core,
      {
        ...metadata,
        method: 'GET',
        path,
        body: listOf(tag),
        params: () => ({
          id: required(string),
          sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
          order_by: fallback<RefOrder>('updated', oneOf(['name', 'updated'])),
          search: string(),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params, project, repository, baseUrl } = request;
        const filter: RefFilter = { projectId: project.id, kind: 'tag', search: params.search };
        return pageResponse(request, params, {
          count: (cap) => countRefs(store, filter, cap),
          items: (limit, offset) =>
            present(
              repository,
              project,
              listRefs(store, filter, { order: params.order_by, sort: params.sort, limit, offset }),
              baseUrl,
            ),
        });
      },
    ),
    readRoute(
      core,
      { ...metadata, method: 'GET', path: `${path}/:tag_name`, body: tag, params: named },
      async ({ params, project, repository, baseUrl }) => {
        const tag = refOf(store, project.id, 'tag', params.tag_name);
        if (tag === undefined) throw notFound('Tag');
        return (await present(repository, project, [tag], baseUrl))[0];
      },
    ),
    pushRoute(
      core,
      { ...metadata, method: 'POST', path, body: tag, params: () => ({ ...named(), ref: required(string), message: string() }) },
      async (request) => {
        const { params, caller, project, baseUrl } = request;
        const input = { name: params.tag_name, ref: params.ref, message: params.message };
        const tag = await createTag(core, request, caller.user, input);
        return (await present(await openRepository(core, project), project, [tag], baseUrl))[0];
      },
    ),
    pushRoute(core, { ...metadata, method: 'DELETE', path: `${path}/:tag_name`, params: named }, async (request) => {
      const { tag_name: name } = request.params;
      if (refOf(store, request.project.id, 'tag', name) === undefined) throw notFound('Tag');
      demandChange(core, request, { kind: 'tag', name, action: 'delete', by: 'api' });
      if (!(await removeRef(core, request, request.caller.user, 'tag', name))) throw notFound('Tag');
      return undefined;
    }),
  ];
}
