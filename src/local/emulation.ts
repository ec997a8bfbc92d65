import type { Event } from 'vscode';
import { type ClockState, isMovedClock } from '../contract/control.ts';
import type { Profile } from '../contract/emulation.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { LoadLocalControl } from './control.ts';

/** State that was read from a server. Empty if there is no server. */
export interface EmulatingServer {
  readonly origin?: string;
  readonly profile?: Profile;
  readonly hasDataFolder?: boolean;
  /** Clock of the server if it was moved or stopped. */
  readonly movedClock?: ClockState | undefined;
}

/** The platform that the current local server emulates: a connected server if it is the current instance, else that of the extension. */
export interface Emulation {
  /** Returns undefined while no server runs, and if another program runs it with its own token. */
  readonly current: () => Profile | undefined;
  /** Returns what is known of the server at an address; nothing while another one was read. */
  readonly at: (address: string | undefined) => EmulatingServer;
  /** Returns true if the server has a data folder. */
  readonly hasDataFolder: () => boolean;
  readonly onDidChange: Event<void>;
  /** Reads profile and clock again. Another window or program may have changed them. Never rejects. */
  readonly refresh: () => Promise<void>;
  /**
   * Changes members of the profile of the running server, or of the one with the key. Does nothing without one. Rejects with an `ApiFailure` or
   * a `TransportFailure`.
   */
  readonly change: (change: Partial<Profile>, key?: string) => Promise<void>;
  /** Must be called when the server has other data: profile and clock are read again, and views load as after a change. */
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
  let known: EmulatingServer = {};
  /** Number of the latest request. The responses of earlier ones are outdated. */
  let latest = 0;

  function set(next: EmulatingServer): void {
    const isSame = textOf(next) === textOf(known);
    known = next;
    if (!isSame) changes.fire();
  }

  async function read(): Promise<EmulatingServer> {
    try {
      const server = await control();
      if (server === undefined) return {};
      const clock = await server.clock();
      return {
        origin: server.origin,
        profile: await server.emulated(),
        hasDataFolder: (await server.dataFolder()) !== undefined,
        movedClock: clock !== undefined && isMovedClock(clock) ? clock : undefined,
      };
    } catch (error) {
      log.debug(`Could not read the emulated platform of the local server: ${messageOf(error)}`);
      return {};
    }
  }

  async function refresh(): Promise<void> {
    latest += 1;
    const request = latest;
    const next = await read();
    if (request === latest) set(next);
  }

  async function change(members: Partial<Profile>, key?: string): Promise<void> {
    const next = await (await control(key))?.emulate(members);
    if (key !== undefined) return refresh();
    latest += 1;
    if (next !== undefined) set({ ...known, profile: next });
  }

  onDidChangeServer(() => void refresh());
  return {
    current: () => known.profile,
    hasDataFolder: () => known.hasDataFolder === true,
    at: (address) => (known.origin === address ? known : {}),
    onDidChange: changes.event,
    refresh,
    change,
    dataReplaced: () => {
      changes.fire();
      // The clock belongs to the data.
      void refresh();
    },
    apply: async (members) => {
      const { profile } = known;
      if (profile === undefined || isSameProfile({ ...profile, ...members }, profile)) return;
      try {
        await change(members);
      } catch (error) {
        log.warn(`Could not change the emulated platform of the local server: ${messageOf(error)}`);
      }
    },
  };
}

/** Returns what distinguishes servers, as text. A clock that runs always shows another time, and one that is stopped has another difference. */
function textOf({ movedClock, ...rest }: EmulatingServer): string {
  return JSON.stringify([rest, movedClock && { ...movedClock, [movedClock.isFrozen ? 'offset' : 'now']: 0 }]);
}

function isSameProfile(a: Profile, b: Profile): boolean {
  return a.release === b.release && a.tier === b.tier && a.offering === b.offering && a.dialect === b.dialect;
}
