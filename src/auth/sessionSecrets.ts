import type { Disposable, Memento, SecretStorage } from 'vscode';
import { type Log, messageOf } from '../support/log.ts';

/** State key of the list of accounts with a session. It contains no secrets. */
const INDEX = 'auth.sessions';
const PREFIX = 'session/';
/** Milliseconds before a text that is expected is read again. */
const PAUSE = 100;

/** Texts in the secret storage, by account key. */
export interface SessionSecrets {
  /** Returns all accounts with a text, including those of other windows. Never rejects. */
  readonly accounts: () => Promise<readonly string[]>;
  /** Returns the text of an account; tries again if one is expected and there is none. Rejects if the secret storage fails, as `store` does. */
  readonly get: (account: string, isExpected: boolean) => Promise<string | undefined>;
  readonly store: (account: string, text: string) => Promise<void>;
  /** Deletes the text, or logs why that failed. */
  readonly delete: (account: string) => Promise<void>;
  /** Adds an account to the list of accounts, or removes it. */
  readonly list: (account: string, isListed: boolean) => Promise<void>;
  /** Calls the listener with the account whose text has changed in any window. */
  readonly onDidChange: (listener: (account: string) => void) => Disposable;
}

export function createSessionSecrets(settings: {
  readonly secrets: SecretStorage;
  readonly memory: Memento;
  readonly log: Log;
  readonly sleep: (milliseconds: number) => Promise<void>;
}): SessionSecrets {
  const { secrets, memory, log, sleep } = settings;
  const secretKey = (account: string): string => `${PREFIX}${account}`;

  function listed(): readonly string[] {
    const keys: unknown = memory.get(INDEX);
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  }

  /** Returns the accounts in the secret storage. The list may lack some, because windows overwrite each other's. */
  async function stored(): Promise<readonly string[]> {
    try {
      return (await secrets.keys()).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
    } catch (error) {
      log.warn(`Could not list the keys of the secret storage: ${messageOf(error)}`);
      return [];
    }
  }

  return {
    accounts: async () => [...new Set([...listed(), ...(await stored())])],
    get: async (account, isExpected) => {
      let text = await secrets.get(secretKey(account));
      // In remote windows, a read can temporarily return nothing (microsoft/vscode#184490).
      for (let attempts = isExpected ? 2 : 0; text === undefined && attempts > 0; attempts -= 1) {
        await sleep(PAUSE);
        text = await secrets.get(secretKey(account));
      }
      return text;
    },
    store: async (account, text) => secrets.store(secretKey(account), text),
    delete: async (account) => {
      try {
        await secrets.delete(secretKey(account));
      } catch (error) {
        log.error(`Could not delete the sign-in of ${account} from the secret storage: ${messageOf(error)}`);
      }
    },
    list: async (account, isListed) => {
      const others = listed().filter((key) => key !== account);
      await memory.update(INDEX, isListed ? [...new Set([...listed(), account])] : [...new Set(others)]);
    },
    onDidChange: (listener) =>
      secrets.onDidChange(({ key }) => {
        if (key.startsWith(PREFIX)) listener(key.slice(PREFIX.length));
      }),
  };
}
