import type { Event, Memento, SecretStorage } from 'vscode';
import { integerMember, isJsonObject, parseJson, stringMember, type JsonObject } from '../contract/json.ts';
import type { TokenResponse } from '../contract/oauth.ts';
import { accountKey, instanceOfAccount } from '../instances/accountKey.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';

/** A signed-in user. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** One sign-in on one instance, with its secrets. */
export interface Session {
  /** Changes with every sign-in, but not when the tokens are renewed. */
  readonly id: string;
  /** Key of the instance. */
  readonly instance: string;
  /** `oauth`: approved in a browser. `token`: a personal access token that the user entered. `persona`: one created for a user of the local server. */
  readonly credential: 'oauth' | 'token' | 'persona';
  readonly clientId: string;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Time of expiry by this machine's clock, in milliseconds since the epoch, and lifetime in milliseconds; absent if the token does not expire. */
  readonly expiry?: { readonly at: number; readonly lifetime: number };
}

export interface SessionChange {
  /** Account key. */
  readonly account: string;
  readonly before: Session | undefined;
  readonly after: Session | undefined;
}

/** Sessions by account key. An instance can have several accounts, one of which is in use. */
export interface Sessions {
  /** Reads all sessions once, so that `get` returns them. Sends no requests. */
  readonly load: () => Promise<void>;
  /** Returns the session as last read. */
  readonly get: (account: string) => Session | undefined;
  /** Returns the session in use on an instance: the last selected one, else the first by username. */
  readonly current: (instance: string) => Session | undefined;
  /** Makes an account the one in use on its instance. */
  readonly use: (account: string) => Promise<void>;
  readonly all: () => readonly Session[];
  /** Reads the session from the secret storage; another window may have changed it. */
  readonly read: (account: string) => Promise<Session | undefined>;
  /** Stores the session. Returns false if the secret storage rejected it, so that it is kept for this window only. */
  readonly write: (session: Session) => Promise<boolean>;
  readonly remove: (account: string) => Promise<void>;
  /** Removes a session that the instance ended, and remembers that its account has to sign in again. */
  readonly end: (session: Session) => Promise<void>;
  /** Deletes all sessions and remembered accounts of an instance that no longer exists. */
  readonly forget: (instance: string) => Promise<void>;
  /** Returns the account that was in use on an instance and has to sign in again. */
  readonly ended: (instance: string) => Account | undefined;
  /** Returns true if the secret storage failed to return a session of the instance. */
  readonly isUnreadable: (instance: string) => boolean;
  readonly onDidChange: Event<SessionChange>;
  /** Fires with the key of an instance when another account is in use there. */
  readonly onDidUse: Event<string>;
  readonly dispose: () => void;
}

/** State key of the list of accounts with a session, for `load`. It contains no secrets. */
const INDEX = 'auth.sessions';
/** State key of the account in use, by instance key. */
const IN_USE = 'auth.inUse';
/** State key of the accounts whose session the instance has ended, by account key. */
const ENDED = 'auth.ended';
const PREFIX = 'session/';
const secretKey = (account: string): string => `${PREFIX}${account}`;

export interface SessionSettings {
  readonly secrets: SecretStorage;
  readonly memory: Memento;
  /** State of this window; another window may use another account. */
  readonly window: Memento;
  readonly mask: Mask;
  readonly log: Log;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Creates the store of sessions in the editor's secret storage. The list of accounts is in the global state. */
export function createSessions({ secrets, memory, window, mask, log, sleep }: SessionSettings): Sessions {
  const known = new Map<string, Session>();
  /** Accounts whose session is in memory only, because it could not be stored. */
  const unsaved = new Set<string>();
  const unreadable = new Set<string>();
  /** Accounts that this window is storing, so that it does not mistake its own sign-in for one of another window. */
  const storing = new Set<string>();
  /** Number of changes made here. A slow read that began before a change must not undo it. */
  let changesMade = 0;
  const changes = createEmitter<SessionChange>();
  const uses = createEmitter<string>();
  /** A new window starts with the last selection of any window; after that, only its own selections count. */
  let inUse: JsonObject = { ...remembered(IN_USE), ...objectIn(window, IN_USE) };

  function keep(account: string, after: Session | undefined): void {
    const before = known.get(account);
    if (before === undefined && after === undefined) return;
    if (after === undefined) {
      known.delete(account);
    } else {
      mask.hide(after.accessToken);
      if (after.refreshToken !== undefined) mask.hide(after.refreshToken);
      known.set(account, after);
      if (before !== undefined && before.id === after.id && before.accessToken === after.accessToken) return;
    }
    changes.fire({ account, before, after });
  }

  async function read(account: string): Promise<Session | undefined> {
    if (unsaved.has(account)) return known.get(account);
    const started = changesMade;
    let text = await secrets.get(secretKey(account));
    // In remote windows, a read can temporarily return nothing (microsoft/vscode#184490).
    for (let attempt = 0; text === undefined && known.has(account) && attempt < 2; attempt += 1) {
      await sleep(100);
      text = await secrets.get(secretKey(account));
    }
    unreadable.delete(account);
    if (started !== changesMade) return known.get(account);
    const session = text === undefined ? undefined : readSession(account, parseJson(text));
    keep(account, session);
    return session;
  }

  async function readOrReport(account: string): Promise<void> {
    try {
      await read(account);
    } catch (error) {
      unreadable.add(account);
      log.error(`Could not read the sign-in of ${account} from the secret storage: ${messageOf(error)}`);
    }
  }

  function indexed(): readonly string[] {
    const keys: unknown = memory.get(INDEX);
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  }

  async function index(change: (keys: readonly string[]) => readonly string[]): Promise<void> {
    await memory.update(INDEX, [...new Set(change(indexed()))]);
  }

  /** Returns the accounts in the secret storage. The index may lack some, because windows overwrite each other's. */
  async function stored(): Promise<readonly string[]> {
    try {
      return (await secrets.keys()).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
    } catch (error) {
      log.warn(`Could not list the keys of the secret storage: ${messageOf(error)}`);
      return [];
    }
  }

  function remembered(name: string): JsonObject {
    return objectIn(memory, name);
  }

  async function forgetEnded(account: string): Promise<void> {
    const { [account]: gone, ...others } = remembered(ENDED);
    if (gone !== undefined) await memory.update(ENDED, others);
  }

  async function use(account: string): Promise<void> {
    const instance = instanceOfAccount(account);
    if (instance === undefined || inUse[instance] === account) return;
    await useHere(instance, account);
    await memory.update(IN_USE, { ...remembered(IN_USE), [instance]: account });
    uses.fire(instance);
  }

  async function useHere(instance: string, account: string): Promise<void> {
    inUse = { ...inUse, [instance]: account };
    await window.update(IN_USE, { ...objectIn(window, IN_USE), [instance]: account });
  }

  /** Keeps the current account in use in this window when another window signs in. */
  async function stay(instance: string): Promise<void> {
    const session = current(instance);
    if (session !== undefined && objectIn(window, IN_USE)[instance] === undefined) await useHere(instance, keyOf(session));
  }

  function ended(instance: string): Account | undefined {
    const account = stringMember(inUse, instance);
    const value = account === undefined || known.has(account) ? undefined : remembered(ENDED)[account];
    return isJsonObject(value) ? readAccount(value) : undefined;
  }

  function current(instance: string): Session | undefined {
    const chosen = known.get(stringMember(inUse, instance) ?? '');
    // When a session has ended, no other account takes its place.
    if (chosen !== undefined || ended(instance) !== undefined) return chosen;
    return [...known.values()]
      .filter((session) => session.instance === instance)
      .sort((a, b) => (a.account.username < b.account.username ? -1 : 1))[0];
  }

  async function drop(account: string): Promise<void> {
    try {
      await secrets.delete(secretKey(account));
    } catch (error) {
      log.error(`Could not delete the sign-in of ${account} from the secret storage: ${messageOf(error)}`);
    }
    changesMade += 1;
    unsaved.delete(account);
    keep(account, undefined);
    await index((keys) => keys.filter((key) => key !== account));
  }

  const subscription = secrets.onDidChange(({ key }) => {
    // Another window signed in, signed out or renewed the tokens.
    const account = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : '';
    const instance = instanceOfAccount(account);
    if (instance === undefined) return;
    if (!storing.has(account)) void stay(instance);
    void readOrReport(account);
  });

  return {
    load: async () => {
      const keys = [...new Set([...indexed(), ...(await stored())])];
      await Promise.all(keys.filter((key) => instanceOfAccount(key) !== undefined).map(readOrReport));
    },
    get: (account) => known.get(account),
    current,
    use,
    all: () => [...known.values()],
    read,
    write: async (session) => {
      const account = keyOf(session);
      storing.add(account);
      try {
        await secrets.store(secretKey(account), JSON.stringify(session));
        unsaved.delete(account);
      } catch (error) {
        unsaved.add(account);
        log.error(
          `Could not save the sign-in of ${account} in the secret storage. It is kept until this window closes: ${messageOf(error)}`,
        );
      }
      storing.delete(account);
      // Counted only now, because a read in between would have restored the old session.
      changesMade += 1;
      keep(account, session);
      await index((keys) => [...keys, account]);
      await forgetEnded(account);
      return !unsaved.has(account);
    },
    remove: async (account) => {
      await forgetEnded(account);
      await drop(account);
    },
    end: async (session) => {
      const account = keyOf(session);
      if (current(session.instance)?.id === session.id) await use(account);
      // Before the session is deleted, so that no other account of the instance temporarily takes its place.
      await memory.update(ENDED, { ...remembered(ENDED), [account]: session.account });
      await drop(account);
    },
    forget: async (instance) => {
      const accounts = [...indexed(), ...(await stored())].filter((account) => instanceOfAccount(account) === instance);
      for (const account of new Set(accounts)) await drop(account);
      const isCached = ([key]: readonly [string, unknown]): boolean => key !== instance && instanceOfAccount(key) !== instance;
      for (const name of [IN_USE, ENDED])
        await memory.update(name, Object.fromEntries(Object.entries(remembered(name)).filter(isCached)));
      inUse = Object.fromEntries(Object.entries(inUse).filter(isCached));
      await window.update(IN_USE, Object.fromEntries(Object.entries(objectIn(window, IN_USE)).filter(isCached)));
    },
    ended,
    isUnreadable: (instance) => [...unreadable].some((account) => !known.has(account) && instanceOfAccount(account) === instance),
    onDidChange: changes.event,
    onDidUse: uses.event,
    dispose: () => {
      subscription.dispose();
    },
  };
}

function objectIn(state: Memento, name: string): JsonObject {
  const value: unknown = state.get(name);
  return isJsonObject(value) ? value : {};
}

/** Returns the account key of a session. */
export function keyOf({ instance, account }: Pick<Session, 'instance' | 'account'>): string {
  return accountKey(instance, account.id);
}

/** Returns the session members for the tokens of a response received at `now`. */
export function tokensOf(response: TokenResponse, now: number): Pick<Session, 'accessToken' | 'refreshToken' | 'expiry'> {
  const lifetime = response.expires_in === undefined ? undefined : response.expires_in * 1000;
  return {
    accessToken: response.access_token,
    ...(response.refresh_token === undefined ? {} : { refreshToken: response.refresh_token }),
    ...(lifetime === undefined ? {} : { expiry: { at: now + lifetime, lifetime } }),
  };
}

function readSession(account: string, value: unknown): Session | undefined {
  const instance = instanceOfAccount(account);
  const session = instance === undefined ? undefined : readSessionOf(instance, value);
  return session !== undefined && keyOf(session) === account ? session : undefined;
}

function readSessionOf(instance: string, value: unknown): Session | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.account)) return undefined;
  const id = stringMember(value, 'id');
  const clientId = stringMember(value, 'clientId');
  const accessToken = stringMember(value, 'accessToken');
  const account = readAccount(value.account);
  if (id === undefined || clientId === undefined || accessToken === undefined || account === undefined) return undefined;
  const refreshToken = stringMember(value, 'refreshToken');
  const scopes = Array.isArray(value.scopes) ? value.scopes.filter((scope) => typeof scope === 'string') : [];
  const expiry = readExpiry(value.expiry);
  return {
    id,
    instance,
    credential: value.credential === 'token' || value.credential === 'persona' ? value.credential : 'oauth',
    clientId,
    account,
    scopes,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiry === undefined ? {} : { expiry }),
  };
}

function readAccount(value: JsonObject): Account | undefined {
  const id = integerMember(value, 'id');
  const username = stringMember(value, 'username');
  return id === undefined || username === undefined ? undefined : { id, username, name: stringMember(value, 'name') ?? username };
}

function readExpiry(value: unknown): Session['expiry'] {
  if (!isJsonObject(value)) return undefined;
  const at = integerMember(value, 'at');
  const lifetime = integerMember(value, 'lifetime');
  return at === undefined || lifetime === undefined ? undefined : { at, lifetime };
}
