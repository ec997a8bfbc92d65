import type { GitCore } from '../../repositories/repositories.ts';
import { findCommit, openRepository, refKindOf, resolveRef } from '../git/git.ts';
import { type ReadRequest, readRoute } from '../code/code.ts';
import { refsAround } from '../../repositories/objects.ts';
import { refuseTogether } from '../../http/combinations.ts';
import { invalidRecord, notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, checked, fallback, integer, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { type FoundProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { reportStatus } from './commitStatuses.ts';
import { percentage } from './jobRoutes.ts';
import { demandWritable } from './managePipelines.ts';
import { presentCommitStatuses } from './present.ts';
import { commitStatus } from './responses.ts';
import { reportedStates } from './rules.ts';
import { countStatuses, listStatuses, type StatusFilter } from './store.ts';

const MAX_TEXT = 255;

const metadata = { specRef: 'Commit statuses', status: 'inferred', key: 'id' } as const;

const postStatusParameters = () => ({
  id: required(string),
  sha: required(string),
  state: required(oneOf(reportedStates)),
  ref: string(),
  target_url: string(),
  description: short(),
  name: short(),
  context: short(),
  coverage: string(),
  pipeline_id: integer(),
});

const showStatusesParameters = () => ({
  id: required(string),
  sha: required(string),
  ref: string(),
  stage: string(),
  name: string(),
  all: boolean(),
  pipeline_id: integer(),
  order_by: fallback<'id' | 'pipeline_id'>('id', oneOf(['id', 'pipeline_id'])),
  sort: fallback<'asc' | 'desc'>('asc', oneOf(['asc', 'desc'])),
  ...pageParameters(),
});

/** Statuses that other systems, such as CI servers, report about commits. */
export function commitStatusRoutes(core: GitCore): Route[] {
  return [
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/projects/:id/statuses/:sha',
        body: commitStatus,
        params: postStatusParameters,
      },
      'developer',
      (request) => postStatus(core, request),
    ),
    readRoute(
      core,
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/projects/:id/repository/commits/:sha/statuses',
        body: listOf(commitStatus),
        params: showStatusesParameters,
      },
      (request) => showStatuses(core, request),
    ),
  ];
}

async function postStatus(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof postStatusParameters>>,
): Promise<ResponseOf<typeof commitStatus> | undefined> {
  const { params, project, caller, baseUrl } = request;
  demandWritable(project);
  refuseTogether(request.linkParameters(), ['name', 'context']);
  const commit = await findCommit(core, project, params.sha);
  if (commit === undefined) throw notFound('Commit');
  const ref = given(params.ref)?.replace(/^refs\/(?:heads|tags)\//, '');
  const name = given(params.name) ?? given(params.context) ?? 'default';
  const coverage = given(params.coverage);
  const targetUrl = given(params.target_url);
  if (targetUrl !== undefined) demandWebAddress(targetUrl);
  const status = reportStatus(core, request, caller.user, {
    commit,
    ...(await refOf(core, request, commit.id, ref)),
    isRefNamed: ref !== undefined,
    pipelineId: params.pipeline_id,
    name,
    state: params.state,
    targetUrl,
    description: params.description,
    coverage: coverage === undefined ? undefined : percentage(coverage),
    noteExcess: () => request.context.noteDeprecated('commit-status-job-limit'),
  });
  return presentCommitStatuses(core, [status], project, baseUrl)[0];
}

async function showStatuses(
  core: GitCore,
  request: ReadRequest<ParametersOf<typeof showStatusesParameters>>,
): Promise<RawResponse> {
  const { params, project, repository, baseUrl } = request;
  const sha = await resolveRef(core, repository, project, params.sha);
  if (sha === undefined) throw notFound('Commit');
  const filter: StatusFilter = {
    projectId: project.id,
    sha,
    ref: given(params.ref),
    stage: given(params.stage),
    name: given(params.name),
    pipelineId: params.pipeline_id,
    all: params.all ?? false,
  };
  const list = {
    count: (cap: number) => countStatuses(core.store, filter, cap),
    rows: (limit: number, offset: number) => {
      const page = { order: params.order_by, sort: params.sort, limit, offset };
      return presentCommitStatuses(core, listStatuses(core.store, filter, page), project, baseUrl);
    },
  };
  return new RawResponse(offsetResponse(request, params, list, (item) => item));
}

function short() {
  return checked(
    string(),
    (text) => text === undefined || text.length <= MAX_TEXT,
    `is too long (maximum is ${MAX_TEXT} characters)`,
  );
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Returns the named ref, or the first branch that contains the commit. Throws `NotFound` if there is none. */
async function refOf(
  core: GitCore,
  { project }: FoundProject,
  commit: string,
  ref: string | undefined,
): Promise<{ readonly ref: string; readonly isTag: boolean }> {
  if (ref !== undefined) return { ref, isTag: refKindOf(core, project, ref) === 'tag' };
  const repository = await openRepository(core, project);
  const branches = repository === undefined ? [] : (await refsAround(repository, commit)).branches;
  const first = branches.includes(project.default_branch) ? project.default_branch : branches[0];
  if (first === undefined) throw notFound('References for commit', 'no branch contains the commit; send the parameter ref');
  return { ref: first, isTag: false };
}

/** Throws `Invalid` unless the text is an address that a browser may open. */
function demandWebAddress(text: string): void {
  const scheme = URL.parse(text)?.protocol;
  if (scheme !== 'http:' && scheme !== 'https:') {
    throw invalidRecord({ target_url: ['is blocked: Only allowed schemes are http, https'] });
  }
  if (text.length > MAX_TEXT) throw invalidRecord({ target_url: [`is too long (maximum is ${MAX_TEXT} characters)`] });
}
