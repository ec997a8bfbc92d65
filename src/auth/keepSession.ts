import { ApiFailure } from '../api/failures.ts';
import type { Instance } from '../instances/instances.ts';
import type { Log } from '../support/log.ts';
import { keyOf, type Session } from './session.ts';
import { refusalOf, type WantedSession } from './wantedSession.ts';
import type { Sessions } from './sessions.ts';

/**
 * Stores a new session and makes it current; undefined when it cannot be stored and the user does not want it in memory only. One that has to
 * replace the session of a certain account does not change which account is current. Rejects with an `ApiFailure` if it is of another account.
 */
export type KeepSession = (instance: Instance, session: Session, wanted?: WantedSession) => Promise<Session | undefined>;

export function createKeepSession(settings: {
  readonly sessions: Sessions;
  /** Returns true if a session that the secret storage rejected has to be kept until the window closes. */
  readonly keepForNow: (instance: Instance) => PromiseLike<boolean>;
  readonly revoke: (session: Session) => Promise<void>;
  readonly log: Log;
}): KeepSession {
  const { sessions, keepForNow, revoke, log } = settings;
  /** The user has agreed to keep sessions in memory, so they are not asked again. */
  let keepsInMemory = false;

  return async (instance, session, wanted) => {
    const key = keyOf(session);
    const refusal = wanted && refusalOf(session, wanted);
    if (refusal !== undefined) {
      await revoke(session);
      throw new ApiFailure('refused', refusal);
    }
    const before = sessions.get(key);
    const isStored = await sessions.write(session);
    keepsInMemory ||= !isStored && (await keepForNow(instance));
    if (!isStored && !keepsInMemory) {
      await sessions.remove(key);
      await revoke(session);
      return undefined;
    }
    if (wanted === undefined) await sessions.use(key);
    log.info(`Signed in to ${instance.label} as @${session.account.username}.`);
    if (before !== undefined && before.accessToken !== session.accessToken) await revoke(before);
    return session;
  };
}
