import { compareReleases } from '../../../src/contract/releases.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import { unauthenticated } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import { demandActive } from '../accountRules/accountRules.ts';
import { findUser } from '../users/users.ts';
import { jobOfAnyProject } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret } from '../../core/secrets.ts';
import { isReachable } from './reach.ts';
import { jobTokenByHash } from './tokenStore.ts';

// Authentication by job tokens.

/** Prefix of job tokens in both formats. */
export const JOB_TOKEN_PREFIX = 'glcbt-';

/** First release that has no job tokens in text format. */
export const ONLY_JWT_SINCE = '20.0';

/** The user of a job, authenticated by a token of the job. */
export interface JobCaller extends Caller {
  readonly credential: Extract<Caller['credential'], { kind: 'job' }>;
}

/**
 * Returns the user of a running job by a token of the job.
 *
 * @throws {Unauthenticated | Forbidden} For an unknown or expired token, and for one whose job has ended; for a blocked user.
 */
export function authenticateJob(
  core: Core,
  token: string,
  context: Pick<RequestContext, 'now' | 'baseUrl' | 'noteDeprecated'>,
): JobCaller {
  const row = token.startsWith(JOB_TOKEN_PREFIX) ? jobTokenByHash(core.store, hashSecret(token)) : undefined;
  const job = row === undefined ? undefined : jobOfAnyProject(core.store, row.job_id);
  if (row === undefined || job === undefined) throw unauthenticated('the job token is unknown', 'credentials.known');
  if (job.status !== 'running') throw unauthenticated(`the job is ${job.status}, not running`, 'credentials.job');
  if (row.expires_at !== null && row.expires_at <= context.now) {
    throw unauthenticated('the job token has expired', 'credentials.job');
  }
  if (row.expires_at === null) {
    context.noteDeprecated('text-job-tokens');
    if (compareReleases(core.profile.release, ONLY_JWT_SINCE) >= 0) {
      throw unauthenticated('job tokens in text format have ended; only those in JWT format are accepted', 'credentials.job');
    }
  }
  const user = job.user_id === null ? undefined : findUser(core, job.user_id);
  if (user === undefined) throw unauthenticated('the user of the job was deleted', 'credentials.person');
  demandActive(user, context.baseUrl);
  return { user, credential: { kind: 'job', jobId: job.id, projectId: job.project_id, scopes: [] } };
}

/**
 * Returns true if the credential of a caller admits them to a project. Only job tokens are limited: they reach the projects that the settings
 * allow, and read those that are not private.
 */
export function isAdmitted(
  core: Core,
  credential: Caller['credential'] | undefined,
  project: { readonly id: number; readonly visibility: string },
  isRead: boolean,
): boolean {
  if (credential?.kind !== 'job') return true;
  return (isRead && project.visibility !== 'private') || isReachable(core, credential.projectId, project.id);
}
