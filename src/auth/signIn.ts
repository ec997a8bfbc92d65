import { randomUUID } from 'node:crypto';
import { createClient } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import type { Send } from '../api/transport.ts';
import { readUserBasic } from '../contract/identity.ts';
import type { DeviceAuthorization, TokenAnswer } from '../contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../contract/product.ts';
import type { Instance } from '../instances/instances.ts';
import { type Log, type Mask, wordsOf } from '../support/log.ts';
import { type Approval, awaitApproval, deviceAuthorizationRequest, processDeviceAuthorizationResponse } from './deviceFlow.ts';
import { keyOf, type Session, type Sessions, tokensOf } from './sessions.ts';
import { OAuthFailure, revokeRequest } from './tokenEndpoint.ts';

/** What the person sees of a sign-in, and what they answer. */
export interface SignInDialogs {
  /** Shows the code. `open`: it is copied, and the page is to be opened; `copied`: it is copied, for another device. */
  readonly showCode: (instance: Instance, authorization: DeviceAuthorization) => Promise<'open' | 'copied' | undefined>;
  /** Opens the page on which the code is approved. False when the person stepped back. */
  readonly openPage: (instance: Instance, authorization: DeviceAuthorization) => Promise<boolean>;
  /** Shows that the code is waited for until `deadline` (milliseconds since the epoch), and lets the person cancel. */
  readonly wait: (
    authorization: DeviceAuthorization,
    deadline: number,
    work: (signal: AbortSignal) => Promise<Approval>,
  ) => PromiseLike<Approval>;
  /** Whether the person wants another code. */
  readonly expired: (instance: Instance) => Promise<boolean>;
  readonly denied: (instance: Instance) => Promise<boolean>;
  /** Says why it failed, without waiting for anybody to read it. */
  readonly failed: (words: string, cause: 'unknownClient' | 'other') => void;
}

export interface SignInSettings {
  readonly sessions: Sessions;
  readonly send: Send;
  readonly dialogs: SignInDialogs;
  /** Address of the instance, which is started first when it is a local server; undefined when that failed and has been said. */
  readonly address: (instance: Instance) => Promise<string | undefined>;
  readonly addresses: (instanceKey: string) => string | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly mask: Mask;
  readonly log: Log;
}

export interface SignIn {
  /** Signs somebody in by a code; undefined when that did not happen, which the person has been told. One at a time per instance. */
  readonly signIn: (instance: Instance) => Promise<Session | undefined>;
  /** Forgets the session and revokes its tokens. */
  readonly signOut: (session: Session) => Promise<void>;
}

/** What became of one code. */
type Attempt = Session | 'expired' | 'denied' | 'given up';

/** The one scope asked for: it holds every read and write of the views. */
const SCOPE = 'api';
/** Signing out does not wait longer for the instance. */
const REVOKE_LIMIT = 5_000;

export function createSignIn(settings: SignInSettings): SignIn {
  const { sessions, send, dialogs, now, sleep, mask, log } = settings;
  const running = new Map<string, Promise<Attempt>>();

  async function signIn(instance: Instance): Promise<Session | undefined> {
    for (;;) {
      const current = running.get(instance.key);
      if (current !== undefined) return sessionIn(await current);
      const attempt = attemptOnce(instance).finally(() => running.delete(instance.key));
      running.set(instance.key, attempt);
      const outcome = await attempt;
      if (outcome === 'expired' || outcome === 'denied') {
        // A question may stay unanswered for long; meanwhile a new sign-in can be asked for.
        const wantsAnother = await (outcome === 'expired' ? dialogs.expired(instance) : dialogs.denied(instance));
        if (wantsAnother) continue;
      }
      return sessionIn(outcome);
    }
  }

  async function attemptOnce(instance: Instance): Promise<Attempt> {
    const baseUrl = await settings.address(instance);
    if (baseUrl === undefined) return 'given up';
    try {
      const approval = await approvalOfCode(instance, baseUrl);
      if (approval.kind === 'cancelled') return 'given up';
      if (approval.kind !== 'tokens') return approval.kind;
      return await begin(instance, baseUrl, approval.tokens);
    } catch (error) {
      sayWhy(instance, error);
      return 'given up';
    }
  }

  async function approvalOfCode(instance: Instance, baseUrl: string): Promise<Approval> {
    const client = { baseUrl, clientId: instance.clientId };
    const authorization = processDeviceAuthorizationResponse(await send(deviceAuthorizationRequest(client, SCOPE)));
    const deadline = now() + authorization.expires_in * 1000;
    mask.hide(authorization.device_code);
    mask.hide(authorization.user_code);
    const wish = await dialogs.showCode(instance, authorization);
    const isGivenUp = wish === undefined || (wish === 'open' && !(await dialogs.openPage(instance, authorization)));
    if (isGivenUp) return { kind: 'cancelled' };
    const approval = await dialogs.wait(authorization, deadline, (signal) => {
      const left = Math.max(0, deadline - now()) / 1000;
      const report = (words: string): void => log.warn(`Waiting for the approval of the code: ${words}`);
      return awaitApproval(client, { ...authorization, expires_in: left }, { send, signal, report, now, sleep });
    });
    log.info(`Sign-in on ${instance.label}: ${approval.kind === 'tokens' ? 'approved' : approval.kind}`);
    return approval;
  }

  async function begin(instance: Instance, baseUrl: string, tokens: TokenAnswer): Promise<Session> {
    mask.hide(tokens.access_token);
    if (tokens.refresh_token !== undefined) mask.hide(tokens.refresh_token);
    const session = await sessionOf(instance, baseUrl, tokens);
    const before = sessions.get(keyOf(session));
    await sessions.write(session);
    await sessions.use(keyOf(session));
    log.info(`Signed in as @${session.account.username} on ${instance.label}.`);
    if (before !== undefined) await revoke(before);
    return session;
  }

  async function sessionOf(instance: Instance, baseUrl: string, tokens: TokenAnswer): Promise<Session> {
    const credentials = { token: async () => tokens.access_token, renewed: async () => undefined };
    const user = await createClient({ baseUrl, send, credentials, now, sleep }).get('/user', readUserBasic);
    return {
      id: randomUUID(),
      instance: instance.key,
      credential: 'oauth',
      clientId: instance.clientId,
      account: { id: user.id, username: user.username, name: user.name },
      scopes: (tokens.scope ?? SCOPE).split(' ').filter(Boolean),
      ...tokensOf(tokens, now()),
    };
  }

  function sayWhy(instance: Instance, error: unknown): void {
    const failure = failureOfError(error);
    if (failure === undefined && !(error instanceof OAuthFailure)) throw error;
    log.error(`Sign-in on ${instance.label} failed: ${wordsOf(error)}`);
    const isUnknownClient =
      error instanceof OAuthFailure && (error.code === 'invalid_client' || error.code === 'unauthorized_client');
    if (!isUnknownClient) {
      dialogs.failed(failure?.message ?? `${instance.label} answered: ${wordsOf(error)}`, 'other');
      return;
    }
    const words =
      instance.clientId === EXTENSION_CLIENT_ID
        ? `${instance.label} does not know this extension. Register an application there (not confidential, scope "api", device ` +
          'authorization allowed) and write its Application ID as clientId of this instance into the setting signalbox.instances.'
        : `${instance.label} does not know the application ${instance.clientId}. Check clientId of this instance in the setting ` +
          'signalbox.instances: it has to be the Application ID of an application that is not confidential.';
    dialogs.failed(words, 'unknownClient');
  }

  async function revoke({ instance, clientId, account, accessToken, refreshToken }: Session): Promise<void> {
    const baseUrl = settings.addresses(instance);
    const whose = `the tokens of @${account.username} on ${instance}`;
    if (baseUrl === undefined) {
      log.warn(`Could not revoke ${whose}: the local server does not run. They are deleted here.`);
      return;
    }
    // An expired access token is found no more, but the refresh token of the same sign-in still is.
    for (const token of refreshToken === undefined ? [accessToken] : [accessToken, refreshToken]) {
      try {
        const { status } = await send(revokeRequest(baseUrl, clientId, token), AbortSignal.timeout(REVOKE_LIMIT));
        if (status !== 200) log.warn(`${instance} refused to revoke ${whose} (status ${status}). They are deleted here.`);
      } catch (error) {
        log.warn(`Could not revoke ${whose}: ${wordsOf(error)}. They are deleted here.`);
      }
    }
  }

  return {
    signIn,
    signOut: async (session) => {
      await sessions.remove(keyOf(session));
      await revoke(session);
      log.info(`Signed out @${session.account.username} on ${session.instance}.`);
    },
  };
}

function sessionIn(attempt: Attempt): Session | undefined {
  return typeof attempt === 'string' ? undefined : attempt;
}
