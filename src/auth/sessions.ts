import type { Event, Memento, SecretStorage } from 'vscode';
import { integerMember, isJsonObject, parseJson, stringMember, type JsonObject } from '../contract/json.ts';
import type { TokenResponse } from '../contract/oauth.ts';
import { accountKey, instanceOfAccount } from '../instances/accountKey.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';

/** Who is signed in. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** One sign-in on one instance, with its secrets. */
export interface Session {
  /** New with every sign-in, kept when the tokens are renewed. */
  readonly id: string;
  /** Key of the instance. */
  readonly instance: string;
  /** `oauth`: by a code. `token`: a personal access token of the person's own. `persona`: one made here for a person of the local server. */
  readonly credential: 'oauth' | 'token' | 'persona';
  readonly clientId: string;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch by this machine's clock, and how long the token lived from its start; absent when it does not expire. */
  readonly expiry?: { readonly at: number; readonly lifetime: number };
}

export interface SessionChange {
  /** Account key. */
  readonly account: string;
  readonly before: Session | undefined;
  readonly after: Session | undefined;
}

/** Sessions by account key: several accounts of one instance stand side by side, and one of them is in use. */
export interface Sessions {
  /** Reads every session there is once, so that `get` knows them. Asks no host for anything. */
  readonly load: () => Promise<void>;
  /** The session as last read. */
  readonly get: (account: string) => Session | undefined;
  /** The one in use on an instance: the one last chosen there, else the first by name. */
  readonly current: (instance: string) => Session | undefined;
  /** Puts an account in use on its instance. */
  readonly use: (account: string) => Promise<void>;
  readonly all: () => readonly Session[];
  /** The session as it is in the secret storage now; another window may have changed it. */
  readonly read: (account: string) => Promise<Session | undefined>;
  /** Stores the session; false when the secret storage refused, and it is kept for this window only. */
  readonly write: (session: Session) => Promise<boolean>;
  readonly remove: (account: string) => Promise<void>;
  /** Removes a session that the platform ended, and remembers that its account has to sign in again. */
  readonly end: (session: Session) => Promise<void>;
  /** Drops every session of an instance that is no more, and what is remembered of them. */
  readonly forget: (instance: string) => Promise<void>;
  /** Who has to sign in again on an instance before it can be used as it was. */
  readonly ended: (instance: string) => Account | undefined;
  /** Whether there are sessions of an instance that the secret storage does not give out. */
  readonly isUnreadable: (instance: string) => boolean;
  readonly onDidChange: Event<SessionChange>;
  /** Another account is in use on the instance with this key. */
  readonly onDidUse: Event<string>;
  readonly dispose: () => void;
}

/** Accounts with a session, for `load`; nothing in it is secret. */
const INDEX = 'auth.sessions';
/** Account in use, by key of the instance. */
const IN_USE = 'auth.inUse';
/** Accounts whose session the platform has ended, by account key. */
const ENDED = 'auth.ended';
const PREFIX = 'session/';
const secretKey = (account: string): string => `${PREFIX}${account}`;

export interface SessionSettings {
  readonly secrets: SecretStorage;
  readonly memory: Memento;
  /** State of this window: another window may use another account. */
  readonly window: Memento;
  readonly mask: Mask;
  readonly log: Log;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Sessions in the editor's secret storage; the list of accounts that have one is in the global state. */
export function createSessions({ secrets, memory, window, mask, log, sleep }: SessionSettings): Sessions {
  const known = new Map<string, Session>();
  /** Accounts whose session is in memory only. */
  const unsaved = new Set<string>();
  const unreadable = new Set<string>();
  /** Accounts that this window is storing, so that it does not take its own sign-in for another window's. */
  const storing = new Set<string>();
  /** Counts changes made here, so that a slow read does not bring back what has just been replaced. */
  let changesMade = 0;
  const changes = createEmitter<SessionChange>();
  const uses = createEmitter<string>();
  /** A new window begins with what was chosen last in any; from then on only its own choices count in it. */
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
    // In remote windows a read can come back empty for a moment (microsoft/vscode#184490).
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
      log.error(`The editor's secret storage could not be read for ${account}: ${messageOf(error)}`);
    }
  }

  function indexed(): readonly string[] {
    const keys: unknown = memory.get(INDEX);
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  }

  async function index(change: (keys: readonly string[]) => readonly string[]): Promise<void> {
    await memory.update(INDEX, [...new Set(change(indexed()))]);
  }

  /** Windows write the index without knowing of each other; the secret storage is what they share. */
  async function stored(): Promise<readonly string[]> {
    try {
      return (await secrets.keys()).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
    } catch (error) {
      log.warn(`The editor's secret storage does not say what it holds: ${messageOf(error)}`);
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

  /** Somebody whom nobody has chosen in this window stays in use here, whoever signs in elsewhere. */
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
    // Nobody goes on as somebody else because a session came to its end.
    if (chosen !== undefined || ended(instance) !== undefined) return chosen;
    return [...known.values()]
      .filter((session) => session.instance === instance)
      .sort((a, b) => (a.account.username < b.account.username ? -1 : 1))[0];
  }

  async function drop(account: string): Promise<void> {
    try {
      await secrets.delete(secretKey(account));
    } catch (error) {
      log.error(`The editor's secret storage did not delete the sign-in of ${account}: ${messageOf(error)}`);
    }
    changesMade += 1;
    unsaved.delete(account);
    keep(account, undefined);
    await index((keys) => keys.filter((key) => key !== account));
  }

  const subscription = secrets.onDidChange(({ key }) => {
    // Another window signed in, signed out or renewed.
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
          `The sign-in of ${account} lasts until this window closes: the editor's secret storage refused it: ${messageOf(error)}`,
        );
      }
      storing.delete(account);
      // Only now: a read that came between would have brought the old one back.
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
      // First, so that no other account of the instance takes its place for a moment.
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

/** Account key of a session. */
export function keyOf({ instance, account }: Pick<Session, 'instance' | 'account'>): string {
  return accountKey(instance, account.id);
}

/** The tokens of an answer received at `now`, as members of a session. */
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
