import type { Reached } from '../instances/instances.ts';
import type { Log } from '../support/log.ts';
import type { Attempt } from './attempts.ts';
import type { CodeDialogs } from './codeDialogs.ts';
import {
  awaitApproval,
  deviceAuthorizationRequest,
  isWithoutDeviceGrant,
  processDeviceAuthorizationResponse,
} from './deviceFlow.ts';
import type { KeepSession } from './keepSession.ts';
import { sessionOfTokens, type TokenRequests } from './newSession.ts';
import type { PendingCode, PendingCodes } from './pendingCodes.ts';
import { OAuthFailure } from './tokenEndpoint.ts';
import { scopesToRequest, type WantedSession } from './wantedSession.ts';

export interface CodeSignInSettings {
  readonly pendingCodes: PendingCodes;
  readonly requests: TokenRequests;
  readonly dialogs: CodeDialogs;
  readonly keep: KeepSession;
  readonly log: Log;
}

/** Signs a user in with a code that is approved in a browser (RFC 8628). Attempts reject if the instance or the network fails. */
export interface CodeSignIn {
  /** Requests a code, shows it and waits for its approval. */
  readonly attempt: (reached: Reached, stop: AbortSignal, wanted?: WantedSession) => Promise<Attempt>;
  /** Waits for the approval of a code that was shown before this window was reloaded. */
  readonly resume: (reached: Reached, pending: PendingCode, stop: AbortSignal) => Promise<Attempt>;
}

export function createCodeSignIn({ pendingCodes, requests, dialogs, keep, log }: CodeSignInSettings): CodeSignIn {
  const { send, now, sleep, mask } = requests;

  async function attempt(reached: Reached, stop: AbortSignal, wanted?: WantedSession): Promise<Attempt> {
    const { instance, baseUrl } = reached;
    const { key, clientId } = instance;
    const response = await send(deviceAuthorizationRequest({ baseUrl, clientId }, scopesToRequest(wanted)));
    if (isWithoutDeviceGrant(response)) {
      log.info(`${instance.label} has no sign-in with a code (status ${response.status}).`);
      return 'unsupported';
    }
    const authorization = processDeviceAuthorizationResponse(response);
    mask.hide(authorization.device_code);
    mask.hide(authorization.user_code);
    const deadline = now() + authorization.expires_in * 1000;
    const pending = await pendingCodes.save({
      ...{ instance: key, clientId, authorization, deadline },
      ...(wanted === undefined ? {} : { wanted }),
    });
    return outcomeOf(reached, pending, stop, async () => {
      const input = await dialogs.showCode(instance, authorization);
      return input === 'copied' || (input === 'open' && (await dialogs.openPage(instance, authorization)));
    });
  }

  /** Waits for the approval of a code after `isShown` resolves to true. */
  async function outcomeOf(
    reached: Reached,
    pending: PendingCode,
    stop: AbortSignal,
    isShown: () => Promise<boolean>,
  ): Promise<Attempt> {
    const { instance, baseUrl } = reached;
    const { authorization, deadline, clientId, wanted } = pending;
    try {
      if (!(await isShown())) return 'cancelled';
      const approval = await dialogs.wait(authorization, deadline, (cancelled) => {
        const signal = AbortSignal.any([cancelled, stop]);
        const left = Math.max(0, deadline - now()) / 1000;
        const report = (text: string): void => log.warn(`Could not check whether the code is approved: ${text}`);
        const client = { baseUrl, clientId };
        return awaitApproval(client, { ...authorization, expires_in: left }, { send, signal, report, now, sleep });
      });
      log.info(`Sign-in to ${instance.label}: ${approval.kind === 'tokens' ? 'approved' : approval.kind}`);
      if (approval.kind === 'cancelled') return 'cancelled';
      if (approval.kind !== 'tokens') return approval.kind;
      const tokens = { scope: scopesToRequest(wanted), ...approval.tokens };
      return (await keep(instance, await sessionOfTokens(requests, reached, clientId, tokens), wanted)) ?? 'cancelled';
    } catch (error) {
      // The local server can emulate another release while a code waits for its approval.
      if (error instanceof OAuthFailure && error.code === 'unsupported_grant_type') return 'unsupported';
      throw error;
    } finally {
      await pendingCodes.forget(pending);
    }
  }

  return { attempt, resume: (reached, pending, stop) => outcomeOf(reached, pending, stop, async () => true) };
}
