import { randomBytes, randomUUID } from 'node:crypto';
import { compareReleases } from '../../../src/contract/releases.ts';
import { HOUR, MINUTE, SECOND } from '../../core/clock.ts';
import { refusedChange } from '../../core/errors.ts';
import { signingKey } from '../oauth/oauth.ts';
import type { Job } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { hashSecret } from '../../core/secrets.ts';
import { JOB_TOKEN_PREFIX, ONLY_JWT_SINCE } from './authentication.ts';
import { chosenFormat, deleteEndedTokens, insertJobToken } from './tokenStore.ts';

/** First release in which groups choose the format of job tokens. */
export const CHOICE_SINCE = '17.10';
/** First release in which JWT is the default format. */
const JWT_SINCE = '19.0';
/** Lifetime of tokens in JWT format, in milliseconds: the usual maximum time of a job, and time to report its result. */
const LIFETIME = HOUR + 5 * MINUTE;
/** Random bytes of a token in text format. */
const TEXT_BYTES = 15;

/** Returns the format of job tokens in a release for the choice of the top-level group. */
export function formatIn(release: Core['profile']['release'], chosen: 'jwt' | 'text' | undefined): 'jwt' | 'text' {
  if (compareReleases(release, ONLY_JWT_SINCE) >= 0) return 'jwt';
  if (compareReleases(release, CHOICE_SINCE) < 0) return 'text';
  return chosen ?? (compareReleases(release, JWT_SINCE) >= 0 ? 'jwt' : 'text');
}

/**
 * Creates a token of a running job, which has the rights of the user of the job. The secret is returned only here.
 *
 * @throws {Refused} For a job that does not run or whose user was deleted.
 */
export async function createJobToken(
  core: Core,
  project: Project,
  job: Job,
  baseUrl: string,
): Promise<{ readonly token: string; readonly expiresAt: number | null }> {
  const { store, clock, profile } = core;
  if (job.status !== 'running') throw refusedChange('Job is not running', `the job is ${job.status}`);
  if (job.user_id === null) throw refusedChange('Job has no user', 'the user of the job was deleted');
  const now = clock.now();
  const isJwt = formatIn(profile.release, chosenFormat(store, project.id)) === 'jwt';
  const expiresAt = isJwt ? Math.floor((now + LIFETIME) / SECOND) * SECOND : null;
  const text = isJwt
    ? await signedToken(core, project, { id: job.id, userId: job.user_id }, { baseUrl, now, expiresAt: now + LIFETIME })
    : `64_${randomBytes(TEXT_BYTES).toString('base64url')}`;
  const token = `${JOB_TOKEN_PREFIX}${text}`;
  store.transaction(() => {
    deleteEndedTokens(store, now);
    insertJobToken(store, { jobId: job.id, hash: hashSecret(token), now, expiresAt });
  });
  return { token, expiresAt };
}

/** Returns the JWT of a job with the claims of GitLab. Numbers in the claims of one letter are in base 36. */
async function signedToken(
  core: Core,
  project: Project,
  job: { readonly id: number; readonly userId: number },
  { baseUrl, now, expiresAt }: { readonly baseUrl: string; readonly now: number; readonly expiresAt: number },
): Promise<string> {
  const { SignJWT } = await import('jose');
  const { privateKey, kid } = await signingKey(core);
  const issuedAt = Math.floor(now / SECOND);
  return new SignJWT({
    version: '0.1.0',
    o: '1',
    u: job.userId.toString(36),
    p: project.id.toString(36),
    ...(project.namespace_kind === 'group' ? { g: project.namespace_id.toString(36) } : {}),
    sub: `gid://gitlab/Ci::Build/${job.id}`,
    iss: new URL(baseUrl).hostname,
    aud: 'gitlab-authz-token',
    jti: randomUUID(),
    iat: issuedAt,
    nbf: issuedAt - 5,
    exp: Math.floor(expiresAt / SECOND),
  })
    .setProtectedHeader({ typ: 'JWT', kid, alg: 'RS256' })
    .sign(privateKey);
}
