import type { Event, Memento, SecretStorage } from 'vscode';
import { integerMember, isJsonObject, parseJson, stringMember, type JsonObject } from '../contract/json.ts';
import type { TokenAnswer } from '../contract/oauth.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, type Mask, wordsOf } from '../support/log.ts';

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
  readonly clientId: string;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch by this machine's clock, and how long the token lived from its start; absent when it does not expire. */
  readonly expiry?: { readonly at: number; readonly lifetime: number };
}

export type SessionChange = {
  readonly instance: string;
  readonly before: Session | undefined;
  readonly after: Session | undefined;
};

export interface Sessions {
  /** Reads every session there is once, so that `get` knows them. Asks no host for anything. */
  readonly load: () => Promise<void>;
  /** The session as last read. */
  readonly get: (instance: string) => Session | undefined;
  readonly all: () => readonly Session[];
  /** The session as it is in the secret storage now; another window may have changed it. */
  readonly read: (instance: string) => Promise<Session | undefined>;
  /** Stores the session; when the secret storage refuses, keeps it for this window only and says so in the log. */
  readonly write: (session: Session) => Promise<void>;
  readonly remove: (instance: string) => Promise<void>;
  readonly onDidChange: Event<SessionChange>;
  readonly dispose: () => void;
}

/** Instances with a session, for `load`; nothing in it is secret. */
const INDEX = 'auth.sessions';
const secretKey = (instance: string): string => `session/${instance}`;

export interface SessionSettings {
  readonly secrets: SecretStorage;
  readonly memory: Memento;
  readonly mask: Mask;
  readonly log: Log;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Sessions in the editor's secret storage; the list of instances that have one is in the global state. */
export function createSessions({ secrets, memory, mask, log, sleep }: SessionSettings): Sessions {
  const known = new Map<string, Session>();
  /** Instances whose session is in memory only. */
  const unsaved = new Set<string>();
  /** Counts changes made here, so that a slow read does not bring back what has just been replaced. */
  let changesMade = 0;
  const changes = createEmitter<SessionChange>();

  function keep(instance: string, after: Session | undefined): void {
    const before = known.get(instance);
    if (before === undefined && after === undefined) return;
    if (after === undefined) {
      known.delete(instance);
    } else {
      mask.hide(after.accessToken);
      if (after.refreshToken !== undefined) mask.hide(after.refreshToken);
      known.set(instance, after);
      if (before !== undefined && before.id === after.id && before.accessToken === after.accessToken) return;
    }
    changes.fire({ instance, before, after });
  }

  async function read(instance: string): Promise<Session | undefined> {
    if (unsaved.has(instance)) return known.get(instance);
    const started = changesMade;
    let text = await secrets.get(secretKey(instance));
    // In remote windows a read can come back empty for a moment (microsoft/vscode#184490).
    for (let attempt = 0; text === undefined && known.has(instance) && attempt < 2; attempt += 1) {
      await sleep(100);
      text = await secrets.get(secretKey(instance));
    }
    if (started !== changesMade) return known.get(instance);
    const session = text === undefined ? undefined : readSession(instance, parseJson(text));
    keep(instance, session);
    return session;
  }

  async function readOrReport(instance: string): Promise<void> {
    try {
      await read(instance);
    } catch (error) {
      log.error(`The editor's secret storage could not be read for ${instance}: ${wordsOf(error)}`);
    }
  }

  function indexed(): readonly string[] {
    const index: unknown = memory.get(INDEX);
    return Array.isArray(index) ? index.filter((key) => typeof key === 'string') : [];
  }

  const subscription = secrets.onDidChange(({ key }) => {
    // Another window signed in, signed out or renewed.
    if (key.startsWith(secretKey(''))) void readOrReport(key.slice(secretKey('').length));
  });

  return {
    load: async () => {
      await Promise.all(indexed().map(readOrReport));
    },
    get: (instance) => known.get(instance),
    all: () => [...known.values()],
    read,
    write: async (session) => {
      const { instance } = session;
      try {
        await secrets.store(secretKey(instance), JSON.stringify(session));
        unsaved.delete(instance);
      } catch (error) {
        unsaved.add(instance);
        log.error(
          `The sign-in on ${instance} lasts until this window closes: the editor's secret storage refused it: ${wordsOf(error)}`,
        );
      }
      // Only now: a read that came between would have brought the old one back.
      changesMade += 1;
      keep(instance, session);
      await memory.update(INDEX, [...new Set([...indexed(), instance])]);
    },
    remove: async (instance) => {
      try {
        await secrets.delete(secretKey(instance));
      } finally {
        changesMade += 1;
        unsaved.delete(instance);
        keep(instance, undefined);
      }
      const others = indexed().filter((key) => key !== instance);
      await memory.update(INDEX, others);
    },
    onDidChange: changes.event,
    dispose: () => {
      subscription.dispose();
    },
  };
}

/** The tokens of an answer received at `now`, as members of a session. */
export function tokensOf(answer: TokenAnswer, now: number): Pick<Session, 'accessToken' | 'refreshToken' | 'expiry'> {
  const lifetime = answer.expires_in === undefined ? undefined : answer.expires_in * 1000;
  return {
    accessToken: answer.access_token,
    ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
    ...(lifetime === undefined ? {} : { expiry: { at: now + lifetime, lifetime } }),
  };
}

function readSession(instance: string, value: unknown): Session | undefined {
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
