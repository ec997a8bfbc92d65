import type { GitCore } from '../../repositories/repositories.ts';
import { nothingFound } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { fallback, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import type { RawResponse, Route } from '../../http/route.ts';
import { type ContributorOrder, readContributors, sortedContributors } from './contributors.ts';
import { resolveRef } from '../git/git.ts';
import { languagesOf } from './languages.ts';
import { contributor, languages } from './responses.ts';
import { pageResponse, readRoute, type ReadRequest } from './route.ts';

const metadata = { method: 'GET', specRef: 'Repositories', status: 'inferred', key: 'id' } as const;

const showLanguagesParameters = () => ({ id: required(string) });

const showContributorsParameters = () => ({
  id: required(string),
  ref: string(),
  order_by: fallback<ContributorOrder>('commits', oneOf(['email', 'name', 'commits'])),
  sort: fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

/** Languages and contributors of a repository. */
export function statisticsRoutes(core: GitCore): Route[] {
  return [
    readRoute(
      core,
      { ...metadata, path: '/api/v4/projects/:id/languages', body: languages, params: showLanguagesParameters },
      (request) => showLanguages(core, request),
    ),
    readRoute(
      core,
      {
        ...metadata,
        path: '/api/v4/projects/:id/repository/contributors',
        body: listOf(contributor),
        params: showContributorsParameters,
      },
      (request) => showContributors(core, request),
    ),
  ];
}

async function showLanguages(
  core: GitCore,
  { project, repository }: ReadRequest<ParametersOf<typeof showLanguagesParameters>>,
): Promise<ResponseOf<typeof languages>> {
  const head = await resolveRef(core, repository, project, 'HEAD');
  return repository === undefined || head === undefined ? {} : languagesOf(repository, head);
}

async function showContributors(
  core: GitCore,
  request: ReadRequest<ParametersOf<typeof showContributorsParameters>>,
): Promise<RawResponse> {
  const { params, project, repository } = request;
  const ref = params.ref === undefined || params.ref === '' ? 'HEAD' : params.ref;
  const commit = await resolveRef(core, repository, project, ref);
  if (commit === undefined && ref !== 'HEAD') throw nothingFound('no branch, tag or commit has this name');
  const found = repository === undefined || commit === undefined ? [] : await readContributors(repository, commit);
  const sorted = sortedContributors(found, params.order_by, params.sort);
  return pageResponse(request, params, {
    count: (cap) => Math.min(sorted.length, cap),
    items: async (limit, offset) => sorted.slice(offset, offset + limit).map((one) => ({ ...one, additions: 0, deletions: 0 })),
  });
}
