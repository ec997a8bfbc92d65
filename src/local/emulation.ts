import type { Event } from 'vscode';
import type { Profile } from '../contract/emulation.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { LoadLocalControl } from './control.ts';

/** The platform that the current local server emulates: a connected server if it is the current instance, else that of the extension. */
export interface Emulation {
  /** Returns undefined while no server runs, and if another program runs it with its own token. */
  readonly current: () => Profile | undefined;
  /** Returns true if the server has a data folder. */
  readonly hasDataFolder: () => boolean;
  readonly onDidChange: Event<void>;
  /** Reads the profile again. Another window or program may have changed it. Never rejects. */
  readonly refresh: () => Promise<void>;
  /**
   * Changes members of the profile of the running server, or of the one with the key. Does nothing without one. Rejects with an `ApiFailure` or
   * a `TransportFailure`.
   */
  readonly change: (change: Partial<Profile>, key?: string) => Promise<void>;
  /** Must be called when the server has other data: it is read again like after a change of the profile. */
  readonly dataReplaced: () => void;
  /** Like `change`, for settings that were changed. Sends nothing if the server has these values already. Never rejects. */
  readonly apply: (change: Partial<Profile>) => Promise<void>;
}

export interface EmulationSettings {
  readonly control: LoadLocalControl;
  /** Fires when the server may be another one or has started or stopped. */
  readonly onDidChangeServer: Event<unknown>;
  readonly log: Log;
}

export function createEmulation({ control, onDidChangeServer, log }: EmulationSettings): Emulation {
  const changes = createEmitter<void>();
  let profile: Profile | undefined;
  let hasDataFolder = false;
  /** Number of the latest request. The responses of earlier ones are outdated. */
  let latest = 0;

  function set(next: Profile | undefined, hasFolder = hasDataFolder): void {
    const isSame = next === undefined || profile === undefined ? next === profile : isSameProfile(next, profile);
    const isSameData = hasFolder === hasDataFolder;
    profile = next;
    hasDataFolder = hasFolder;
    if (!isSame || !isSameData) changes.fire();
  }

  async function read(): Promise<readonly [profile: Profile | undefined, hasFolder: boolean]> {
    try {
      const server = await control();
      return server === undefined ? [undefined, false] : [await server.emulated(), (await server.dataFolder()) !== undefined];
    } catch (error) {
      log.debug(`Could not read the emulated platform of the local server: ${messageOf(error)}`);
      return [undefined, false];
    }
  }

  async function refresh(): Promise<void> {
    latest += 1;
    const request = latest;
    const next = await read();
    if (request === latest) set(...next);
  }

  async function change(members: Partial<Profile>, key?: string): Promise<void> {
    const next = await (await control(key))?.emulate(members);
    if (key !== undefined) return refresh();
    latest += 1;
    if (next !== undefined) set(next);
  }

  onDidChangeServer(() => void refresh());
  return {
    current: () => profile,
    hasDataFolder: () => hasDataFolder,
    onDidChange: changes.event,
    refresh,
    change,
    dataReplaced: () => changes.fire(),
    apply: async (members) => {
      if (profile === undefined || isSameProfile({ ...profile, ...members }, profile)) return;
      try {
        await change(members);
      } catch (error) {
        log.warn(`Could not change the emulated platform of the local server: ${messageOf(error)}`);
      }
    },
  };
}

function isSameProfile(a: Profile, b: Profile): boolean {
  return a.release === b.release && a.tier === b.tier && a.offering === b.offering && a.dialect === b.dialect;
}
