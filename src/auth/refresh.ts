import * as l10n from '@vscode/l10n';
import type { Event } from 'vscode';
import { ApiFailure, failureOfError } from '../api/failures.ts';
import { type Send, TransportFailure } from '../api/transport.ts';
import { isLocalKey, nameOfInstance } from '../instances/accountKey.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { LockBusy, type MachineLock } from '../support/machineLock.ts';
import { keyOf, type Session, type Sessions, tokensOf } from './sessions.ts';
import { OAuthFailure, processTokenResponse, refreshRequest } from './tokenEndpoint.ts';

/** Valid tokens, renewed when they have to be. Accounts are named by their account key. */
export interface Refresh {
  /** The session, renewed first when its token is about to expire; undefined when there is none (any more). */
  readonly fresh: (account: string) => Promise<Session | undefined>;
  /**
   * The session with another access token than the one the server refused; undefined when the person must sign in again, or when the
   * server refuses what it has just given. Rejects with an `ApiFailure` when that cannot be known now.
   */
  readonly renewed: (account: string, refused: string) => Promise<Session | undefined>;
  /** Whether the server refuses the tokens that it gives for this account. */
  readonly isRefused: (account: string) => boolean;
  /** What `isRefused` says of the account has changed. */
  readonly onDidChange: Event<string>;
}

export interface RefreshSettings {
  readonly sessions: Sessions;
  readonly send: Send;
  /** Address of an instance now; undefined while it has none, as a local server that is stopped. */
  readonly addresses: (instance: string) => string | undefined;
  /** Held while an account is renewed, in every process of this machine. */
  readonly lock: MachineLock;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Log;
}

/** Renewed so long before its end, or at a quarter of a short life. */
const AHEAD = 5 * 60_000;
/** A refresh whose answer got lost is not sent again sooner: the server may have spent the token, and a replay ends the family. */
const AFTER_LOST_RESPONSE = 10_000;
/** How long a window on another machine, which has just spent the same refresh token, may take to store what it got. */
const OTHER_WINDOW = 2_000;
/** After a refresh that did not help, the account is left alone for so long. */
const COOL_DOWN = 60_000;

/**
 * Renews sessions, each at most once at a time on this machine. The decision is taken inside the lock and on what the secret storage
 * says at that moment, because other windows renew the same session.
 */
export function createRefresh(settings: RefreshSettings): Refresh {
  const { sessions, send, addresses, lock, now, sleep, log } = settings;
  const running = new Map<string, Promise<Session | undefined>>();
  const lost = new Map<string, { readonly refreshToken: string; readonly at: number }>();
  /** The latest refresh of an account: the token it gave, or the failure it met. */
  const latest = new Map<string, { readonly at: number; readonly accessToken?: string; readonly failure?: ApiFailure }>();
  const refused = new Set<string>();
  const changes = createEmitter<string>();

  function once(account: string, isSpent: (session: Session) => boolean): Promise<Session | undefined> {
    const current = running.get(account) ?? renewAlone(account, isSpent).finally(() => running.delete(account));
    running.set(account, current);
    return current;
  }

  async function renewAlone(account: string, isSpent: (session: Session) => boolean): Promise<Session | undefined> {
    try {
      return await lock(account, () => renew(account, isSpent));
    } catch (error) {
      if (!(error instanceof LockBusy)) throw error;
      throw new ApiFailure('timedOut', l10n.t('Timed out waiting for another window to renew this sign-in'), { cause: error });
    }
  }

  async function renew(account: string, isSpent: (session: Session) => boolean): Promise<Session | undefined> {
    const session = await sessions.read(account);
    if (session?.refreshToken === undefined || !isSpent(session)) return session;
    const address = addresses(session.instance);
    if (address === undefined) throw new ApiFailure('unreachable', l10n.t('{0} is not running', labelOf(session.instance)));
    const before = lost.get(account);
    if (before?.refreshToken === session.refreshToken && now() - before.at < AFTER_LOST_RESPONSE) {
      throw new ApiFailure('timedOut', l10n.t('The response to the renewal of the sign-in was lost. Try again in a few seconds'));
    }
    return context(account, session, session.refreshToken, address);
  }

  async function context(account: string, session: Session, refreshToken: string, address: string): Promise<Session | undefined> {
    try {
      const tokens = tokensOf(processTokenResponse(await send(refreshRequest(address, session.clientId, refreshToken))), now());
      const { expiry: _, ...cached } = session;
      const renewed: Session = { ...cached, ...tokens };
      await sessions.write(renewed);
      lost.delete(account);
      latest.set(account, { at: now(), accessToken: renewed.accessToken });
      mark(account, false);
      log.info(`Renewed the sign-in of ${nameOf(session)}.`);
      return renewed;
    } catch (error) {
      const neverSent = error instanceof TransportFailure && error.kind === 'unreachable';
      if (error instanceof TransportFailure && !neverSent) lost.set(account, { refreshToken, at: now() });
      if (!(error instanceof OAuthFailure)) throw failureOfError(error) ?? error;
      if (error.code === 'not_oauth' || error.status >= 500) {
        const { status, message } = error;
        const failure = new ApiFailure('unavailable', l10n.t('The sign-in could not be renewed: {0}', message), { status });
        latest.set(account, { at: now(), failure });
        throw failure;
      }
      return (await fromOtherWindow(account, session)) ?? end(session, error.message);
    }
  }

  async function end(session: Session, why: string): Promise<undefined> {
    log.warn(`The sign-in of ${nameOf(session)} has ended: ${why}`);
    mark(keyOf(session), false);
    await sessions.end(session);
  }

  /** What a window on another machine stored after it spent the same refresh token first. */
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

  /** The latest refresh while it is so recent that another one would help nobody. */
  function recent(account: string): { readonly accessToken?: string; readonly failure?: ApiFailure } {
    const last = latest.get(account);
    return last !== undefined && now() - last.at < COOL_DOWN ? last : {};
  }

  return {
    async fresh(account) {
      const session = sessions.get(account) ?? (await sessions.read(account));
      if (session === undefined || session.refreshToken === undefined || !isDue(session)) return session;
      if (recent(account).failure !== undefined) return session;
      try {
        return (await once(account, isDue)) ?? sessions.get(account);
      } catch (error) {
        // The old token may still do; the server decides.
        if (failureOfError(error) === undefined) throw error;
        return session;
      }
    },
    async renewed(account, token) {
      const { accessToken, failure } = recent(account);
      if (failure !== undefined) throw failure;
      if (accessToken === token) {
        if (!refused.has(account)) log.warn(`The platform refuses the token that it has just given for ${account}.`);
        mark(account, true);
        return undefined;
      }
      const session = await once(account, (current) => current.accessToken === token);
      if (session === undefined || session.accessToken !== token) return session;
      return end(session, 'the platform refused the token, and there is no refresh token');
    },
    isRefused: (account) => refused.has(account),
    onDidChange: changes.event,
  };
}

function nameOf({ account, instance }: Session): string {
  return `@${account.username} on ${nameOfInstance(instance)}`;
}

/** An instance as people know it. */
function labelOf(instance: string): string {
  return isLocalKey(instance) ? l10n.t('Local server') : instance;
}
