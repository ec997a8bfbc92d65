import { SCOPE_NAMES } from '../../../src/contract/scopes.ts';
import { Unauthenticated } from '../../core/errors.ts';
import { noteActor } from '../../core/actor.ts';
import { WireFailure } from '../../http/wireFailure.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import { enterpriseRefusal, findUserByLogin, passwordRefusingGroup } from '../users/users.ts';
import { authenticate } from '../authentication/authentication.ts';
import { recordFailedSignIn, tryPassword } from '../signIn/signIn.ts';
import { hasSecondFactor } from '../secondFactors/secondFactors.ts';
import { sentAccessToken } from '../oauth/oauth.ts';
import type { Caller, User } from '../../core/caller.ts';
import { authenticateJob, JOB_TOKEN_PREFIX } from '../jobTokens/jobTokens.ts';
import { type DeployToken, deployTokenOf } from '../deployTokens/deployTokens.ts';
import type { Core } from '../../core/core.ts';
import { isOn } from '../settings/settings.ts';

/** Operation on a repository. */
export type GitOperation = 'fetch' | 'push';

/** Scopes of tokens that allow an operation (docs/interface.md#git-over-https). */
export const gitScopes: Readonly<Record<GitOperation, readonly string[]>> = {
  fetch: ['api', 'read_api', 'read_repository', 'write_repository'],
  push: ['api', 'write_repository'],
};

/** Sender of a request of git. */
export type GitCaller = UserOfGit | DeployTokenOfGit;

/** A user, authenticated by a token or by their password. */
export interface UserOfGit {
  readonly kind: 'user';
  readonly user: User;
  /** Undefined if the user sent their password, which allows everything that the user may do. */
  readonly scopes: readonly string[] | undefined;
  /** Set if the user sent the token of a job, which only reaches some projects. */
  readonly job?: Caller['credential'];
  /** The personal access token or OAuth token that the user sent. */
  readonly token?: { readonly kind: 'personal' | 'oauth'; readonly id: number };
}

/** A deploy token, which belongs to no user and can only fetch. */
export interface DeployTokenOfGit {
  readonly kind: 'deployToken';
  readonly token: DeployToken;
  readonly scopes: readonly string[];
}

/** Username and password of a request. */
interface SentPassword {
  readonly username: string;
  readonly password: string;
}

/**
 * Returns the sender of a request by the credentials of Basic authentication: a personal access token or an OAuth token as password of any
 * username, a deploy token with its own username, the token of a running job with the username `gitlab-ci-token`, or else the password of a user. Returns undefined without credentials. The scopes of the token are checked by `openForGit`,
 * because they do not matter for fetches of public projects.
 *
 * @throws {WireFailure} 401 for other credentials, 403 for a token of a blocked or deactivated user.
 */
export async function gitCaller(core: Core, context: RequestContext): Promise<GitCaller | undefined> {
  const sent = sentPassword(context.headers.authorization);
  if (sent === undefined) return undefined;
  const token = deployTokenOf(core, sent);
  if (token !== undefined) {
    context.noteUser(token.username);
    return { kind: 'deployToken', token, scopes: token.scopes.split(' ') };
  }
  const caller =
    callerOfJob(core, context, sent) ??
    callerOfToken(core, context, sent.password) ??
    (await callerOfPassword(core, context, sent));
  context.noteUser(caller.user.username);
  noteActor(caller.user.id);
  return caller;
}

const JOB_USERNAME = 'gitlab-ci-token';

/**
 * Returns the user of a running job, whose token allows to fetch; undefined for other credentials.
 *
 * @throws {WireFailure} 401 for an unknown or expired token and for one whose job has ended, 403 for a blocked user.
 */
function callerOfJob(core: Core, context: RequestContext, { username, password }: SentPassword): UserOfGit | undefined {
  if (username !== JOB_USERNAME || !password.startsWith(JOB_TOKEN_PREFIX)) return undefined;
  try {
    const { user, credential } = authenticateJob(core, password, context);
    return { kind: 'user', user, scopes: ['read_repository'], job: credential };
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    throw accessDenied(context, error.reason);
  }
}

/** Scopes of all tokens, because tokens with other scopes authenticate, too. */
const anyScope = SCOPE_NAMES;

/**
 * Returns the user of a token; undefined if the text is not a token.
 *
 * @throws {WireFailure} 401 for an expired or revoked token, 403 for a blocked or deactivated user.
 */
function callerOfToken(core: Core, context: RequestContext, token: string): UserOfGit | undefined {
  if (token === '') throw accessDenied(context, 'the password is empty');
  try {
    const sent = { token, kind: 'any' } as const;
    const requirement = { scopes: anyScope, said: anyScope };
    const { user, credential } = authenticate(core, sent, requirement, context, sentAccessToken(core, sent));
    if (credential.kind !== 'personal' && credential.kind !== 'oauth') return undefined;
    return { kind: 'user', user, scopes: credential.scopes, token: { kind: credential.kind, id: credential.tokenId } };
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    if (error.rule === 'credentials.known') return undefined;
    throw accessDenied(context, error.reason);
  }
}

/**
 * Returns the user of a username or email address and a password.
 *
 * @throws {WireFailure} 401; without a challenge if passwords are not allowed, because asking for another one would not help.
 */
async function callerOfPassword(core: Core, context: RequestContext, { username, password }: SentPassword): Promise<UserOfGit> {
  if (!isOn(core, 'password_authentication_enabled_for_git'))
    throw accessDenied(context, 'an administrator has turned off password authentication for Git; use a token', 'final');
  const outcome = await tryPassword(core, username, password);
  if (outcome === 'refused') {
    recordFailedSignIn(core, findUserByLogin(core, username), 'password');
    throw accessDenied(context, 'neither a valid token nor the password of a user that is not blocked');
  }
  if ('lockedUntil' in outcome) throw accessDenied(context, 'the account is locked after ten incorrect passwords');
  const { user } = outcome;
  if (user.state !== 'active') throw accessDenied(context, `the account is ${user.state}`, 'final');
  const refusing = passwordRefusingGroup(core, user);
  if (refusing !== undefined) throw accessDenied(context, enterpriseRefusal(refusing), 'final');
  if (hasSecondFactor(core, user)) throw accessDenied(context, 'the account has two-factor authentication; use a token', 'final');
  return { kind: 'user', user, scopes: undefined };
}

/** Returns the credentials of an `Authorization: Basic` header (RFC 7617 §2). */
function sentPassword(authorization: string | undefined): SentPassword | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization ?? '')?.[1];
  const text = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text?.indexOf(':') ?? -1;
  return text === undefined || colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * Returns a 401 for missing or wrong credentials (docs/interface.md#git-over-https). Its challenge makes git ask for credentials; a `final`
 * refusal has none.
 */
export function accessDenied(
  { baseUrl }: RequestContext,
  reason: string,
  kind: 'challenge' | 'final' = 'challenge',
): WireFailure {
  return new WireFailure(
    401,
    `HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or you're required to use a token instead of a password. If a token was provided, it was either incorrect, expired, or improperly scoped. See ${baseUrl}/help/topics/git/troubleshooting_git.md#error-on-git-fetch-http-basic-access-denied`,
    { rule: 'git.credentials', reason },
    kind === 'challenge' ? { 'WWW-Authenticate': 'Basic realm="GitLab"' } : {},
  );
}
