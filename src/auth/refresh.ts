import * as l10n from '@vscode/l10n';
import type { Event } from 'vscode';
import { ApiFailure, failureOfError } from '../api/failures.ts';
import { type Send, TransportFailure } from '../api/transport.ts';
import { isLocalKey, nameOfInstance } from '../instances/accountKey.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { LockBusy, type MachineLock } from '../support/machineLock.ts';
import { createRefreshResults } from './refreshResults.ts';
import { keyOf, type Session, tokensOf } from './session.ts';
import type { Sessions } from './sessions.ts';
import { OAuthFailure, processTokenResponse, refreshRequest } from './tokenEndpoint.ts';

/** Provides valid tokens and renews them when needed. Accounts are identified by their account key. */
export interface Refresh {
  /** Returns the session, renewed if its token is about to expire; undefined if there is none. */
  readonly fresh: (account: string) => Promise<Session | undefined>;
  /**
   * Returns the session with another access token than the one that the server rejected; undefined if the user must sign in again, or if
   * the server rejects a token that it has just issued. Rejects with an `ApiFailure` if the renewal fails for now.
   */
  readonly renewed: (account: string, rejected: string) => Promise<Session | undefined>;
  /** Returns true if the server rejects tokens that it has just issued for this account. */
  readonly isRefused: (account: string) => boolean;
  /** Fires with the account when `isRefused` has changed for it. */
  readonly onDidChange: Event<string>;
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
  const { sessions, send, addresses, lock, now, sleep, log } = settings;
  const running = new Map<string, Promise<Session | undefined>>();
  const results = createRefreshResults(now);
  const refused = new Set<string>();
  const changes = createEmitter<string>();

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
    if (session?.refreshToken === undefined || !needsRenewal(session)) return session;
    const address = addresses(session.instance);
    if (address === undefined) throw new ApiFailure('unreachable', l10n.t('{0} is not running', labelOf(session.instance)));
    if (results.isLost(account, session.refreshToken)) {
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
    try {
      const tokens = tokensOf(processTokenResponse(await send(refreshRequest(address, session.clientId, refreshToken))), now());
      const { expiry: _, ...unchanged } = session;
      const renewed: Session = { ...unchanged, ...tokens };
      await sessions.write(renewed);
      results.set(account, { accessToken: renewed.accessToken });
      mark(account, false);
      log.info(`Refreshed the token of ${nameOf(session)}.`);
      return renewed;
    } catch (error) {
      const neverSent = error instanceof TransportFailure && error.kind === 'unreachable';
      if (error instanceof TransportFailure && !neverSent) results.setLost(account, refreshToken);
      if (!(error instanceof OAuthFailure)) throw failureOfError(error) ?? error;
      if (error.code === 'not_oauth' || error.status >= 500) {
        const { status, message } = error;
        const failure = new ApiFailure('unavailable', l10n.t('The sign-in could not be renewed: {0}', message), { status });
        results.set(account, { failure });
        throw failure;
      }
      return (await fromOtherWindow(account, session)) ?? end(session, error.message);
    }
  }

  async function end(session: Session, reason: string): Promise<undefined> {
    log.warn(`The sign-in of ${nameOf(session)} has ended: ${reason}`);
    mark(keyOf(session), false);
    await sessions.end(session);
  }

  /** Returns the session that a window on another machine stored after using the same refresh token first. */
  async function fromOtherWindow(account: string, spent: Session): Promise<Session | undefined> {
    for (const pause of [0, OTHER_WINDOW / 4, OTHER_WINDOW]) {
      await sleep(pause);
      const session = await sessions.read(account);
      if (session !== undefined && session.accessToken !== spent.accessToken) return session;
    }
    return undefined;
  }

  function isDue({ expiry }: Session): boolean {
    return expiry !== undefined && expiry.at - now() <= Math.min(AHEAD, expiry.lifetime / 4);
  }

  function mark(account: string, isRefused: boolean): void {
    if (refused.has(account) === isRefused) return;
    if (isRefused) refused.add(account);
    else refused.delete(account);
    changes.fire(account);
  }

  return {
    async fresh(account) {
      const session = sessions.get(account) ?? (await sessions.read(account));
      if (session === undefined || session.refreshToken === undefined || !isDue(session)) return session;
      if (results.recent(account).failure !== undefined) return session;
      try {
        return (await once(account, isDue)) ?? sessions.get(account);
      } catch (error) {
        // The old token may still be valid; the server decides.
        if (failureOfError(error) === undefined) throw error;
        return session;
      }
    },
    async renewed(account, token) {
      const { accessToken, failure } = results.recent(account);
      if (failure !== undefined) throw failure;
      if (accessToken === token) {
        if (!refused.has(account)) log.warn(`The instance rejects the token that it has just issued for ${account}.`);
        mark(account, true);
        return undefined;
      }
      const session = await once(account, (current) => current.accessToken === token);
      if (session === undefined || session.accessToken !== token) return session;
      return end(session, 'the instance rejected the token, and there is no refresh token');
    },
    isRefused: (account) => refused.has(account),
    onDidChange: changes.event,
  };
}

function nameOf({ account, instance }: Session): string {
  return `@${account.username} on ${nameOfInstance(instance)}`;
}

/** Returns the name of an instance for messages. */
function labelOf(instance: string): string {
  return isLocalKey(instance) ? l10n.t('Local server') : instance;
}
