import type { Event } from 'vscode';
import type { Send } from '../api/transport.ts';
import type { ProgressLine } from '../contract/control.ts';
import { createEmitter } from '../support/emitter.ts';
import type { CurrentServer } from './currentServer.ts';
import type { DataProfile } from './profiles.ts';
import { createRestarts } from './restarts.ts';
import type { Launch } from './serverProcess.ts';
import { createServerStates, originOf, type ServerState } from './serverState.ts';
import { start, type StartSettings } from './start.ts';
import { stopElsewhere, stopHere, type StopLimits } from './stop.ts';

export interface Supervisor {
  readonly state: () => ServerState;
  readonly onDidChange: Event<ServerState>;
  /** Fires with the progress of the startup while the state is `starting`. */
  readonly onDidProgress: Event<ProgressLine>;
  /** Returns the address of the server while it runs. */
  readonly origin: () => string | undefined;
  /** Starts the server or attaches to a running one. Never rejects; the state contains the result. */
  readonly start: (dataChange?: Launch['dataChange']) => Promise<ServerState>;
  /** Starts the server unless the user stopped it. For a window that used it before. */
  readonly restore: () => Promise<void>;
  /**
   * Stops the server for all windows, including a server of another window. `refused`: another program runs the server with its own token,
   * so it keeps running.
   */
  readonly stop: () => Promise<'stopped' | 'refused'>;
  /** Stops the server and starts it in this window, optionally with changed data. Attached windows attach to the new server. */
  readonly restart: (dataChange?: Launch['dataChange']) => Promise<ServerState | 'refused'>;
  /** Must be called when another profile is selected. Stops the server of the old profile and starts that of the new one if it was running. */
  readonly switchProfile: () => Promise<void>;
  /** Ends the child without waiting for it, because VS Code is shutting down. */
  readonly release: () => void;
}

export interface SupervisorSettings extends StartSettings {
  /** Returns the profile for the next start. A running server keeps its profile. */
  readonly profile: () => DataProfile;
  readonly send: Send;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly limits?: Limits;
}

/** Time limits in milliseconds. */
interface Limits extends StopLimits {
  /** Silence of a starting server. */
  readonly handshake: number;
}

const defaultLimits: Limits = { handshake: 20_000, shutdown: 1_000, input: 1_000, terminate: 2_000, elsewhere: 10_000 };

/**
 * Creates the supervisor of the local server of this window. There is at most one child; starts and stops run one after the other. A child
 * that exits unexpectedly is restarted after a pause, unless it has exited too often.
 */
export function createSupervisor(settings: SupervisorSettings): Supervisor {
  const { send, log, now, sleep } = settings;
  const limits = settings.limits ?? defaultLimits;
  const progress = createEmitter<ProgressLine>();
  const states = createServerStates({ now, log, onGone: (origin) => void restarts.takeOver(origin) });
  const current: CurrentServer = { states, child: undefined, profile: settings.profile(), isReleased: false };
  const restarts = createRestarts(current, { start: startAlone, now, sleep, log });
  const howToStart = { settings, limit: limits.handshake, onProgress: progress.fire, onExit: restarts.handleExit };
  const howToStop = { send, limits, log };
  let starting: Promise<ServerState> | undefined;
  let stopping: Promise<unknown> | undefined;

  function startAlone(dataChange?: Launch['dataChange']): Promise<ServerState> {
    starting ??= startAfterStop(dataChange).finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function startAfterStop(dataChange: Launch['dataChange']): Promise<ServerState> {
    await stopping;
    const state = states.get();
    if (state.kind === 'running' || state.kind === 'attached') return state;
    current.profile = settings.profile();
    return start(current, howToStart, dataChange);
  }

  async function stopAfterStart(isOnPurpose: boolean): Promise<void> {
    await starting;
    await stopHere(current, howToStop, isOnPurpose);
  }

  /** Runs a stop, during which no start begins. */
  function whileStopping<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => {
      stopping = undefined;
    });
    stopping = ended;
    return ended;
  }

  async function stop(isOnPurpose: boolean): Promise<void> {
    await (stopping ?? whileStopping(stopAfterStart(isOnPurpose)));
  }

  async function stopAnywhere(): Promise<'stopped' | 'refused'> {
    await starting;
    await stopping;
    const state = states.get();
    if (state.kind === 'attached') return (await whileStopping(stopElsewhere(current, howToStop, state))) ? 'stopped' : 'refused';
    await stop(true);
    return 'stopped';
  }

  return {
    state: states.get,
    onDidChange: states.onDidChange,
    onDidProgress: progress.event,
    origin: () => originOf(states.get()),
    start: (dataChange) => {
      restarts.forget();
      return startAlone(dataChange);
    },
    stop: stopAnywhere,
    restore: async () => {
      current.profile = settings.profile();
      if (current.profile.stopMark.isSet()) restarts.awaitReturn();
      else await startAlone();
    },
    restart: async (dataChange) => {
      restarts.forget();
      return (await stopAnywhere()) === 'refused' ? 'refused' : startAlone(dataChange);
    },
    switchProfile: async () => {
      const wasRunning = states.get().kind === 'starting' || originOf(states.get()) !== undefined;
      // Without a mark: a window that has not seen the new setting yet may keep using the old server for a moment.
      await stop(false);
      if (wasRunning) await startAlone();
    },
    release: () => {
      current.isReleased = true;
      states.endWaits();
      const { child } = current;
      current.child = undefined;
      child?.endInput();
    },
  };
}
