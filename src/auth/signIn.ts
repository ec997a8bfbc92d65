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

/** Ways in which the person decides in a browser: about a code that they are shown, or on a page that leads back to the editor. */
export type BrowserWay = 'code' | 'redirect';
/** Ways to sign in. `persona`: as somebody of the local server, at once. */
export type Way = BrowserWay | 'token' | 'persona';

/** Somebody of the local server, for whom a token can be made. */
export interface Persona {
  readonly id: number;
  readonly token: () => Promise<string>;
}

/** What the person sees of a sign-in, and what they answer. */
export interface SignInDialogs {
  /** How to sign in; undefined when the person stepped back. `hasRedirects`: whether the browser can lead back to this editor. */
  readonly chooseWay: (instance: Instance, hasRedirects: boolean) => PromiseLike<Way | undefined>;
  /** A personal access token; undefined when the person stepped back. */
  readonly askToken: (instance: Instance) => PromiseLike<string | undefined>;
  /** Whom of the local server to be, or `code` after all. Rejects with an `ApiFailure` or a `TransportFailure`. */
  readonly choosePersona: () => Promise<Persona | 'code' | undefined>;
  /** Shows the code. `open`: it is copied, and the page is to be opened; `copied`: it is for another device. */
  readonly showCode: (instance: Instance, authorization: DeviceAuthorization) => Promise<'open' | 'copied' | undefined>;
  /** Opens the page on which the code is approved. False when the person stepped back. */
  readonly openPage: (instance: Instance, authorization: DeviceAuthorization) => Promise<boolean>;
  /** Shows which code is waited for until `deadline` (milliseconds since the epoch), and lets the person cancel. */
  readonly wait: (
    authorization: DeviceAuthorization,
    deadline: number,
    work: (signal: AbortSignal) => Promise<Approval>,
  ) => PromiseLike<Approval>;
  /** Opens the page that leads back, or copies its address, as the person likes. False when they stepped back. */
  readonly showPage: (instance: Instance, attempt: RedirectAttempt) => Promise<boolean>;
  /** Shows that the browser is waited for, and what may keep it, and lets the person cancel. */
  readonly waitForRedirect: (
    instance: Instance,
    attempt: RedirectAttempt,
    work: (signal: AbortSignal) => Promise<RedirectOutcome>,
  ) => PromiseLike<RedirectOutcome>;
  /** Whether the person wants to try again, with another code or on another page. */
  readonly expired: (instance: Instance, way: BrowserWay) => Promise<boolean>;
  readonly denied: (instance: Instance) => Promise<boolean>;
  /** The secret storage refused the session: whether to keep it until the window closes. */
  readonly keepForNow: (instance: Instance) => PromiseLike<boolean>;
  /** Says why it failed, without waiting for anybody to read it. */
  readonly failed: (text: string, cause: 'unknownClient' | 'other') => void;
}

/** An instance that has an address. A local server tells only when it runs which data it has, and so which instance it is. */
export interface Reached {
  readonly instance: Instance;
  readonly baseUrl: string;
}

export interface SignInSettings {
  readonly sessions: Sessions;
  readonly pendingCodes: PendingCodes;
  /** Undefined where no browser can lead back to this editor. */
  readonly redirects: Redirects | undefined;
  readonly send: Send;
  readonly dialogs: SignInDialogs;
  /** The instance with its address, started first when it is a local server; undefined when that failed and has been said. */
  readonly reach: (instance: Instance) => Promise<Reached | undefined>;
  readonly addresses: (instanceKey: string) => string | undefined;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly mask: Mask;
  readonly log: Log;
}

export interface SignIn {
  /**
   * Signs somebody in, in the way given or chosen; undefined when that did not happen, which the person has been told. One attempt in a
   * browser at a time per instance: the same way again waits for it, and shows its page again; the other one takes its place.
   */
  readonly signIn: (instance: Instance, way?: Way) => Promise<Session | undefined>;
  /** Goes on waiting for the codes that this window was waiting for before it was reloaded. */
  readonly resume: (instances: readonly Instance[]) => Promise<void>;
  /** Takes the parameters of a redirect that the editor was handed; one that nobody asked for is ignored. */
  readonly redirected: (parameters: URLSearchParams, instances: readonly Instance[]) => Promise<void>;
  /** Forgets the session and revokes its tokens; a token of the person's own is only forgotten. */
  readonly signOut: (session: Session) => Promise<void>;
}

/** What became of one attempt in the browser. */
type Attempt = Session | 'expired' | 'denied' | 'given up';

/** An attempt that is being made. */
interface Running {
  readonly way: BrowserWay;
  readonly attempt: Promise<Attempt>;
  readonly stop: AbortController;
}

/** The one scope asked for: it holds every read and write of the views. */
const SCOPE = 'api';
/** Scopes of which a personal access token needs one. */
const USEFUL_SCOPES: readonly string[] = ['api', 'read_api'];
/** Signing out does not wait longer for the instance. */
const REVOKE_LIMIT = 5_000;

export function createSignIn(settings: SignInSettings): SignIn {
  const { sessions, pendingCodes, redirects, send, dialogs, now, sleep, mask, log } = settings;
  const running = new Map<string, Running>();
  /** What shows the page of a redirect that is waited for once more, by key of the instance. */
  const pages = new Map<string, () => Promise<boolean>>();
  /** Once the person has agreed to keep a session in memory, they know of the storage. */
  let isHeld = false;

  async function signIn(instance: Instance, wanted?: Way): Promise<Session | undefined> {
    const way = wanted ?? (await dialogs.chooseWay(instance, redirects !== undefined));
    if (way === undefined) return undefined;
    if (way === 'code' || way === 'redirect') return inBrowser(instance, way);
    const session = await orSayWhy(instance, async (reached) => (way === 'token' ? byToken(reached) : byPersona(reached)));
    return session === 'code' ? inBrowser(instance, 'code') : session;
  }

  async function orSayWhy<T>(instance: Instance, work: (reached: Reached) => Promise<T>): Promise<T | undefined> {
    const reached = await settings.reach(instance);
    if (reached === undefined) return undefined;
    try {
      return await work(reached);
    } catch (error) {
      sayWhy(instance, error);
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

  /** A token that may be about to expire is no reason to make another sign-in: it can be renewed. */
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
      // Whoever began it hears of its failure.
      const attempt = await current.attempt.catch(() => 'given up' as const);
      // It was approved before it could be stopped.
      if (sessionIn(attempt) !== undefined) return { attempt, isMine: false };
    }
    const stop = new AbortController();
    const attempt = work(stop.signal).finally(() => running.delete(instance.key));
    running.set(instance.key, { way, attempt, stop });
    return { attempt: await attempt, isMine: true };
  }

  /** A question may stay unanswered for long; meanwhile a new sign-in can be asked for. */
  async function wantsAnother(instance: Instance, way: BrowserWay, attempt: Attempt): Promise<boolean> {
    if (attempt === 'expired') return dialogs.expired(instance, way);
    return attempt === 'denied' && dialogs.denied(instance);
  }

  async function attemptByCode(wanted: Instance, stop: AbortSignal): Promise<Attempt> {
    const attempt = await orSayWhy(wanted, async ({ instance, baseUrl }) => {
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
    return attempt ?? 'given up';
  }

  /** Waits for the decision about a code, once `isShown` says that the person wants that. */
  async function outcomeOf(
    instance: Instance,
    baseUrl: string,
    pending: PendingCode,
    stop: AbortSignal,
    isShown: () => Promise<boolean>,
  ): Promise<Attempt> {
    const { authorization, deadline, clientId } = pending;
    try {
      if (!(await isShown())) return 'given up';
      const approval = await dialogs.wait(authorization, deadline, (cancelled) => {
        const signal = AbortSignal.any([cancelled, stop]);
        const left = Math.max(0, deadline - now()) / 1000;
        const report = (text: string): void => log.warn(`Waiting for the approval of the code: ${text}`);
        const client = { baseUrl, clientId };
        return awaitApproval(client, { ...authorization, expires_in: left }, { send, signal, report, now, sleep });
      });
      log.info(`Sign-in on ${instance.label}: ${approval.kind === 'tokens' ? 'approved' : approval.kind}`);
      if (approval.kind === 'cancelled') return 'given up';
      if (approval.kind !== 'tokens') return approval.kind;
      return (await begin(instance, await sessionOfCode(instance, baseUrl, clientId, approval.tokens))) ?? 'given up';
    } finally {
      await pendingCodes.forget(pending);
    }
  }

  async function attemptByRedirect(wanted: Instance, stop: AbortSignal): Promise<Attempt> {
    if (redirects === undefined) throw new Error('no browser can lead back to this editor');
    const attempt = await orSayWhy(wanted, async ({ instance, baseUrl }) => {
      const { key, clientId } = instance;
      const request = await redirects.begin({ instance: key, baseUrl, clientId, scope: SCOPE });
      try {
        const show = (): Promise<boolean> => dialogs.showPage(instance, request);
        if (!(await show())) return 'given up';
        pages.set(wanted.key, show);
        const outcome = await dialogs.waitForRedirect(instance, request, (cancelled) =>
          request.wait(AbortSignal.any([cancelled, stop])),
        );
        log.info(`Sign-in on ${instance.label}: ${outcome.kind === 'code' ? 'approved' : outcome.kind}`);
        if (outcome.kind === 'expired') return 'expired';
        if (outcome.kind === 'cancelled' || outcome.kind === 'elsewhere') return 'given up';
        return await outcomeOfRedirect(instance, baseUrl, request, outcome);
      } finally {
        pages.delete(wanted.key);
        await request.end();
      }
    });
    return attempt ?? 'given up';
  }

  async function outcomeOfRedirect(
    instance: Instance,
    baseUrl: string,
    { clientId, redirectUri, verifier }: PendingRedirect,
    response: RedirectResponse,
  ): Promise<Attempt> {
    if (response.kind === 'denied') return 'denied';
    if (response.kind === 'refused') throw response.failure;
    // Sent once: a code that comes a second time revokes what the first exchange gave (RFC 6749 §4.1.2).
    const tokens = processTokenResponse(
      await send(codeTokenRequest({ baseUrl, clientId, redirectUri }, response.code, verifier)),
    );
    return (await begin(instance, await sessionOfCode(instance, baseUrl, clientId, tokens))) ?? 'given up';
  }

  async function redirected(parameters: URLSearchParams, instances: readonly Instance[]): Promise<void> {
    const request = await redirects?.receive(parameters);
    if (request === undefined) return;
    const wanted = instances.find(({ key }) => key === request.instance);
    if (wanted === undefined) {
      log.warn('A redirect was ignored: its instance is not there any more.');
      return;
    }
    log.info(`Sign-in on ${wanted.label}: answered, and begun in another window, or in this one before its reload.`);
    const attempt = await orSayWhy(wanted, async ({ instance, baseUrl }) => {
      const response = readRedirect(parameters, request.state, baseUrl);
      if (response === undefined) throw new Error('the redirect answers another request');
      if (response.kind === 'code') mask.hide(response.code);
      return outcomeOfRedirect(instance, baseUrl, request, response);
    });
    if (await wantsAnother(wanted, 'redirect', attempt ?? 'given up')) await inBrowser(wanted, 'redirect');
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
            sayWhy(instance, error);
            return 'given up';
          }
        });
        if (isMine && (await wantsAnother(instance, 'code', attempt))) await inBrowser(instance, 'code');
      }),
    );
  }

  /** Keeps the session and puts it in use; undefined when it cannot be stored and the person does not want it like that. */
  async function begin(instance: Instance, session: Session): Promise<Session | undefined> {
    const key = keyOf(session);
    const before = sessions.get(key);
    const isStored = await sessions.write(session);
    isHeld ||= !isStored && (await dialogs.keepForNow(instance));
    if (!isStored && !isHeld) {
      await sessions.remove(key);
      await revoke(session);
      return undefined;
    }
    await sessions.use(key);
    log.info(`Signed in as @${session.account.username} on ${instance.label}.`);
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
      // Platforms before 15.5 do not tell a token its scopes.
      if (kind === 'notFound') return [];
      if (kind !== 'signedOut') throw error;
      throw new ApiFailure('signedOut', l10n.t('{0} rejected this token.', instance.label), { cause: error });
    }
  }

  function clientOf(baseUrl: string, token: string): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl, send, credentials, now, sleep });
  }

  function sayWhy(instance: Instance, error: unknown): void {
    const failure = failureOfError(error);
    if (failure === undefined && !(error instanceof OAuthFailure)) throw error;
    log.error(`Sign-in on ${instance.label} failed: ${messageOf(error)}`);
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
    // It was made elsewhere, and other programs may use it.
    if (credential === 'token') return;
    const baseUrl = settings.addresses(instance);
    const where = nameOfInstance(instance);
    const whose = `the tokens of @${account.username} on ${where}`;
    if (baseUrl === undefined) {
      log.warn(`Could not revoke ${whose}: the local server does not run. They are deleted here.`);
      return;
    }
    // An expired access token is found no more, but the refresh token of the same sign-in still is.
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
          log.warn(`${where} refused to revoke ${whose} (status ${status}). They are deleted here.`);
      } catch (error) {
        log.warn(`Could not revoke ${whose}: ${messageOf(error)}. They are deleted here.`);
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
      log.info(`Signed out @${session.account.username} on ${nameOfInstance(session.instance)}.`);
    },
  };
}

/** A personal access token ends itself. */
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
