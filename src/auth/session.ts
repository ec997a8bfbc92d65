import { integerMember, isJsonObject, type JsonObject, stringMember } from '../contract/json.ts';
import type { TokenResponse } from '../contract/oauth.ts';
import { accountKey, instanceOfAccount } from '../instances/accountKey.ts';

/** A signed-in user. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** One sign-in on one instance, with its secrets. */
export interface Session {
  /** Changes with every sign-in, but not when the tokens are renewed. */
  readonly id: string;
  /** Key of the instance. */
  readonly instance: string;
  /** `oauth`: approved in a browser. `token`: a personal access token that the user entered. `persona`: one created for a user of the local server. */
  readonly credential: 'oauth' | 'token' | 'persona';
  readonly clientId: string;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Time of expiry by this machine's clock, in milliseconds since the epoch, and lifetime in milliseconds; absent if the token does not expire. */
  readonly expiry?: { readonly at: number; readonly lifetime: number };
}

/** Returns the account key of a session. */
export function keyOf({ instance, account }: Pick<Session, 'instance' | 'account'>): string {
  return accountKey(instance, account.id);
}

/** Returns the session members for the tokens of a response received at `now`. */
export function tokensOf(response: TokenResponse, now: number): Pick<Session, 'accessToken' | 'refreshToken' | 'expiry'> {
  const lifetime = response.expires_in === undefined ? undefined : response.expires_in * 1000;
  return {
    accessToken: response.access_token,
    ...(response.refresh_token === undefined ? {} : { refreshToken: response.refresh_token }),
    ...(lifetime === undefined ? {} : { expiry: { at: now + lifetime, lifetime } }),
  };
}

/** Returns the session that a stored JSON value describes; undefined if it is none of this account. */
export function readSession(account: string, value: unknown): Session | undefined {
  const instance = instanceOfAccount(account);
  const session = instance === undefined ? undefined : readSessionOf(instance, value);
  return session !== undefined && keyOf(session) === account ? session : undefined;
}

function readSessionOf(instance: string, value: unknown): Session | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.account)) return undefined;
  const id = stringMember(value, 'id');
  const clientId = stringMember(value, 'clientId');
  const accessToken = stringMember(value, 'accessToken');
  const account = readAccount(value.account);
  if (id === undefined || clientId === undefined || accessToken === undefined || account === undefined) return undefined;
  const refreshToken = stringMember(value, 'refreshToken');
  const scopes = Array.isArray(value.scopes) ? value.scopes.filter((scope) => typeof scope === 'string') : [];
  const expiry = readExpiry(value.expiry);
  return {
    id,
    instance,
    credential: value.credential === 'token' || value.credential === 'persona' ? value.credential : 'oauth',
    clientId,
    account,
    scopes,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiry === undefined ? {} : { expiry }),
  };
}

export function readAccount(value: JsonObject): Account | undefined {
  const id = integerMember(value, 'id');
  const username = stringMember(value, 'username');
  return id === undefined || username === undefined ? undefined : { id, username, name: stringMember(value, 'name') ?? username };
}

function readExpiry(value: unknown): Session['expiry'] {
  if (!isJsonObject(value)) return undefined;
  const at = integerMember(value, 'at');
  const lifetime = integerMember(value, 'lifetime');
  return at === undefined || lifetime === undefined ? undefined : { at, lifetime };
}
