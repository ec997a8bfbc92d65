import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { type Client, createClient } from '../api/client.ts';
import { ApiFailure, failureOfError } from '../api/failures.ts';
import type { Send, WireRequest } from '../api/transport.ts';
import { readPersonalToken, readUserBasic, type UserBasic } from '../contract/identity.ts';
import type { DeviceAuthorization, TokenResponse } from '../contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../contract/product.ts';
import { accountKey, nameOfInstance } from '../instances/accountKey.ts';
import type { Instance } from '../instances/instances.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import { type Approval, awaitApproval, deviceAuthorizationRequest, processDeviceAuthorizationResponse } from './deviceFlow.ts';
import type { PendingCode, PendingCodes } from './pendingCodes.ts';
import type { PendingRedirect } from './pendingRedirects.ts';
import { codeTokenRequest, readRedirect, type RedirectResponse } from './redirectFlow.ts';
import type { RedirectAttempt, RedirectOutcome, Redirects } from './redirects.ts';
import { type Account, keyOf, type Session, type Sessions, tokensOf } from './sessions.ts';
import { OAuthFailure, processTokenResponse, revokeRequest } from './tokenEndpoint.ts';

/** Ways to approve a sign-in in a browser: by entering a code, or on a page that redirects back to the editor. */
export type BrowserWay = 'code' | 'redirect';
/** Ways to sign in. `persona`: as a user of the local server, without approval. */
export type Way = BrowserWay | 'token' | 'persona';

/** A user of the local server for whom a token can be created. */
export interface Persona {
  readonly id: number;
  readonly token: () => Promise<string>;
}

/** User interface of a sign-in. */
export interface SignInDialogs {
  /** Returns how to sign in; undefined when the user cancelled. `hasRedirects`: the browser can redirect back to this editor. */
  readonly chooseWay: (instance: Instance, hasRedirects: boolean) => PromiseLike<Way | undefined>;
  /** Returns a personal access token; undefined when the user cancelled. */
  readonly askToken: (instance: Instance) => PromiseLike<string | undefined>;
  /**
   * Returns the user of the local server to sign in as, or `code` to sign in with a code instead. Rejects with an `ApiFailure` or a
   * `TransportFailure`.
   */
  readonly choosePersona: () => Promise<Persona | 'code' | undefined>;
  /** Shows the code. `open`: it was copied and the page has to be opened; `copied`: it is for another device. */
  readonly showCode: (instance: Instance, authorization: DeviceAuthorization) => Promise<'open' | 'copied' | undefined>;
  /** Opens the page on which the code is approved. Returns false when the user cancelled. */
  readonly openPage: (instance: Instance, authorization: DeviceAuthorization) => Promise<boolean>;
  /** Shows a cancellable progress notification until `deadline` (milliseconds since the epoch). */
  readonly wait: (
    authorization: DeviceAuthorization,
    deadline: number,
    work: (signal: AbortSignal) => Promise<Approval>,
  ) => PromiseLike<Approval>;
  /** Opens the page that redirects back, or copies its URL. Returns false when the user cancelled. */
  readonly showPage: (instance: Instance, attempt: RedirectAttempt) => Promise<boolean>;
  /** Shows a cancellable progress notification with a hint on what can prevent the redirect. */
  readonly waitForRedirect: (
    instance: Instance,
    attempt: RedirectAttempt,
    work: (signal: AbortSignal) => Promise<RedirectOutcome>,
  ) => PromiseLike<RedirectOutcome>;
  /** Returns true if the user wants to try again. */
  readonly expired: (instance: Instance, way: BrowserWay) => Promise<boolean>;
  readonly denied: (instance: Instance) => Promise<boolean>;
  /** Returns true if a session that the secret storage rejected has to be kept until the window closes. */
  readonly keepForNow: (instance: Instance) => PromiseLike<boolean>;
  /** Shows why the sign-in failed, without waiting for the user. */
  readonly failed: (text: string, cause: 'unknownClient' | 'other') => void;
}

/** An instance that has an address. Which data a local server has, and so which instance it is, is known only while it runs. */
export interface Reached {
  readonly instance: Instance;
  readonly baseUrl: string;
}

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
  /** Resumes waiting for the codes that this window was waiting for before it was reloaded. */
  readonly resume: (instances: readonly Instance[]) => Promise<void>;
  /** Handles the parameters of a redirect that the editor received. Unexpected ones are ignored. */
  readonly redirected: (parameters: URLSearchParams, instances: readonly Instance[]) => Promise<void>;
  /** Deletes the session and revokes its tokens. A personal access token that the user entered is deleted only. */
  readonly signOut: (session: Session) => Promise<void>;
}

/** Result of one attempt in the browser. */
type Attempt = Session | 'expired' | 'denied' | 'cancelled';

/** An attempt in progress. */
interface Running {
  readonly way: BrowserWay;
  readonly attempt: Promise<Attempt>;
  readonly stop: AbortController;
}

/** The only requested scope; it covers every read and write of the views. */
const SCOPE = 'api';
/** A personal access token needs one of these scopes. */
const USEFUL_SCOPES: readonly string[] = ['api', 'read_api'];
/** Maximum time that signing out waits for the instance, in milliseconds. */
const REVOKE_LIMIT = 5_000;

export function createSignIn(settings: SignInSettings): SignIn {
  const { sessions, pendingCodes, redirects, send, dialogs, now, sleep, mask, log } = settings;
  const running = new Map<string, Running>();
  /** Functions that show the page of a pending redirect again, by instance key. */
  const pages = new Map<string, () => Promise<boolean>>();
  /** The user has agreed to keep sessions in memory, so they are not asked again. */
  let keepsInMemory = false;

  async function signIn(instance: Instance, givenWay?: Way): Promise<Session | undefined> {
    const way = givenWay ?? (await dialogs.chooseWay(instance, redirects !== undefined));
    if (way === undefined) return undefined;
    if (way === 'code' || way === 'redirect') return inBrowser(instance, way);
    const session = await orShowFailure(instance, async (reached) => (way === 'token' ? byToken(reached) : byPersona(reached)));
    return session === 'code' ? inBrowser(instance, 'code') : session;
  }

  async function orShowFailure<T>(instance: Instance, work: (reached: Reached) => Promise<T>): Promise<T | undefined> {
    const reached = await settings.reach(instance);
    if (reached === undefined) return undefined;
    try {
      return await work(reached);
    } catch (error) {
      showFailure(instance, error);
      return undefined;
    }
  }

  async function byToken({ instance, baseUrl }: Reached): Promise<Session | undefined> {
    const token = (await dialogs.askToken(instance))?.trim();
    if (token === undefined || token === '') return undefined;
    return begin(instance, await sessionOfToken(instance, baseUrl, token, 'token'));
  }

  async function byPersona({ instance, baseUrl }: Reached): Promise<Session | 'code' | undefined> {
    const persona = await dialogs.choosePersona();
    if (persona === undefined || persona === 'code') return persona;
    const known = sessions.get(accountKey(instance.key, persona.id));
    if (known !== undefined && (await isAccepted(baseUrl, known))) {
      await sessions.use(keyOf(known));
      return known;
    }
    return begin(instance, await sessionOfToken(instance, baseUrl, await persona.token(), 'persona'));
  }

  /** Returns true if the session can still be used. One with a refresh token can be renewed, so it is not checked. */
  async function isAccepted(baseUrl: string, { accessToken, refreshToken, account }: Session): Promise<boolean> {
    if (refreshToken !== undefined) return true;
    try {
      return (await clientOf(baseUrl, accessToken).get('/user', readUserBasic)).id === account.id;
    } catch (error) {
      if (failureOfError(error)?.kind !== 'signedOut') throw error;
      return false;
    }
  }

  async function inBrowser(instance: Instance, way: BrowserWay): Promise<Session | undefined> {
    const attemptOnce = way === 'code' ? attemptByCode : attemptByRedirect;
    for (;;) {
      const outcome = await oneAtATime(instance, way, (stop) => attemptOnce(instance, stop));
      if (outcome.isMine && (await wantsAnother(instance, way, outcome.attempt))) continue;
      return sessionIn(outcome.attempt);
    }
  }

  async function oneAtATime(
    instance: Instance,
    way: BrowserWay,
    work: (stop: AbortSignal) => Promise<Attempt>,
  ): Promise<{ readonly attempt: Attempt; readonly isMine: boolean }> {
    for (let current = running.get(instance.key); current !== undefined; current = running.get(instance.key)) {
      if (current.way === way) {
        void pages.get(instance.key)?.();
        return { attempt: await current.attempt, isMine: false };
      }
      current.stop.abort();
      // The caller that started it handles its failure.
      const attempt = await current.attempt.catch(() => 'cancelled' as const);
      // Approved before it could be stopped.
      if (sessionIn(attempt) !== undefined) return { attempt, isMine: false };
    }
    const stop = new AbortController();
    const attempt = work(stop.signal).finally(() => running.delete(instance.key));
    running.set(instance.key, { way, attempt, stop });
    return { attempt: await attempt, isMine: true };
  }

  /** Asks the user without blocking other sign-ins, because the question may stay open for long. */
  async function wantsAnother(instance: Instance, way: BrowserWay, attempt: Attempt): Promise<boolean> {
    if (attempt === 'expired') return dialogs.expired(instance, way);
    return attempt === 'denied' && dialogs.denied(instance);
  }

  async function attemptByCode(wanted: Instance, stop: AbortSignal): Promise<Attempt> {
    const attempt = await orShowFailure(wanted, async ({ instance, baseUrl }) => {
      const client = { baseUrl, clientId: instance.clientId };
      const authorization = processDeviceAuthorizationResponse(await send(deviceAuthorizationRequest(client, SCOPE)));
      mask.hide(authorization.device_code);
      mask.hide(authorization.user_code);
      const deadline = now() + authorization.expires_in * 1000;
      const { key, clientId } = instance;
      const pending = await pendingCodes.save({ instance: key, clientId, authorization, deadline });
      return outcomeOf(instance, baseUrl, pending, stop, async () => {
        const input = await dialogs.showCode(instance, authorization);
        return input === 'copied' || (input === 'open' && (await dialogs.openPage(instance, authorization)));
      });
    });
    return attempt ?? 'cancelled';
  }

  /** Waits for the approval of a code after `isShown` resolves to true. */
  async function outcomeOf(
    instance: Instance,
    baseUrl: string,
    pending: PendingCode,
    stop: AbortSignal,
    isShown: () => Promise<boolean>,
  ): Promise<Attempt> {
    const { authorization, deadline, clientId } = pending;
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
      return (await begin(instance, await sessionOfCode(instance, baseUrl, clientId, approval.tokens))) ?? 'cancelled';
    } finally {
      await pendingCodes.forget(pending);
    }
  }

  async function attemptByRedirect(wanted: Instance, stop: AbortSignal): Promise<Attempt> {
    if (redirects === undefined) throw new Error('the browser cannot redirect back to this editor');
    const attempt = await orShowFailure(wanted, async ({ instance, baseUrl }) => {
      const { key, clientId } = instance;
      const request = await redirects.begin({ instance: key, baseUrl, clientId, scope: SCOPE });
      try {
        const show = (): Promise<boolean> => dialogs.showPage(instance, request);
        if (!(await show())) return 'cancelled';
        pages.set(wanted.key, show);
        const outcome = await dialogs.waitForRedirect(instance, request, (cancelled) =>
          request.wait(AbortSignal.any([cancelled, stop])),
        );
        log.info(`Sign-in to ${instance.label}: ${outcome.kind === 'code' ? 'approved' : outcome.kind}`);
        if (outcome.kind === 'expired') return 'expired';
        if (outcome.kind === 'cancelled' || outcome.kind === 'elsewhere') return 'cancelled';
        return await outcomeOfRedirect(instance, baseUrl, request, outcome);
      } finally {
        pages.delete(wanted.key);
        await request.end();
      }
    });
    return attempt ?? 'cancelled';
  }

  async function outcomeOfRedirect(
    instance: Instance,
    baseUrl: string,
    { clientId, redirectUri, verifier }: PendingRedirect,
    response: RedirectResponse,
  ): Promise<Attempt> {
    if (response.kind === 'denied') return 'denied';
    if (response.kind === 'refused') throw response.failure;
    // Sent only once: using a code a second time revokes the tokens of the first exchange (RFC 6749 §4.1.2).
    const tokens = processTokenResponse(
      await send(codeTokenRequest({ baseUrl, clientId, redirectUri }, response.code, verifier)),
    );
    return (await begin(instance, await sessionOfCode(instance, baseUrl, clientId, tokens))) ?? 'cancelled';
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
    const attempt = await orShowFailure(wanted, async ({ instance, baseUrl }) => {
      const response = readRedirect(parameters, request.state, baseUrl);
      if (response === undefined) throw new Error('the redirect belongs to another request');
      if (response.kind === 'code') mask.hide(response.code);
      return outcomeOfRedirect(instance, baseUrl, request, response);
    });
    if (await wantsAnother(wanted, 'redirect', attempt ?? 'cancelled')) await inBrowser(wanted, 'redirect');
  }

  async function resume(instances: readonly Instance[]): Promise<void> {
    await Promise.all(
      (await pendingCodes.rest()).map(async (pending) => {
        const instance = instances.find(({ key }) => key === pending.instance);
        const baseUrl = settings.addresses(pending.instance);
        if (instance === undefined || baseUrl === undefined) return;
        log.info(`Waiting again for the approval of the code for ${instance.label}.`);
        const { attempt, isMine } = await oneAtATime(instance, 'code', async (stop) => {
          try {
            return await outcomeOf(instance, baseUrl, pending, stop, async () => true);
          } catch (error) {
            showFailure(instance, error);
            return 'cancelled';
          }
        });
        if (isMine && (await wantsAnother(instance, 'code', attempt))) await inBrowser(instance, 'code');
      }),
    );
  }

  /** Stores the session and makes it current; undefined when it cannot be stored and the user does not want it in memory only. */
  async function begin(instance: Instance, session: Session): Promise<Session | undefined> {
    const key = keyOf(session);
    const before = sessions.get(key);
    const isStored = await sessions.write(session);
    keepsInMemory ||= !isStored && (await dialogs.keepForNow(instance));
    if (!isStored && !keepsInMemory) {
      await sessions.remove(key);
      await revoke(session);
      return undefined;
    }
    await sessions.use(key);
    log.info(`Signed in to ${instance.label} as @${session.account.username}.`);
    if (before !== undefined && before.accessToken !== session.accessToken) await revoke(before);
    return session;
  }

  async function sessionOfCode(instance: Instance, baseUrl: string, clientId: string, tokens: TokenResponse): Promise<Session> {
    mask.hide(tokens.access_token);
    if (tokens.refresh_token !== undefined) mask.hide(tokens.refresh_token);
    const user = await clientOf(baseUrl, tokens.access_token).get('/user', readUserBasic);
    return {
      id: randomUUID(),
      instance: instance.key,
      credential: 'oauth',
      clientId,
      account: accountOf(user),
      scopes: (tokens.scope ?? SCOPE).split(' ').filter(Boolean),
      ...tokensOf(tokens, now()),
    };
  }

  async function sessionOfToken(
    instance: Instance,
    baseUrl: string,
    token: string,
    credential: 'token' | 'persona',
  ): Promise<Session> {
    mask.hide(token);
    const client = clientOf(baseUrl, token);
    const scopes = await scopesOf(instance, client);
    const user = await client.get('/user', readUserBasic);
    const { key, clientId } = instance;
    return {
      id: randomUUID(),
      instance: key,
      credential,
      clientId,
      account: accountOf(user),
      scopes,
      accessToken: token,
    };
  }

  async function scopesOf(instance: Instance, client: Client): Promise<readonly string[]> {
    try {
      const { scopes } = await client.get('/personal_access_tokens/self', readPersonalToken);
      if (scopes.some((scope) => USEFUL_SCOPES.includes(scope))) return scopes;
      const text =
        scopes.length === 0
          ? l10n.t('The token needs the scope api or read_api, but it has no scopes.')
          : l10n.t('The token needs the scope api or read_api, but it only has {0}.', scopes.join(', '));
      throw new ApiFailure('forbidden', text);
    } catch (error) {
      const kind = failureOfError(error)?.kind;
      // Releases before 15.5 do not return the scopes of a token.
      if (kind === 'notFound') return [];
      if (kind !== 'signedOut') throw error;
      throw new ApiFailure('signedOut', l10n.t('{0} rejected this token.', instance.label), { cause: error });
    }
  }

  function clientOf(baseUrl: string, token: string): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl, send, credentials, now, sleep });
  }

  function showFailure(instance: Instance, error: unknown): void {
    const failure = failureOfError(error);
    if (failure === undefined && !(error instanceof OAuthFailure)) throw error;
    log.error(`Sign-in to ${instance.label} failed: ${messageOf(error)}`);
    const isUnknownClient =
      error instanceof OAuthFailure && (error.code === 'invalid_client' || error.code === 'unauthorized_client');
    if (!isUnknownClient) {
      dialogs.failed(mask.apply(failure?.message ?? l10n.t('{0} responded: {1}', instance.label, messageOf(error))), 'other');
      return;
    }
    const text =
      instance.clientId === EXTENSION_CLIENT_ID
        ? l10n.t(
            '{0} does not know this extension. Register an OAuth application there (not confidential, scope "api", device authorization allowed) and set clientId of this instance in the setting signalbox.instances to its application ID.',
            instance.label,
          )
        : l10n.t(
            '{0} does not know the application {1}. Check clientId of this instance in the setting signalbox.instances. It must be the application ID of an application that is not confidential.',
            instance.label,
            instance.clientId,
          );
    dialogs.failed(text, 'unknownClient');
  }

  async function revoke({ instance, credential, clientId, account, accessToken, refreshToken }: Session): Promise<void> {
    // The user created it elsewhere, and other programs may use it.
    if (credential === 'token') return;
    const baseUrl = settings.addresses(instance);
    const where = nameOfInstance(instance);
    const tokens = `the tokens of @${account.username} on ${where}`;
    if (baseUrl === undefined) {
      log.warn(`Could not revoke ${tokens}: the local server is not running. They were deleted from this machine.`);
      return;
    }
    // An expired access token can no longer be revoked, but the refresh token of the same sign-in can.
    const requests =
      credential === 'persona'
        ? [revokeOwnRequest(baseUrl, accessToken)]
        : [accessToken, ...(refreshToken === undefined ? [] : [refreshToken])].map((token) =>
            revokeRequest(baseUrl, clientId, token),
          );
    for (const request of requests) {
      try {
        const { status } = await send(request, AbortSignal.timeout(REVOKE_LIMIT));
        if (status !== 200 && status !== 204)
          log.warn(`${where} refused to revoke ${tokens} (status ${status}). They were deleted from this machine.`);
      } catch (error) {
        log.warn(`Could not revoke ${tokens}: ${messageOf(error)}. They were deleted from this machine.`);
      }
    }
  }

  return {
    signIn,
    resume,
    redirected,
    signOut: async (session) => {
      await sessions.remove(keyOf(session));
      await revoke(session);
      log.info(`Signed out @${session.account.username} from ${nameOfInstance(session.instance)}.`);
    },
  };
}

/** Returns the request with which a personal access token revokes itself. */
function revokeOwnRequest(baseUrl: string, token: string): WireRequest {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  return { method: 'DELETE', url: `${baseUrl}/api/v4/personal_access_tokens/self`, headers };
}

function accountOf({ id, username, name }: UserBasic): Account {
  return { id, username, name };
}

function sessionIn(attempt: Attempt): Session | undefined {
  return typeof attempt === 'string' ? undefined : attempt;
}
