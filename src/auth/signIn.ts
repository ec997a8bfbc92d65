import type { Send } from '../api/transport.ts';
import { accountKey, nameOfInstance } from '../instances/accountKey.ts';
import type { Instance, Reached } from '../instances/instances.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import { type Attempt, type BrowserWay, createAttempts, sessionIn } from './attempts.ts';
import { createCodeSignIn } from './codeSignIn.ts';
import type { SignInDialogs, Way } from './dialogs.ts';
import { createKeepSession } from './keepSession.ts';
import { isAccepted, sessionOfPersonalToken } from './newSession.ts';
import type { PendingCodes } from './pendingCodes.ts';
import { createRedirectSignIn } from './redirectSignIn.ts';
import type { Redirects } from './redirects.ts';
import { createRevokeSession } from './revokeSession.ts';
import { keyOf, type Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { signInFailure } from './signInFailure.ts';
import { createTokenSignIn } from './tokenSignIn.ts';
import type { WantedSession } from './wantedSession.ts';

export interface SignInSettings {
  readonly sessions: Sessions;
  readonly pendingCodes: PendingCodes;
  /** Undefined if the browser cannot redirect back to this editor. */
  readonly redirects: Redirects | undefined;
  readonly send: Send;
  readonly dialogs: SignInDialogs;
  /** Returns the instance with its address and starts it if it is the local server; undefined when that failed, which was shown. */
  readonly reach: (instance: Instance) => Promise<Reached | undefined>;
  readonly addresses: (instanceKey: string) => string | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly mask: Mask;
  readonly log: Log;
}

export interface SignIn {
  /**
   * Signs a user in, in the given way or in the one that the user selects; undefined when that failed, which was shown. Each instance has
   * one attempt in a browser at a time: a second attempt in the same way joins it and shows its page again, one in the other way replaces
   * it.
   */
  readonly signIn: (instance: Instance, way?: Way) => Promise<Session | undefined>;
  /**
   * Signs the account of a session in again, with a scope that it lacks; undefined when that failed, which was shown. Another account is
   * refused. Which account is current stays.
   */
  readonly signInAgain: (instance: Instance, wanted: WantedSession) => Promise<Session | undefined>;
  /** Resumes waiting for the codes that this window was waiting for before it was reloaded. */
  readonly resume: (instances: readonly Instance[]) => Promise<void>;
  /** Handles the parameters of a redirect that the editor received. Unexpected ones are ignored. */
  readonly redirected: (parameters: URLSearchParams, instances: readonly Instance[]) => Promise<void>;
  /** Deletes the session and revokes its tokens. A personal access token that the user entered is deleted only. */
  readonly signOut: (session: Session) => Promise<void>;
}

export function createSignIn(settings: SignInSettings): SignIn {
  const { sessions, pendingCodes, redirects, send, dialogs, addresses, now, sleep, mask, log } = settings;
  const requests = { send, now, sleep, mask };
  const revoke = createRevokeSession({ send, addresses, log });
  const keep = createKeepSession({ sessions, keepForNow: dialogs.keepForNow, revoke, log });
  const byCode = createCodeSignIn({ pendingCodes, requests, dialogs, keep, log });
  const byToken = createTokenSignIn({ requests, dialogs, keep, log });
  const byRedirect = createRedirectSignIn({ redirects, requests, dialogs, keep, log });
  const attempts = createAttempts();
  const { showFailure, orShowFailure } = createFailureMessages(settings);

  async function signIn(instance: Instance, givenWay?: Way): Promise<Session | undefined> {
    const way = givenWay ?? (await dialogs.chooseWay(instance, redirects !== undefined));
    return way === undefined ? undefined : signInBy(instance, way);
  }

  async function signInBy(instance: Instance, way: Way, wanted?: WantedSession): Promise<Session | undefined> {
    if (way === 'code' || way === 'redirect') return inBrowser(instance, way, wanted);
    const session = await orShowFailure(instance, async (reached) =>
      way === 'token' ? byToken(reached, wanted) : byPersona(reached, wanted),
    );
    return session === 'code' ? inBrowser(instance, 'code', wanted) : session;
  }

  async function byPersona(reached: Reached, wanted?: WantedSession): Promise<Session | 'code' | undefined> {
    const { instance, baseUrl } = reached;
    const persona = await dialogs.choosePersona(instance);
    if (persona === undefined || persona === 'code') return persona;
    const known = sessions.get(accountKey(instance.key, persona.id));
    if (wanted === undefined && known !== undefined && (await isAccepted(requests, baseUrl, known))) {
      await sessions.use(keyOf(known));
      return known;
    }
    return keep(instance, await sessionOfPersonalToken(requests, reached, await persona.token(), 'persona'), wanted);
  }

  async function inBrowser(instance: Instance, way: BrowserWay, wanted?: WantedSession): Promise<Session | undefined> {
    const wayOfAccount = wanted === undefined ? way : (`${way}/${wanted.id}` as const);
    const { attempt, isMine } = await attempts.run(instance.key, wayOfAccount, async (control) => {
      const attempted = await orShowFailure(instance, async (reached) =>
        way === 'code' ? byCode.attempt(reached, control.stop, wanted) : byRedirect.attempt(reached, control),
      );
      return attempted ?? 'cancelled';
    });
    return isMine ? followUp(instance, way, attempt, wanted) : sessionIn(attempt);
  }

  /** Returns the session of an attempt. After one without a session, the user can try again or, if need be, select another way. */
  async function followUp(
    instance: Instance,
    way: BrowserWay,
    attempt: Attempt,
    wanted?: WantedSession,
  ): Promise<Session | undefined> {
    if (await wantsAnother(instance, way, attempt)) return inBrowser(instance, way, wanted);
    if (attempt !== 'unsupported') return sessionIn(attempt);
    // A sign-in for a certain account is not offered by redirect, because the account is not stored across a reload of the window.
    const otherWay = await dialogs.chooseOtherWay(instance, redirects !== undefined && wanted === undefined);
    return otherWay === undefined ? undefined : signInBy(instance, otherWay, wanted);
  }

  /** Asks the user without blocking other sign-ins, because the question may stay open for long. */
  async function wantsAnother(instance: Instance, way: BrowserWay, attempt: Attempt): Promise<boolean> {
    if (attempt === 'expired') return dialogs.expired(instance, way);
    return attempt === 'denied' && dialogs.denied(instance);
  }

  async function redirected(parameters: URLSearchParams, instances: readonly Instance[]): Promise<void> {
    const request = await redirects?.receive(parameters);
    if (request === undefined) return;
    const wanted = instances.find(({ key }) => key === request.instance);
    if (wanted === undefined) {
      log.warn('Ignored a redirect: its instance is no longer configured.');
      return;
    }
    log.info(`Sign-in to ${wanted.label}: received the redirect of a sign-in started in another window or before a reload.`);
    const attempt = await orShowFailure(wanted, (reached) => byRedirect.resume(reached, request, parameters));
    await followUp(wanted, 'redirect', attempt ?? 'cancelled');
  }

  async function resume(instances: readonly Instance[]): Promise<void> {
    await Promise.all(
      (await pendingCodes.rest()).map(async (pending) => {
        const instance = instances.find(({ key }) => key === pending.instance);
        const baseUrl = addresses(pending.instance);
        if (instance === undefined || baseUrl === undefined) return;
        log.info(`Waiting again for the approval of the code for ${instance.label}.`);
        const { wanted } = pending;
        const way = wanted === undefined ? 'code' : (`code/${wanted.id}` as const);
        const { attempt, isMine } = await attempts.run(instance.key, way, async ({ stop }) => {
          try {
            return await byCode.resume({ instance, baseUrl }, pending, stop);
          } catch (error) {
            showFailure(instance, error);
            return 'cancelled';
          }
        });
        if (isMine) await followUp(instance, 'code', attempt, wanted);
      }),
    );
  }

  return {
    signIn,
    signInAgain: (instance, wanted) => signInBy(instance, 'code', wanted),
    resume,
    redirected,
    signOut: async (session) => {
      await sessions.remove(keyOf(session));
      await revoke(session);
      log.info(`Signed out @${session.account.username} from ${nameOfInstance(session.instance)}.`);
    },
  };
}

/** Creates the functions that show why a sign-in failed. They reject with errors that neither an instance nor the network causes. */
function createFailureMessages({ reach, dialogs, mask, log }: Pick<SignInSettings, 'reach' | 'dialogs' | 'mask' | 'log'>) {
  function showFailure(instance: Instance, error: unknown): void {
    const failure = signInFailure(instance, error);
    if (failure === undefined) throw error;
    log.error(`Sign-in to ${instance.label} failed: ${messageOf(error)}`);
    dialogs.failed(mask.apply(failure.text), failure.cause, instance);
  }

  /** Runs work at an instance. Returns undefined after a failure, which is shown. */
  async function orShowFailure<T>(instance: Instance, work: (reached: Reached) => Promise<T>): Promise<T | undefined> {
    const reached = await reach(instance);
    if (reached === undefined) return undefined;
    try {
      return await work(reached);
    } catch (error) {
      showFailure(instance, error);
      return undefined;
    }
  }

  return { showFailure, orShowFailure };
}
