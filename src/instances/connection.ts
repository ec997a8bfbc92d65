import type { Event } from 'vscode';
import { type Client, createClient } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import { createOutages } from '../api/outages.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import type { OpenStream } from '../api/eventStream.ts';
import type { Send, WireResponse } from '../api/transport.ts';
import type { Refresh } from '../auth/refresh.ts';
import { type Account, keyOf } from '../auth/session.ts';
import { canRead } from '../contract/scopes.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Supervisor } from '../local/supervisor.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { sleep } from '../support/sleep.ts';
import { accountKey, isLocalKey, localInstanceKey } from './accountKey.ts';
import { type BoundAccount, createAccountBinding } from './boundAccount.ts';
import { type Instance, type Instances, isLocalServer } from './instances.ts';

/** State of the current instance. Views, welcome texts and the status bar item depend on it. */
export type ConnectionState = { readonly instance: Instance } & (
  | { readonly kind: 'serverStopped' | 'serverStarting' | 'serverStopping' }
  | { readonly kind: 'serverFailed'; readonly text: string; readonly hint: string }
  /** `ended`: account whose session the instance ended. `isUnreadable`: the secret storage could not be read. */
  | { readonly kind: 'signedOut'; readonly ended?: Account; readonly isUnreadable?: true }
  | {
      readonly kind: 'signedIn';
      readonly account: Account;
      readonly sessionId: string;
      /** The instance rejects the tokens that it issues for this account. */
      readonly isRefused?: true;
      /** The tokens of this account cannot be renewed at present. */
      readonly isFailing?: true;
    }
);

export interface Connection {
  readonly state: () => ConnectionState;
  readonly onDidChange: Event<ConnectionState>;
  /**
   * Fires with the first success after a failure of the network, and when the current account has signed in again: both end the waiting of all
   * views.
   */
  readonly onDidReturn: Event<void>;
  /** Fires when accounts that are not current may be usable that were not, or the other way around, too. */
  readonly onDidChangeAccounts: Event<void>;
  /** Returns a client for the current instance if the user is signed in there. */
  readonly client: () => Client | undefined;
  /** Returns the current account for what is opened or started now; undefined while nobody is signed in, or the server is not running. */
  readonly current: () => BoundAccount | undefined;
  /** Returns the account with this key, for what was opened or started with it. */
  readonly bound: (account: string) => BoundAccount;
  /** Returns the signed-in accounts that can be used, those of the current instance first, and the one in use first on each instance. */
  readonly usable: () => readonly BoundAccount[];
}

/** Returns the current address of the instance with this key, or undefined while it has none. */
export type Addresses = (instanceKey: string) => string | undefined;

export function createAddresses(supervisor: Supervisor): Addresses {
  return (instanceKey) => {
    if (!isLocalKey(instanceKey)) return instanceKey;
    const state = supervisor.state();
    // Tokens of other data belong to another instance.
    return 'instanceId' in state && localInstanceKey(state.instanceId) === instanceKey ? state.origin : undefined;
  };
}

export interface ConnectionSettings {
  readonly instances: Instances;
  readonly supervisor: Supervisor;
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly addresses: Addresses;
  readonly limits: RateLimits;
  readonly send: Send;
  /** Opens streams of local servers. Other instances have none. */
  readonly openStream?: OpenStream;
  readonly log: Log;
}

export function createConnection(settings: ConnectionSettings): Connection {
  const { instances, supervisor, sessions, refresh, limits, send, openStream, log } = settings;
  const changes = createEmitter<ConnectionState>();
  const outages = createOutages();
  const accountChanges = createEmitter<void>();
  const returns = createEmitter<void>();
  const clients = new Map<string, KnownClient>();

  const state = (): ConnectionState => stateOf(settings);
  let last = state();

  function follow(): void {
    const next = state();
    // A refreshed token does not change the visible state.
    if (JSON.stringify(next) !== JSON.stringify(last)) {
      const isAgain = isNewSignIn(last, next);
      last = next;
      changes.fire(next);
      if (isAgain) returns.fire();
    }
    accountChanges.fire();
  }

  outages.onDidEnd(returns.fire);
  instances.onDidChangeCurrent(follow);
  supervisor.onDidChange(follow);
  sessions.onDidChange(follow);
  sessions.onDidUse(follow);
  refresh.onDidChange(follow);

  function clientAt(baseUrl: string, instance: Instance, account: string): Client {
    const hasStream = openStream !== undefined && isLocalServer(instance);
    const known = clients.get(account);
    if (known?.baseUrl === baseUrl && known.hasStream === hasStream) return known.client;
    const credentials = {
      token: async () => {
        const session = await refresh.fresh(account);
        // Without a token, the instance would act for nobody.
        if (session === undefined) throw new ApiFailure('signedOut', bound(account).problem() ?? '');
        return session.accessToken;
      },
      renewed: async (refused: string) => (await refresh.renewed(account, refused))?.accessToken,
      cannotRead: () => !canRead(scopesOf(account)),
    };
    const onResponse = (response: WireResponse): void => {
      limits.note(account, response);
      outages.note(account, response);
    };
    const onFailure = (): void => outages.note(account, undefined);
    const client = createClient({
      ...{
        baseUrl,
        send,
        credentials,
        account,
        now: Date.now,
        sleep,
        onResponse,
        onFailure,
        report: (line: string): void => log.debug(line),
      },
      ...(hasStream ? { openStream } : {}),
    });
    clients.set(account, { baseUrl, hasStream, client });
    return client;
  }

  function scopesOf(account: string): readonly string[] {
    return sessions.get(account)?.scopes ?? [];
  }

  function currentKey(): string | undefined {
    const now = state();
    return now.kind === 'signedIn' ? accountKey(now.instance.key, now.account.id) : undefined;
  }

  const bound = createAccountBinding({
    instances: instances.all,
    account: (key) => sessions.get(key)?.account,
    scopes: scopesOf,
    currentKey,
    addresses: settings.addresses,
    clientAt,
  });

  function currentAccount(): BoundAccount | undefined {
    const key = currentKey();
    const account = key === undefined ? undefined : bound(key);
    return account?.address() === undefined ? undefined : account;
  }

  return {
    usable: () =>
      usableAccounts(instances, sessions)
        .map(bound)
        .filter((account) => account.address() !== undefined),
    state,
    onDidChange: changes.event,
    onDidReturn: returns.event,
    onDidChangeAccounts: accountChanges.event,
    bound,
    current: currentAccount,
    client: () => currentAccount()?.client(),
  };
}

/** Returns the state of the current instance. */
function stateOf({ instances, supervisor, sessions, refresh }: ConnectionSettings): ConnectionState {
  const instance = instances.current();
  if (instance.kind === 'local') {
    const server = supervisor.state();
    switch (server.kind) {
      case 'stopped':
        return { instance, kind: 'serverStopped' };
      case 'starting':
        return { instance, kind: 'serverStarting' };
      case 'stopping':
        return { instance, kind: 'serverStopping' };
      case 'failed':
        return { instance, kind: 'serverFailed', text: server.text, hint: server.hint };
      case 'running':
      case 'attached':
        break;
    }
  }
  const session = sessions.current(instance.key);
  if (session === undefined) {
    const ended = sessions.ended(instance.key);
    const unreadable = sessions.isUnreadable(instance.key) ? ({ isUnreadable: true } as const) : {};
    return { instance, kind: 'signedOut', ...(ended === undefined ? {} : { ended }), ...unreadable };
  }
  const { account, id: sessionId } = session;
  const key = keyOf(session);
  const refused = refresh.isRefused(key) ? ({ isRefused: true } as const) : {};
  const failing = refresh.isFailing(key) ? ({ isFailing: true } as const) : {};
  return { instance, kind: 'signedIn', account, sessionId, ...refused, ...failing };
}

/** Returns true if the same account has another session than before. */
function isNewSignIn(before: ConnectionState, now: ConnectionState): boolean {
  return (
    before.kind === 'signedIn' &&
    now.kind === 'signedIn' &&
    before.sessionId !== now.sessionId &&
    before.instance.key === now.instance.key &&
    before.account.id === now.account.id
  );
}

/** Client of an account, which is made anew when the address of its instance has changed. */
interface KnownClient {
  readonly baseUrl: string;
  readonly hasStream: boolean;
  readonly client: Client;
}

/** Returns the keys of the signed-in accounts, those of the current instance first, and the one in use first on each instance. */
function usableAccounts(instances: Instances, sessions: Sessions): readonly string[] {
  const current = instances.current().key;
  return instances
    .all()
    .toSorted((one, other) => Number(other.key === current) - Number(one.key === current))
    .flatMap(({ key }) => {
      const used = sessions.current(key);
      // After a sign-out, no other account of the instance takes its place.
      return used === undefined ? [] : [used, ...sessions.all().filter(({ instance, id }) => instance === key && id !== used.id)];
    })
    .map(keyOf);
}
