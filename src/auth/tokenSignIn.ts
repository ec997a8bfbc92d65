import type { Reached } from '../instances/instances.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { SignInDialogs } from './dialogs.ts';
import type { KeepSession } from './keepSession.ts';
import { sessionOfPersonalToken, type TokenRequests } from './newSession.ts';
import type { Session } from './session.ts';
import { signInFailure } from './signInFailure.ts';
import type { WantedSession } from './wantedSession.ts';

/**
 * Creates the sign-in with a personal access token that the user enters. A token that the instance does not accept can be corrected. Resolves
 * to undefined when the user cancelled.
 */
export function createTokenSignIn(settings: {
  readonly requests: TokenRequests;
  readonly dialogs: Pick<SignInDialogs, 'askToken'>;
  readonly keep: KeepSession;
  readonly log: Log;
}): (reached: Reached, wanted?: WantedSession) => Promise<Session | undefined> {
  const { requests, dialogs, keep, log } = settings;
  return async (reached, wanted) => {
    const { instance } = reached;
    let session: Session | undefined;
    await dialogs.askToken(reached, async (token) => {
      try {
        session = await sessionOfPersonalToken(requests, reached, token, 'token');
        return undefined;
      } catch (error) {
        const failure = signInFailure(instance, error);
        if (failure === undefined) throw error;
        log.error(`Sign-in to ${instance.label} failed: ${messageOf(error)}`);
        return requests.mask.apply(failure.text);
      }
    });
    return session === undefined ? undefined : keep(instance, session, wanted);
  };
}
