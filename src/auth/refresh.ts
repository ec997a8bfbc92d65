import { ApiFailure, failureOfError } from '../api/failures.ts';
import { type Send, TransportFailure } from '../api/transport.ts';
import type { Log } from '../support/log.ts';
import { type Session, type Sessions, tokensOf } from './sessions.ts';
import { OAuthFailure, processTokenResponse, refreshRequest } from './tokenEndpoint.ts';

/** Valid tokens, renewed when they have to be. */
export interface Refresh {
  /** The session, renewed first when its token is about to expire; undefined when there is none (any more). */
  readonly fresh: (instance: string) => Promise<Session | undefined>;
  /**
   * The session with another access token than the one the server refused; undefined when the person must sign in again. Rejects with
   * an `ApiFailure` when that cannot be known now.
   */
  readonly renewed: (instance: string, refused: string) => Promise<Session | undefined>;
}

export interface RefreshSettings {
  readonly sessions: Sessions;
  readonly send: Send;
  /** Address of an instance now; undefined while it has none, as a local server that is stopped. */
  readonly addresses: (instance: string) => string | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Log;
}

/** Renewed so long before its end, or at a quarter of a short life. */
const AHEAD = 5 * 60_000;
/** A refresh whose answer got lost is not sent again sooner: the server may have spent the token, and a replay ends the family. */
const AFTER_LOST_ANSWER = 10_000;
/** How long another window, which has just spent the same refresh token, may take to store what it got. */
const OTHER_WINDOW = 2_000;

/**
 * Renews sessions, each at most once at a time in this process. The decision is taken on what the secret storage says at that moment,
 * because other windows renew the same session.
 */
export function createRefresh(settings: RefreshSettings): Refresh {
  const { sessions, send, addresses, now, sleep, log } = settings;
  const running = new Map<string, Promise<Session | undefined>>();
  const lost = new Map<string, { readonly refreshToken: string; readonly at: number }>();

  function once(instance: string, isSpent: (session: Session) => boolean): Promise<Session | undefined> {
    const current = running.get(instance) ?? renew(instance, isSpent).finally(() => running.delete(instance));
    running.set(instance, current);
    return current;
  }

  async function renew(instance: string, isSpent: (session: Session) => boolean): Promise<Session | undefined> {
    const session = await sessions.read(instance);
    if (session?.refreshToken === undefined || !isSpent(session)) return session;
    const address = addresses(instance);
    if (address === undefined) throw new ApiFailure('unreachable', `${instance} has no address now`);
    const before = lost.get(instance);
    if (before?.refreshToken === session.refreshToken && now() - before.at < AFTER_LOST_ANSWER) {
      throw new ApiFailure(
        'timedOut',
        'the sign-in is being renewed, and the answer to that got lost; try again in some seconds',
      );
    }
    return exchange(session, session.refreshToken, address);
  }

  async function exchange(session: Session, refreshToken: string, address: string): Promise<Session | undefined> {
    const { instance, account } = session;
    try {
      const tokens = tokensOf(processTokenResponse(await send(refreshRequest(address, session.clientId, refreshToken))), now());
      const { expiry: _, ...kept } = session;
      const renewed: Session = { ...kept, ...tokens };
      await sessions.write(renewed);
      lost.delete(instance);
      log.info(`Renewed the sign-in of @${account.username} on ${instance}.`);
      return renewed;
    } catch (error) {
      const neverSent = error instanceof TransportFailure && error.kind === 'unreachable';
      if (error instanceof TransportFailure && !neverSent) lost.set(instance, { refreshToken, at: now() });
      if (!(error instanceof OAuthFailure)) throw failureOfError(error) ?? error;
      if (error.code === 'not_oauth' || error.status >= 500) {
        throw new ApiFailure('unavailable', `the sign-in could not be renewed: ${error.message}`, { status: error.status });
      }
      return (await fromOtherWindow(session)) ?? end(session, error.message);
    }
  }

  async function end({ instance, account }: Session, why: string): Promise<undefined> {
    log.warn(`The sign-in of @${account.username} on ${instance} has ended: ${why}`);
    await sessions.remove(instance);
  }

  /** What another window stored after it spent the same refresh token first. */
  async function fromOtherWindow(spent: Session): Promise<Session | undefined> {
    for (const pause of [0, OTHER_WINDOW / 4, OTHER_WINDOW]) {
      await sleep(pause);
      const session = await sessions.read(spent.instance);
      if (session !== undefined && session.accessToken !== spent.accessToken) return session;
    }
    return undefined;
  }

  function isDue({ expiry }: Session): boolean {
    return expiry !== undefined && expiry.at - now() <= Math.min(AHEAD, expiry.lifetime / 4);
  }

  return {
    async fresh(instance) {
      const session = sessions.get(instance) ?? (await sessions.read(instance));
      if (session === undefined || session.refreshToken === undefined || !isDue(session)) return session;
      try {
        return (await once(instance, isDue)) ?? sessions.get(instance);
      } catch (error) {
        // The old token may still do; the server decides.
        if (failureOfError(error) === undefined) throw error;
        return session;
      }
    },
    async renewed(instance, refused) {
      const session = await once(instance, (current) => current.accessToken === refused);
      if (session === undefined || session.accessToken !== refused) return session;
      return end(session, 'the platform refused the token, and there is no refresh token');
    },
  };
}
