import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { type Client, createClient } from '../api/client.ts';
import { ApiFailure, failureOfError } from '../api/failures.ts';
import type { Send } from '../api/transport.ts';
import { readPersonalToken, readUserBasic, type UserBasic } from '../contract/identity.ts';
import type { TokenResponse } from '../contract/oauth.ts';
import { EXTENSION_SCOPE, USEFUL_SCOPES } from '../contract/scopes.ts';
import type { Instance, Reached } from '../instances/instances.ts';
import type { Mask } from '../support/log.ts';
import { type Account, type Session, tokensOf } from './session.ts';

/** Means of the requests that find out whose token it is. */
export interface TokenRequests {
  readonly send: Send;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly mask: Mask;
}

/** Returns the session of tokens that an OAuth application received. Rejects with an `ApiFailure` or a `TransportFailure`. */
export async function sessionOfTokens(
  requests: TokenRequests,
  { instance, baseUrl }: Reached,
  clientId: string,
  tokens: TokenResponse,
): Promise<Session> {
  const { mask, now } = requests;
  mask.hide(tokens.access_token);
  if (tokens.refresh_token !== undefined) mask.hide(tokens.refresh_token);
  const user = await clientOf(requests, baseUrl, tokens.access_token).get('/user', readUserBasic);
  return {
    id: randomUUID(),
    instance: instance.key,
    credential: 'oauth',
    clientId,
    account: accountOf(user),
    scopes: (tokens.scope ?? EXTENSION_SCOPE).split(' ').filter(Boolean),
    ...tokensOf(tokens, now()),
  };
}

/** Returns the session of a personal access token. Rejects with an `ApiFailure`, also if its scopes do not suffice, or a `TransportFailure`. */
export async function sessionOfPersonalToken(
  requests: TokenRequests,
  { instance, baseUrl }: Reached,
  token: string,
  credential: 'token' | 'persona',
): Promise<Session> {
  requests.mask.hide(token);
  const client = clientOf(requests, baseUrl, token);
  const scopes = await scopesOf(instance, client);
  const user = await client.get('/user', readUserBasic);
  const { key, clientId } = instance;
  return {
    id: randomUUID(),
    instance: key,
    credential,
    clientId,
    account: accountOf(user),
    scopes,
    accessToken: token,
  };
}

/** Returns true if the session can still be used. One with a refresh token can be renewed, so it is not checked. */
export async function isAccepted(
  requests: TokenRequests,
  baseUrl: string,
  { accessToken, refreshToken, account }: Session,
): Promise<boolean> {
  if (refreshToken !== undefined) return true;
  try {
    return (await clientOf(requests, baseUrl, accessToken).get('/user', readUserBasic)).id === account.id;
  } catch (error) {
    if (failureOfError(error)?.kind !== 'signedOut') throw error;
    return false;
  }
}

async function scopesOf(instance: Instance, client: Client): Promise<readonly string[]> {
  try {
    const { scopes } = await client.get('/personal_access_tokens/self', readPersonalToken);
    if (scopes.some((scope) => USEFUL_SCOPES.includes(scope))) return scopes;
    const text =
      scopes.length === 0
        ? l10n.t('The token needs the scope api or read_api, but it has no scopes.')
        : l10n.t('The token needs the scope api or read_api, but it only has {0}.', scopes.join(', '));
    throw new ApiFailure('forbidden', text);
  } catch (error) {
    const failure = failureOfError(error);
    // Releases before 15.5 do not return the scopes of a token.
    if (failure?.kind === 'notFound' && failure.isOwnWord) return [];
    if (failure?.kind !== 'signedOut') throw error;
    throw new ApiFailure('signedOut', l10n.t('{0} rejected this token.', instance.label), { cause: error });
  }
}

function clientOf({ send, now, sleep }: TokenRequests, baseUrl: string, token: string): Client {
  const credentials = { token: async () => token, renewed: async () => undefined };
  return createClient({ baseUrl, send, credentials, now, sleep });
}

function accountOf({ id, username, name }: UserBasic): Account {
  return { id, username, name };
}
