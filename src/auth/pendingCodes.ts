import { randomUUID } from 'node:crypto';
import type { Memento, SecretStorage } from 'vscode';
import { integerMember, isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { type DeviceAuthorization, readDeviceAuthorization } from '../contract/oauth.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import { readWantedSession, type WantedSession } from './wantedSession.ts';

/** A code that was shown and is not approved or denied yet. */
export interface PendingCode {
  readonly id: string;
  /** Key of the instance. */
  readonly instance: string;
  readonly clientId: string;
  readonly authorization: DeviceAuthorization;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Account that has to approve it; any by default. */
  readonly wanted?: WantedSession;
}

/** Pending codes, stored so that a window continues to wait for them after a reload. No method rejects. */
export interface PendingCodes {
  readonly save: (code: Omit<PendingCode, 'id'>) => Promise<PendingCode>;
  readonly forget: (code: PendingCode) => Promise<void>;
  /** Returns the codes of this window that have not expired. */
  readonly rest: () => Promise<readonly PendingCode[]>;
}

export interface PendingCodeSettings {
  readonly secrets: SecretStorage;
  /** State of this window, which survives a reload. No other window may wait for the same code. */
  readonly window: Memento;
  readonly mask: Mask;
  readonly log: Log;
  readonly now: () => number;
}

const WINDOW_KEY = 'auth.pendingCodes';
const PREFIX = 'pendingCode/';

export function createPendingCodes({ secrets, window, mask, log, now }: PendingCodeSettings): PendingCodes {
  function idsOfWindow(): readonly string[] {
    const ids: unknown = window.get(WINDOW_KEY);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  }

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn(`The code could not be ${what}. Reloading this window ends the sign-in: ${messageOf(error)}`);
    }
  }

  async function read(id: string): Promise<PendingCode | undefined> {
    const text = await secrets.get(`${PREFIX}${id}`);
    const code = text === undefined ? undefined : readPendingCode(id, parseJson(text));
    if (code === undefined) return undefined;
    mask.hide(code.authorization.device_code);
    mask.hide(code.authorization.user_code);
    return code;
  }

  async function forgetId(id: string): Promise<void> {
    await attempt('deleted', async () => {
      await window.update(
        WINDOW_KEY,
        idsOfWindow().filter((other) => other !== id),
      );
      await secrets.delete(`${PREFIX}${id}`);
    });
  }

  return {
    save: async (code) => {
      const saved = { id: randomUUID(), ...code };
      await attempt('stored', async () => {
        await secrets.store(`${PREFIX}${saved.id}`, JSON.stringify(saved));
        await window.update(WINDOW_KEY, [...idsOfWindow(), saved.id]);
      });
      return saved;
    },
    forget: ({ id }) => forgetId(id),
    rest: async () => {
      const waiting: PendingCode[] = [];
      await attempt('read', async () => {
        const mine = idsOfWindow();
        const all = (await secrets.keys()).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
        for (const id of new Set([...mine, ...all])) {
          const code = await read(id);
          // Closed windows leave their codes behind.
          if (code === undefined || code.deadline <= now()) await forgetId(id);
          else if (mine.includes(id)) waiting.push(code);
        }
      });
      return waiting;
    },
  };
}

function readPendingCode(id: string, value: unknown): PendingCode | undefined {
  if (!isJsonObject(value)) return undefined;
  const instance = stringMember(value, 'instance');
  const clientId = stringMember(value, 'clientId');
  const authorization = readDeviceAuthorization(value.authorization);
  const deadline = integerMember(value, 'deadline');
  if (instance === undefined || clientId === undefined || authorization === undefined || deadline === undefined) return undefined;
  const wanted = readWantedSession(value.wanted);
  return { id, instance, clientId, authorization, deadline, ...(wanted === undefined ? {} : { wanted }) };
}
