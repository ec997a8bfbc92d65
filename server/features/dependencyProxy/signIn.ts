import { stateIn } from '../../../src/contract/deprecations.ts';
import { integerMember, type JsonObject } from '../../../src/contract/json.ts';
import { noteActor } from '../../core/actor.ts';
import { bearerOf } from '../../http/credentials.ts';
import { statusOf, textOf } from '../../http/refusalStatus.ts';
import { isRefusal, type WireFailure } from '../../http/wireFailure.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { isActivePersonalToken } from '../personalTokens/personalTokens.ts';
import { isActiveAccessToken } from '../oauth/oauth.ts';
import type { Core } from '../../core/core.ts';
import {
  type ProxySignIn,
  registryFailure,
  tokenChallenge,
  claimsOf,
  issueServiceToken,
  type Service,
} from '../registry/registry.ts';
import type { ProxyCore } from './proxyCore.ts';
import { activeDeployToken, type DeployToken } from '../deployTokens/deployTokens.ts';
import { type GitCaller, gitCaller } from '../smartHttp/smartHttp.ts';

const SERVICE: Service = 'dependency_proxy';
const REQUIRED = ['read_registry', 'write_registry'] as const;

/** User or deploy token that pulls images. */
export type Puller =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'deployToken'; readonly token: DeployToken };

/** Returns what the token endpoint of the registry needs to issue tokens of the dependency proxy. */
export function proxySignIn(core: ProxyCore): ProxySignIn {
  return {
    hasUpstream: core.dependencyProxyUpstream !== undefined,
    issueToken: (context) => issueDependencyProxyToken(core, context),
  };
}

/**
 * Returns a token of the dependency proxy for the credentials of Basic authentication, which are those that git accepts
 * (docs/interface.md#dependency-proxy).
 *
 * @throws {WireFailure} 401 for wrong credentials, 403 for none and for insufficient scopes.
 */
async function issueDependencyProxyToken(core: Core, context: RequestContext): Promise<string> {
  const caller = await callerOf(core, context);
  if (caller === undefined) {
    throw accessForbidden('send a username and a personal access token, or a deploy token of a group', 'registry.credentials');
  }
  if (caller.kind === 'deployToken') {
    const { token } = caller;
    demandGroupToken(token);
    return issueServiceToken(core, SERVICE, { subject: token.username, claims: { deploy_token_id: token.id } }, context);
  }
  const { user, token } = caller;
  const isScoped = hasRequiredScopes(caller);
  demandScopes(core, context, isScoped);
  const source = token === undefined ? {} : { [token.kind === 'oauth' ? 'oauth_token_id' : 'personal_token_id']: token.id };
  const claims = { user_id: user.id, ...source, is_scoped: isScoped };
  return issueServiceToken(core, SERVICE, { subject: user.username, claims }, context);
}

/** Returns the sender of a request. Refusals have the format of the distribution specification. */
async function callerOf(core: Core, context: RequestContext): Promise<GitCaller | undefined> {
  try {
    return await gitCaller(core, context);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { rule, reason } = error;
    const status = statusOf(error);
    if (status === 401) throw registryFailure(401, 'UNAUTHORIZED', textOf(error) ?? reason, rule, reason);
    if (status === 403) throw accessForbidden(reason, rule);
    throw error;
  }
}

/** Returns true for a password, the token of a job, and a token with the scope `api` or with both scopes of the registry. */
function hasRequiredScopes({ scopes, job }: Extract<GitCaller, { kind: 'user' }>): boolean {
  if (scopes === undefined || job !== undefined) return true;
  return scopes.includes('api') || REQUIRED.every((scope) => scopes.includes(scope));
}

/** @throws {WireFailure} 403 for a token of a user without the scopes, in releases that check them. */
function demandScopes({ profile }: Core, context: RequestContext, isScoped: boolean): void {
  if (isScoped) return;
  context.noteDeprecated('dependency-proxy-scopes');
  if (stateIn('dependency-proxy-scopes', profile.release) !== 'removed') return;
  throw accessForbidden(`from release 18.0 on, the token needs the scopes ${REQUIRED.join(' and ')}, or api`, 'scope');
}

/** @throws {WireFailure} 403 for a deploy token of a project, and for one without the scopes, which are checked in every release. */
function demandGroupToken({ group_id: groupId, scopes }: DeployToken): void {
  const held = scopes.split(' ');
  if (groupId === null) throw accessForbidden('the deploy token belongs to a project, not to a group', 'deployToken.group');
  if (REQUIRED.every((scope) => held.includes(scope))) return;
  throw accessForbidden(`the deploy token needs the scopes ${REQUIRED.join(' and ')}`, 'scope');
}

function accessForbidden(reason: string, rule: string): WireFailure {
  return registryFailure(403, 'DENIED', 'access forbidden', rule, reason);
}

/**
 * Returns who sends a request with a token of the dependency proxy. The credentials for which the token was issued must still be valid.
 *
 * @throws {WireFailure} 401 with a challenge for other tokens and for none, 403 for insufficient scopes.
 */
export async function demandPuller(core: Core, context: RequestContext): Promise<Puller> {
  const token = bearerOf(context.headers.authorization);
  const claims = token === undefined ? undefined : await claimsOf(core, SERVICE, token, context.now);
  if (claims === undefined) {
    throw tokenChallenge(context, SERVICE, 'the dependency proxy accepts only tokens from /jwt/auth?service=dependency_proxy');
  }
  const puller = pullerOf(core, claims, context.now);
  if (puller === undefined) {
    throw tokenChallenge(context, SERVICE, 'the credentials for which the token was issued are no longer valid');
  }
  if (puller.kind === 'deployToken') {
    context.noteUser(puller.token.username);
    return puller;
  }
  context.noteUser(puller.user.username);
  noteActor(puller.user.id);
  demandScopes(core, context, claims['is_scoped'] === true);
  return puller;
}

function pullerOf(core: Core, claims: JsonObject, now: number): Puller | undefined {
  const deployTokenId = integerMember(claims, 'deploy_token_id');
  if (deployTokenId !== undefined) {
    const token = activeDeployToken(core, deployTokenId, now);
    return token === undefined ? undefined : { kind: 'deployToken', token };
  }
  const user = findUser(core, integerMember(claims, 'user_id') ?? 0);
  if (user?.state !== 'active') return undefined;
  const personal = integerMember(claims, 'personal_token_id');
  const oauth = integerMember(claims, 'oauth_token_id');
  const isActive =
    (personal === undefined || isActivePersonalToken(core, personal, now)) &&
    (oauth === undefined || isActiveAccessToken(core, oauth, now));
  return isActive ? { kind: 'user', user } : undefined;
}
