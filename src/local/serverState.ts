import type { Event } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { sentences } from './failures.ts';
import { watchServer } from './watch.ts';

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  /** Child of this window. */
  | {
      readonly kind: 'running';
      readonly origin: string;
      /** Identifies the data that it serves. */
      readonly instanceId: string;
      readonly pid: number;
      readonly version: string;
    }
  /**
   * Started by another window or from a terminal with the same data folder: used, but not controlled. If it ends without having been
   * stopped by the user, this window starts it again at the same address.
   */
  | { readonly kind: 'attached'; readonly origin: string; readonly instanceId: string }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'failed'; readonly code: string; readonly text: string; readonly hint: string };

/** Owner of the state of the local server. */
export interface ServerStates {
  readonly get: () => ServerState;
  /** Ends what belongs to the old state, then reports the new one. Returns it. */
  readonly set: (next: ServerState) => ServerState;
  /** Returns the milliseconds since the latest change. */
  readonly age: () => number;
  /** Registers how something ends that is done only until the next change, such as a pause before a restart. */
  readonly untilChange: (end: () => void) => void;
  /** Ends what belongs to the state, as a change does. */
  readonly endWaits: () => void;
  readonly onDidChange: Event<ServerState>;
}

/** Creates the owner, which watches the server while it is attached. `onGone` is called with its address when it has ended. */
export function createServerStates(settings: {
  readonly now: () => number;
  readonly log: Log;
  readonly onGone: (origin: string) => void;
}): ServerStates {
  const { now, log, onGone } = settings;
  const changes = createEmitter<ServerState>();
  let state: ServerState = { kind: 'stopped' };
  let since = 0;
  let ends: readonly (() => void)[] = [];

  function endWaits(): void {
    const ending = ends;
    ends = [];
    for (const end of ending) end();
  }

  return {
    get: () => state,
    set: (next) => {
      state = next;
      since = now();
      endWaits();
      if (next.kind === 'attached') ends = [watchServer(next.origin, () => onGone(next.origin))];
      if (next.kind === 'failed') log.warn(sentences(`Local server: failed (${next.code}): ${next.text}`, next.hint));
      else log.info(`Local server: ${next.kind}`);
      changes.fire(next);
      return next;
    },
    age: () => now() - since,
    untilChange: (end) => {
      ends = [...ends, end];
    },
    endWaits,
    onDidChange: changes.event,
  };
}

/** Returns the address of a server that can be used. */
export function originOf(state: ServerState): string | undefined {
  return state.kind === 'running' || state.kind === 'attached' ? state.origin : undefined;
}
