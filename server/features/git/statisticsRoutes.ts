import type { GitCore } from '../../repositories/repositories.ts';
import { nothingFound } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { fallback, oneOf, required, string } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import type { Route } from '../../http/route.ts';
import { type ContributorOrder, readContributors, sortedContributors } from './contributors.ts';
import { resolveRef } from './refs.ts';
import { languagesOf } from './languages.ts';
import { contributor, languages } from './responses.ts';
import { pageResponse, readRoute } from './route.ts';

/** Languages and contributors of a repository. */
export function statisticsRoutes(core: GitCore): Route[] {
  const metadata = { method: 'GET', specRef: 'Repositories', status: 'inferred', key: 'id' } as const;
  return [
    readRoute(
      core,
      { ...metadata, path: '/api/v4/projects/:id/languages', body: languages, params: () => ({ id: required(string) }) },
      async ({ project, repository }) => {
        const head = await resolveRef(core, repository, project, 'HEAD');
        return repository === undefined || head === undefined ? {} : languagesOf(repository, head);
      },
    ),
    readRoute(
      core,
      {
        ...metadata,
        path: '/api/v4/projects/:id/repository/contributors',
        body: listOf(contributor),
        params: () => ({
          id: required(string),
          ref: string(),
          order_by: fallback<ContributorOrder>('commits', oneOf(['email', 'name', 'commits'])),
          sort: fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc'])),
          ...pageParameters(),
        }),
      },
      async (request) => {
        const { params, project, repository } = request;
        const ref = params.ref === undefined || params.ref === '' ? 'HEAD' : params.ref;
        const commit = await resolveRef(core, repository, project, ref);
        if (commit === undefined && ref !== 'HEAD') throw nothingFound('no branch, tag or commit has this name');
        const found = repository === undefined || commit === undefined ? [] : await readContributors(repository, commit);
        const sorted = sortedContributors(found, params.order_by, params.sort);
        return pageResponse(request, params, {
          count: (cap) => Math.min(sorted.length, cap),
          items: async (limit, offset) =>
            sorted.slice(offset, offset + limit).map((one) => ({ ...one, additions: 0, deletions: 0 })),
        });
      },
    ),
  ];
}
