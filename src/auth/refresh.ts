import * as l10n from '@vscode/l10n';
import { ApiFailure, failureOfError, isOwnWord, retryAfterOf } from '../api/failures.ts';
import { type Send, TransportFailure, type WireResponse } from '../api/transport.ts';
import { isLocalKey, nameOfInstance } from '../instances/accountKey.ts';
import type { Log } from '../support/log.ts';
import { LockBusy, type MachineLock } from '../support/machineLock.ts';
import { createRefreshResults } from './refreshResults.ts';
import { createRefreshTroubles, type RefreshTroubles } from './refreshTroubles.ts';
import { keyOf, type Session, tokensOf } from './session.ts';
import type { Sessions } from './sessions.ts';
import { OAuthFailure, processTokenResponse, refreshRequest, userRequest } from './tokenEndpoint.ts';

/** Provides valid tokens and renews them when needed. Accounts are identified by their account key. */
export interface Refresh extends Pick<RefreshTroubles, 'isRefused' | 'isFailing' | 'onDidChange'> {
  /** Returns the session, renewed if its token is about to expire; undefined if there is none. */
  readonly fresh: (account: string) => Promise<Session | undefined>;
  /**
   * Returns the session with another access token than the one that the server rejected; undefined if there is none. Only the instance
   * itself ends a session: by refusing the refresh token, or a token without one. Rejects with an `ApiFailure` if the renewal fails for now.
   */
  readonly renewed: (account: string, rejected: string) => Promise<Session | undefined>;
}

export interface RefreshSettings {
  readonly sessions: Sessions;
  readonly send: Send;
  /** Returns the current address of an instance; undefined while it has none, such as a stopped local server. */
  readonly addresses: (instance: string) => string | undefined;
  /** Lock held while an account is renewed, shared by all processes of this machine. */
  readonly lock: MachineLock;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Log;
}

/** Milliseconds before expiry at which a token is renewed; a short-lived token is renewed in the last quarter of its lifetime. */
const AHEAD = 5 * 60_000;
/** Milliseconds in which a window on another machine, which used the same refresh token, stores the new tokens. */
const OTHER_WINDOW = 2_000;

/**
 * Renews sessions, each at most once at a time on this machine. Whether to renew is decided inside the lock, from the current content of
 * the secret storage, because other windows renew the same session.
 */
export function createRefresh(settings: RefreshSettings): Refresh {
  const { sessions, send, addresses, lock, now, log } = settings;
  const running = new Map<string, Promise<Session | undefined>>();
  const results = createRefreshResults(now);
  /** Returns a key that changes with each sign-in of the account, so that failures of an earlier sign-in do not count. */
  const signInOf = (account: string): string => `${account} ${sessions.get(account)?.id ?? ''}`;
  const troubles = createRefreshTroubles(signInOf);

  function once(account: string, needsRenewal: (session: Session) => boolean): Promise<Session | undefined> {
    const current = running.get(account) ?? renewAlone(account, needsRenewal).finally(() => running.delete(account));
    running.set(account, current);
    return current;
  }

  async function renewAlone(account: string, needsRenewal: (session: Session) => boolean): Promise<Session | undefined> {
    try {
      return await lock(account, () => renew(account, needsRenewal));
    } catch (error) {
      if (!(error instanceof LockBusy)) throw error;
      throw new ApiFailure('timedOut', l10n.t('Timed out waiting for another window to renew this sign-in'), { cause: error });
    }
  }

  async function renew(account: string, needsRenewal: (session: Session) => boolean): Promise<Session | undefined> {
    const session = await sessions.read(account);
    if (session === undefined || !needsRenewal(session)) return session;
    const address = addresses(session.instance);
    if (address === undefined) throw new ApiFailure('unreachable', l10n.t('{0} is not running', labelOf(session.instance)));
    if (session.refreshToken === undefined) return unlessRejected(session, address);
    if (results.isLost(signInOf(account), session.refreshToken)) {
      throw new ApiFailure('timedOut', l10n.t('The response to the renewal of the sign-in was lost. Try again in a few seconds'));
    }
    return requestTokens(account, session, session.refreshToken, address);
  }

  async function requestTokens(
    account: string,
    session: Session,
    refreshToken: string,
    address: string,
  ): Promise<Session | undefined> {
    let response: WireResponse | undefined;
    try {
      response = await send(refreshRequest(address, session.clientId, refreshToken));
      const tokens = tokensOf(processTokenResponse(response), now());
      const { expiry: _, ...unchanged } = session;
      const renewed: Session = { ...unchanged, ...tokens };
      await sessions.write(renewed);
      results.set(signInOf(account), { accessToken: renewed.accessToken });
      troubles.clear(account);
      log.info(`Refreshed the token of ${nameOf(session)}.`);
      return renewed;
    } catch (error) {
      const neverSent = error instanceof TransportFailure && error.kind === 'unreachable';
      if (error instanceof TransportFailure && !neverSent) results.setLost(signInOf(account), refreshToken);
      if (response === undefined || !(error instanceof OAuthFailure)) throw failureOfError(error) ?? error;
      if (!isGrantGone(error)) throw keep(account, session, response, error);
      return (await fromOtherWindow(settings, account, session)) ?? end(session, error.message);
    }
  }

  /** Notes that a renewal was refused for another reason than that the sign-in is gone, and returns the failure to report. */
  function keep(account: string, session: Session, response: WireResponse, { code, message }: OAuthFailure): ApiFailure {
    log.warn(`The sign-in of ${nameOf(session)} could not be renewed and is kept: ${message}`);
    const failure = failureOfRenewal(response, message, now());
    results.set(signInOf(account), { failure });
    troubles.addFailure(account, code);
    return failure;
  }

  /** Ends a session without a refresh token if the instance confirms that it rejects the token. */
  async function unlessRejected(session: Session, address: string): Promise<Session | undefined> {
    if (!(await isRejected(send, address, session))) return session;
    return end(session, 'the instance rejected the token, and there is no refresh token');
  }

  async function end(session: Session, reason: string): Promise<undefined> {
    log.warn(`The sign-in of ${nameOf(session)} has ended: ${reason}`);
    troubles.clear(keyOf(session));
    await sessions.end(session);
  }

  function isDue({ expiry }: Session): boolean {
    return expiry !== undefined && expiry.at - now() <= Math.min(AHEAD, expiry.lifetime / 4);
  }

  return {
    async fresh(account) {
      const session = sessions.get(account) ?? (await sessions.read(account));
      if (session === undefined || session.refreshToken === undefined || !isDue(session)) return session;
      if (results.recent(signInOf(account)).failure !== undefined) return session;
      try {
        return (await once(account, isDue)) ?? sessions.get(account);
      } catch (error) {
        // The old token may still be valid; the server decides.
        if (failureOfError(error) === undefined) throw error;
        return session;
      }
    },
    async renewed(account, token) {
      const { accessToken, failure } = results.recent(signInOf(account));
      if (failure !== undefined) throw failure;
      if (accessToken === token) {
        if (!troubles.isRefused(account)) log.warn(`The instance rejects the token that it has just issued for ${account}.`);
        troubles.setRefused(account);
        return undefined;
      }
      const session = await once(account, (current) => current.accessToken === token);
      return session?.accessToken === token ? undefined : session;
    },
    isRefused: troubles.isRefused,
    isFailing: troubles.isFailing,
    onDidChange: troubles.onDidChange,
  };
}

/** Returns the session that a window on another machine stored after using the same refresh token first. */
async function fromOtherWindow(
  { sessions, sleep }: RefreshSettings,
  account: string,
  spent: Session,
): Promise<Session | undefined> {
  for (const pause of [0, OTHER_WINDOW / 4, OTHER_WINDOW]) {
    await sleep(pause);
    const session = await sessions.read(account);
    if (session !== undefined && session.accessToken !== spent.accessToken) return session;
  }
  return undefined;
}

function failureOfRenewal(response: WireResponse, message: string, now: number): ApiFailure {
  const { status } = response;
  const retryAfter = status === 429 || status === 503 ? retryAfterOf(response, now) : undefined;
  return new ApiFailure('unavailable', l10n.t('The sign-in could not be renewed: {0}', message), {
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Returns true if the instance itself rejects the token. Nothing is known if it does not respond. */
async function isRejected(send: Send, address: string, { accessToken }: Session): Promise<boolean> {
  try {
    const response = await send(userRequest(address, accessToken));
    return response.status === 401 && isOwnWord(response);
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    return false;
  }
}

/** Only this code says that the refresh token is not valid (RFC 6749 §5.2). A gateway, or a busy server, says something else. */
function isGrantGone({ code, status }: OAuthFailure): boolean {
  return code === 'invalid_grant' && (status === 400 || status === 401);
}

function nameOf({ account, instance }: Session): string {
  return `@${account.username} on ${nameOfInstance(instance)}`;
}

/** Returns the name of an instance for messages. */
function labelOf(instance: string): string {
  return isLocalKey(instance) ? l10n.t('Managed server') : instance;
}
