import type { Event, Memento, SecretStorage } from 'vscode';
import { parseJson } from '../contract/json.ts';
import { instanceOfAccount } from '../instances/accountKey.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import { createAccountsInUse } from './accountsInUse.ts';
import { createEndedSessions } from './endedSessions.ts';
import { createKnownSessions, type SessionChange } from './knownSessions.ts';
import { type Account, keyOf, readSession, type Session } from './session.ts';
import { createSessionSecrets } from './sessionSecrets.ts';

/** Sessions by account key. An instance can have several accounts, one of which is in use. */
export interface Sessions {
  /** Reads all sessions once, so that `get` returns them. Sends no requests. */
  readonly load: () => Promise<void>;
  /** Returns the session as last read. */
  readonly get: (account: string) => Session | undefined;
  /**
   * Returns the session in use on an instance: the last selected one, or if none was ever selected, the first by username. When the selected
   * one is gone, for whatever reason, no other account takes its place.
   */
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
  const stored = createSessionSecrets({ secrets, memory, log, sleep });
  const inUse = createAccountsInUse(memory, window);
  const endedSessions = createEndedSessions(memory);
  const known = createKnownSessions(mask);
  /** Accounts whose session is in memory only, because it could not be stored. */
  const unsaved = new Set<string>();
  const unreadable = new Set<string>();
  /** Accounts that this window is storing, so that it does not mistake its own sign-in for one of another window. */
  const storing = new Set<string>();
  /** Number of changes made here. A slow read that began before a change must not undo it. */
  let changesMade = 0;

  async function read(account: string): Promise<Session | undefined> {
    if (unsaved.has(account)) return known.get(account);
    const started = changesMade;
    const text = await stored.get(account, known.get(account) !== undefined);
    unreadable.delete(account);
    if (started !== changesMade) return known.get(account);
    const session = text === undefined ? undefined : readSession(account, parseJson(text));
    known.set(account, session);
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

  function ended(instance: string): Account | undefined {
    const account = inUse.get(instance);
    return account === undefined || known.get(account) !== undefined ? undefined : endedSessions.get(account);
  }

  function current(instance: string): Session | undefined {
    const chosen = inUse.get(instance);
    if (chosen !== undefined) return known.get(chosen);
    return firstByUsername(known.all().filter((session) => session.instance === instance));
  }

  async function write(session: Session): Promise<boolean> {
    const account = keyOf(session);
    storing.add(account);
    try {
      await stored.store(account, JSON.stringify(session));
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
    known.set(account, session);
    await stored.list(account, true);
    await endedSessions.remove(account);
    return !unsaved.has(account);
  }

  async function drop(account: string): Promise<void> {
    const session = known.get(account);
    // Before the session is deleted, so that no other account of the instance takes its place.
    if (session !== undefined && current(session.instance)?.id === session.id) await inUse.use(account);
    await stored.delete(account);
    changesMade += 1;
    unsaved.delete(account);
    known.set(account, undefined);
    await stored.list(account, false);
  }

  const subscription = stored.onDidChange((account) => {
    // Another window signed in, signed out or renewed the tokens.
    const instance = instanceOfAccount(account);
    if (instance === undefined) return;
    const session = current(instance);
    // The account in use here stays so when another window signs in.
    if (!storing.has(account) && session !== undefined) void inUse.keepHere(instance, keyOf(session));
    void readOrReport(account);
  });

  return {
    load: async () => {
      const accounts = await stored.accounts();
      await Promise.all(accounts.filter((account) => instanceOfAccount(account) !== undefined).map(readOrReport));
    },
    get: known.get,
    current,
    use: inUse.use,
    all: known.all,
    read,
    write,
    remove: async (account) => {
      await endedSessions.remove(account);
      await drop(account);
    },
    end: async (session) => {
      const account = keyOf(session);
      // Before the session is deleted, so that the account is never just signed out.
      await endedSessions.add(account, session.account);
      await drop(account);
    },
    forget: async (instance) => {
      for (const account of await stored.accounts()) if (instanceOfAccount(account) === instance) await drop(account);
      await endedSessions.forget(instance);
      await inUse.forget(instance);
    },
    ended,
    isUnreadable: (instance) =>
      [...unreadable].some((account) => known.get(account) === undefined && instanceOfAccount(account) === instance),
    onDidChange: known.onDidChange,
    onDidUse: inUse.onDidUse,
    dispose: () => void subscription.dispose(),
  };
}

function firstByUsername(sessions: readonly Session[]): Session | undefined {
  return sessions.toSorted((a, b) => (a.account.username < b.account.username ? -1 : 1))[0];
}
