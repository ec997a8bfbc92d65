import { createHash } from 'node:crypto';
import type { Disposable, SecretStorage } from 'vscode';
import { integerMember, isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import type { RedirectSecrets } from './redirectFlow.ts';

/** A request whose answer comes as an address that the desktop hands to any window. */
export interface PendingRedirect extends RedirectSecrets {
  /** Key of the instance. */
  readonly instance: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Requests that wait for their redirects, for every window of the editor, also one that was reloaded. None of this ever rejects. */
export interface PendingRedirects {
  readonly save: (request: PendingRedirect) => Promise<void>;
  readonly forget: (state: string) => Promise<void>;
  /** The request with this state, which is forgotten with that: it is answered once. Undefined when none has time left. */
  readonly take: (state: string) => Promise<PendingRedirect | undefined>;
  /** Tells when a request is no more, because it was taken in another window. */
  readonly watch: (state: string, gone: () => void) => Disposable;
}

export interface PendingRedirectSettings {
  readonly secrets: SecretStorage;
  readonly mask: Mask;
  readonly log: Log;
  readonly now: () => number;
}

const PREFIX = 'pendingRedirect/';

export function createPendingRedirects({ secrets, mask, log, now }: PendingRedirectSettings): PendingRedirects {
  const taking = new Set<string>();

  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log.warn(`A sign-in in the browser could not be ${what}; only the window that began it can end it: ${messageOf(error)}`);
      return undefined;
    }
  }

  async function read(key: string): Promise<PendingRedirect | undefined> {
    const request = readPendingRedirect(parseJson((await secrets.get(key)) ?? ''));
    return request === undefined || request.deadline <= now() ? undefined : request;
  }

  return {
    save: async (request) => {
      await attempt('remembered', async () => {
        await secrets.store(keyOf(request.state), JSON.stringify(request));
        // Windows that were closed leave theirs behind.
        const all = (await secrets.keys()).filter((key) => key.startsWith(PREFIX));
        for (const key of all) if ((await read(key)) === undefined) await secrets.delete(key);
      });
    },
    forget: async (state) => {
      await attempt('forgotten', async () => secrets.delete(keyOf(state)));
    },
    take: async (state) => {
      const key = keyOf(state);
      if (taking.has(key)) return undefined;
      taking.add(key);
      try {
        return await attempt('read', async () => {
          const request = await read(key);
          if (request === undefined) return undefined;
          await secrets.delete(key);
          mask.hide(request.state);
          mask.hide(request.verifier);
          return request;
        });
      } finally {
        taking.delete(key);
      }
    },
    watch: (state, gone) =>
      secrets.onDidChange(({ key }) => {
        if (key !== keyOf(state)) return;
        void attempt('read', async () => {
          if ((await secrets.get(key)) === undefined) gone();
        });
      }),
  };
}

/** Names of secrets are less secret than what they name. */
function keyOf(state: string): string {
  return `${PREFIX}${createHash('sha256').update(state).digest('hex')}`;
}

function readPendingRedirect(value: unknown): PendingRedirect | undefined {
  if (!isJsonObject(value)) return undefined;
  const instance = stringMember(value, 'instance');
  const clientId = stringMember(value, 'clientId');
  const redirectUri = stringMember(value, 'redirectUri');
  const state = stringMember(value, 'state');
  const verifier = stringMember(value, 'verifier');
  const deadline = integerMember(value, 'deadline');
  if (instance === undefined || clientId === undefined || redirectUri === undefined) return undefined;
  if (state === undefined || verifier === undefined || deadline === undefined) return undefined;
  return { instance, clientId, redirectUri, state, verifier, deadline };
}
