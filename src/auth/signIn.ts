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
import { type Session, type Sessions, tokensOf } from './sessions.ts';
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
  readonly failed: (instance: Instance, words: string, cause: 'unknownClient' | 'other') => Promise<void>;
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

/** The one scope asked for: it holds every read and write of the views. */
const SCOPE = 'api';
/** Signing out does not wait longer for the instance. */
const REVOKE_LIMIT = 5_000;

export function createSignIn(settings: SignInSettings): SignIn {
  const { sessions, send, dialogs, now, sleep, mask, log } = settings;
  const running = new Map<string, Promise<Session | undefined>>();

  async function signInOnce(instance: Instance): Promise<Session | undefined> {
    const baseUrl = await settings.address(instance);
    if (baseUrl === undefined) return undefined;
    try {
      const tokens = await tokensByCode(instance, baseUrl);
      if (tokens === undefined) return undefined;
      mask.hide(tokens.access_token);
      const before = sessions.get(instance.key);
      const session = await sessionOf(instance, baseUrl, tokens);
      await sessions.write(session);
      log.info(`Signed in as @${session.account.username} on ${instance.label}.`);
      if (before !== undefined) await revoke(before);
      return session;
    } catch (error) {
      await sayWhy(instance, error);
      return undefined;
    }
  }

  /** One code after the other until one is approved or the person has had enough. */
  async function tokensByCode(instance: Instance, baseUrl: string): Promise<TokenAnswer | undefined> {
    const client = { baseUrl, clientId: instance.clientId };
    for (;;) {
      const authorization = processDeviceAuthorizationResponse(await send(deviceAuthorizationRequest(client, SCOPE)));
      const deadline = now() + authorization.expires_in * 1000;
      mask.hide(authorization.device_code);
      mask.hide(authorization.user_code);
      const wish = await dialogs.showCode(instance, authorization);
      if (wish === undefined || (wish === 'open' && !(await dialogs.openPage(instance, authorization)))) return undefined;
      const approval = await dialogs.wait(authorization, deadline, (signal) => {
        const left = Math.max(0, deadline - now()) / 1000;
        const report = (words: string): void => log.warn(`Waiting for the approval of the code: ${words}`);
        return awaitApproval(client, { ...authorization, expires_in: left }, { send, signal, report, now, sleep });
      });
      log.info(`Sign-in on ${instance.label}: ${approval.kind === 'tokens' ? 'approved' : approval.kind}`);
      if (approval.kind === 'tokens') return approval.tokens;
      if (approval.kind === 'cancelled') return undefined;
      if (!(await (approval.kind === 'expired' ? dialogs.expired(instance) : dialogs.denied(instance)))) return undefined;
    }
  }

  async function sessionOf(instance: Instance, baseUrl: string, tokens: TokenAnswer): Promise<Session> {
    const credentials = { token: async () => tokens.access_token, renewed: async () => undefined };
    const user = await createClient({ baseUrl, send, credentials, now, sleep }).get('/user', readUserBasic);
    return {
      id: randomUUID(),
      instance: instance.key,
      clientId: instance.clientId,
      account: { id: user.id, username: user.username, name: user.name },
      scopes: (tokens.scope ?? SCOPE).split(' ').filter(Boolean),
      ...tokensOf(tokens, now()),
    };
  }

  async function sayWhy(instance: Instance, error: unknown): Promise<void> {
    const failure = failureOfError(error);
    if (failure === undefined && !(error instanceof OAuthFailure)) throw error;
    log.error(`Sign-in on ${instance.label} failed: ${wordsOf(error)}`);
    const isUnknownClient =
      error instanceof OAuthFailure && (error.code === 'invalid_client' || error.code === 'unauthorized_client');
    if (!isUnknownClient)
      return dialogs.failed(instance, failure?.message ?? `${instance.label} answered: ${wordsOf(error)}`, 'other');
    const words =
      instance.clientId === EXTENSION_CLIENT_ID
        ? `${instance.label} does not know this extension. Register an application there (not confidential, scope "api", device ` +
          'authorization allowed) and write its Application ID as clientId of this instance into the setting signalbox.instances.'
        : `${instance.label} does not know the application ${instance.clientId}. Check clientId of this instance in the setting ` +
          'signalbox.instances: it has to be the Application ID of an application that is not confidential.';
    return dialogs.failed(instance, words, 'unknownClient');
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
    signIn: (instance) => {
      const current = running.get(instance.key) ?? signInOnce(instance).finally(() => running.delete(instance.key));
      running.set(instance.key, current);
      return current;
    },
    signOut: async (session) => {
      await sessions.remove(session.instance);
      await revoke(session);
      log.info(`Signed out @${session.account.username} on ${session.instance}.`);
    },
  };
}
