import type { GitCore } from '../../repositories/repositories.ts';
import { missingHere } from '../../core/errors.ts';
import { pageParameters, readOffsetResponse, type SlowOffsetList } from '../../http/pagination.ts';
import { boolean, fallback, limited, oneOf, type ParametersOf, required, string } from '../../http/params.ts';
import { eitherOf, listOf } from '../../http/responses.ts';
import { RawResponse, type RequestOf, type Route, type SignedInRequest, userRoute } from '../../http/route.ts';
import { commit, foundBlob } from '../code/code.ts';
import { type FoundGroup, groupRoute } from '../groups/groups.ts';
import { userBasic } from '../profiles/profiles.ts';
import { listedIssue } from '../issues/issues.ts';
import { listedMergeRequest } from '../mergeRequests/mergeRequests.ts';
import { milestoneResponse } from '../milestones/milestones.ts';
import { noteResponse } from '../notes/notes.ts';
import { projectBasic } from '../projects/projects.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { snippetResponse } from '../snippets/snippets.ts';
import { advancedScopes, type Query, scopes, searchGroup, searchInstance, searchProject, states } from './scopes.ts';

/** Longest text that is searched for, in characters. Longer ones are found nowhere. */
const MAX_SEARCH = 4096;

/** Availability of the parameter that includes archived projects. */
const archivedFilter = { addedIn: '18.9' } as const;

const searchParameters = () => ({
  search: required(string),
  state: oneOf(states)(),
  confidential: boolean(),
  order_by: oneOf(['created_at'])(),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

const wideParameters = (core: GitCore) => ({
  ...searchParameters(),
  include_archived: limited(core.profile, archivedFilter, boolean()),
});

const instanceParameters = (core: GitCore) => ({
  scope: required(oneOf([...scopes.instance, ...advancedScopes])),
  ...wideParameters(core),
});
const groupParameters = (core: GitCore) => ({
  id: required(string),
  scope: required(oneOf([...scopes.group, ...advancedScopes])),
  ...wideParameters(core),
});
const projectParameters = () => ({
  id: required(string),
  scope: required(oneOf(scopes.project)),
  ref: string(),
  ...searchParameters(),
});

const wide = eitherOf(listedIssue, listedMergeRequest, projectBasic, milestoneResponse, userBasic, snippetResponse);
const ofProject = eitherOf(listedIssue, listedMergeRequest, milestoneResponse, noteResponse, commit, foundBlob, userBasic);

export function searchRoutes(core: GitCore): Route[] {
  const metadata = { specRef: 'Search', status: 'inferred', method: 'GET', authenticateFirst: true } as const;
  return [
    userRoute({ ...metadata, path: '/api/v4/search', body: listOf(wide), params: () => instanceParameters(core) }, (request) =>
      showInstance(core, request),
    ),
    groupRoute(
      { ...metadata, path: '/api/v4/groups/:id/search', key: 'id', body: listOf(wide), params: () => groupParameters(core) },
      'visible',
      (request) => showGroup(core, request),
    ),
    projectRoute(
      { ...metadata, path: '/api/v4/projects/:id/search', key: 'id', body: listOf(ofProject), params: projectParameters },
      'visible',
      (request) => showProject(core, request),
    ),
  ];
}

function showInstance(core: GitCore, request: RequestOf<typeof instanceParameters>): Promise<RawResponse> {
  const scope = simpleScope(scopes.instance, request.params.scope);
  return respond(request, searchInstance(core, queryOf(core, request), scope));
}

function showGroup(core: GitCore, request: RequestOf<typeof groupParameters> & FoundGroup): Promise<RawResponse> {
  const scope = simpleScope(scopes.group, request.params.scope);
  return respond(request, searchGroup(core, queryOf(core, request), request.group.id, scope));
}

async function showProject(core: GitCore, request: ProjectRequest<ParametersOf<typeof projectParameters>>): Promise<RawResponse> {
  const { scope, ref = '' } = request.params;
  return respond(request, await searchProject(core, queryOf(core, request), request, { scope, ref }));
}

type Params = ParametersOf<typeof searchParameters> & { readonly include_archived?: boolean | undefined };

function queryOf(core: GitCore, { params, caller, baseUrl, now }: SignedInRequest<Params>): Query {
  const { search, state, confidential, sort, include_archived: withArchived = false } = params;
  return { caller, baseUrl, now, search: search.trim(), state, confidential, withArchived, sort };
}

async function respond(request: SignedInRequest<Params>, found: SlowOffsetList<unknown>): Promise<RawResponse> {
  const { params } = request;
  const { search } = params;
  const isSearched = search.trim() !== '' && search.length <= MAX_SEARCH;
  const list = isSearched ? found : { count: () => 0, rows: () => [] };
  return new RawResponse(await readOffsetResponse(request, params, list, (item) => item));
}

/** @throws {Refused} For a scope that needs an index of everything. */
function simpleScope<const T extends string>(simple: readonly T[], scope: T | (typeof advancedScopes)[number]): T {
  const known = simple.find((one) => one === scope);
  if (known !== undefined) return known;
  const also = scope === 'blobs' ? ' or exact code search' : '';
  throw missingHere(
    `Scope supported only with advanced search${also}`,
    'this server has no advanced search; the scope exists for projects',
    'search.scope',
  );
}
