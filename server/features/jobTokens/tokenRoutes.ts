import * as z from 'zod';
import { isoTime } from '../../core/clock.ts';
import { groupRoute, type FoundGroup } from '../groups/groups.ts';
import { notFound, recordNotFound, refusedChange, unauthenticated } from '../../core/errors.ts';
import { boolean, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { moment, named, type ResponseOf } from '../../http/responses.ts';
import { openRoute, type Route, type ApiRequest, type SignedInRequest } from '../../http/route.ts';
import { demandWritable, findJob, jobResponse, presentJobs } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { ONLY_JWT_SINCE } from './authentication.ts';
import { CHOICE_SINCE, createJobToken, formatIn } from './tokens.ts';
import { formatOfGroup, writeFormat } from './tokenStore.ts';

const specRef = 'Job tokens';

const newToken = named('JobToken', () => z.strictObject({ token: z.string(), expires_at: moment().nullable() }));
const formatChoice = named('JobTokenFormat', () => z.strictObject({ jwt_ci_cd_job_token_enabled: z.boolean() }));

const format = {
  path: '/api/v4/groups/:id/job_token_format',
  specRef,
  status: 'local',
  key: 'id',
  body: formatChoice,
  addedIn: CHOICE_SINCE,
  removedIn: ONLY_JWT_SINCE,
} as const;

const addTokenParameters = () => ({ id: required(string), job_id: required(integer) });

const chooseFormatParameters = () => ({ id: required(string), jwt_ci_cd_job_token_enabled: required(boolean) });

/** Returns the routes of job tokens: the job of a token, and local ones that create tokens and choose their format. */
export function jobTokenRoutes(core: Core): Route[] {
  return [
    openRoute(
      { method: 'GET', path: '/api/v4/job', specRef, status: 'inferred', body: jobResponse, acceptsJobToken: true },
      (request) => showJob(core, request),
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/jobs/:job_id/token',
        specRef,
        status: 'local',
        key: 'id',
        body: newToken,
        params: addTokenParameters,
      },
      'maintainer',
      (request) => addToken(core, request),
    ),
    groupRoute({ ...format, method: 'GET', params: () => ({ id: required(string) }) }, 'owner', ({ group }) =>
      presentFormat(core, group.id),
    ),
    groupRoute({ ...format, method: 'PUT', params: chooseFormatParameters }, 'owner', (request) => chooseFormat(core, request)),
  ];
}

function showJob(core: Core, request: ApiRequest<unknown>): ResponseOf<typeof jobResponse> | undefined {
  const { caller } = request;
  if (caller?.credential.kind !== 'job') throw unauthenticated('the endpoint requires the token of a running job');
  const found = findProject(core, caller.credential.projectId, caller);
  const job = found === undefined ? undefined : findJob(core, found, caller.credential.jobId);
  if (found === undefined || job === undefined) throw notFound('Job');
  return presentJobs(core, [job], { ...request, ...found })[0];
}

async function addToken(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof addTokenParameters>>,
): Promise<ResponseOf<typeof newToken>> {
  const { project, params, baseUrl } = request;
  demandWritable(project);
  const job = findJob(core, request, params.job_id);
  if (job === undefined) throw recordNotFound('no such job in the project');
  const { token, expiresAt } = await createJobToken(core, project, job, baseUrl);
  return { token, expires_at: expiresAt === null ? null : isoTime(expiresAt) };
}

function chooseFormat(
  core: Core,
  { group, params }: SignedInRequest<ParametersOf<typeof chooseFormatParameters>> & FoundGroup,
): unknown {
  if (group.parent_id !== null) throw refusedChange('Only top-level groups choose the format of job tokens');
  writeFormat(core.store, group.id, params.jwt_ci_cd_job_token_enabled ? 'jwt' : 'text');
  return presentFormat(core, group.id);
}

function presentFormat(core: Core, groupId: number) {
  return {
    jwt_ci_cd_job_token_enabled: formatIn(core.profile.release, formatOfGroup(core.store, groupId)) === 'jwt',
  };
}
