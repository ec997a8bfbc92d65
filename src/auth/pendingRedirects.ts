import { createHash } from 'node:crypto';
import type { Disposable, SecretStorage } from 'vscode';
import { integerMember, isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import type { RedirectSecrets } from './redirectFlow.ts';

/** An authorization request whose redirect the desktop passes to any window as a URI. */
export interface PendingRedirect extends RedirectSecrets {
  /** Key of the instance. */
  readonly instance: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Requests that wait for their redirect, shared by all windows and kept across reloads. No method rejects. */
export interface PendingRedirects {
  readonly save: (request: PendingRedirect) => Promise<void>;
  readonly forget: (state: string) => Promise<void>;
  /** Returns the request with this state and deletes it, because it accepts one redirect; undefined if there is none or it has expired. */
  readonly take: (state: string) => Promise<PendingRedirect | undefined>;
  /** Calls `gone` when another window has taken the request. */
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
      log.warn(
        `A sign-in with the browser could not be ${what}. Only the window that started it can complete it: ${messageOf(error)}`,
      );
      return undefined;
    }
  }

  async function read(key: string): Promise<PendingRedirect | undefined> {
    const request = readPendingRedirect(parseJson((await secrets.get(key)) ?? ''));
    return request === undefined || request.deadline <= now() ? undefined : request;
  }

  return {
    save: async (request) => {
      await attempt('stored', async () => {
        await secrets.store(keyOf(request.state), JSON.stringify(request));
        // Closed windows leave their requests behind.
        const all = (await secrets.keys()).filter((key) => key.startsWith(PREFIX));
        for (const key of all) if ((await read(key)) === undefined) await secrets.delete(key);
      });
    },
    forget: async (state) => {
      await attempt('deleted', async () => secrets.delete(keyOf(state)));
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

/** Returns the name of the secret. It contains a hash of the state, because names are less protected than secrets. */
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
