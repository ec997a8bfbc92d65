import * as l10n from '@vscode/l10n';
import type { Event } from 'vscode';
import type { Send } from '../api/transport.ts';
import { createEmitter } from '../support/emitter.ts';
import type { ProgressLine } from '../contract/control.ts';
import { type Log, messageOf } from '../support/log.ts';
import { sleep } from '../support/sleep.ts';
import { controlRequest } from './control.ts';
import { createCrashPolicy } from './crashes.ts';
import { sentences, startFailure } from './failures.ts';
import type { DataProfile } from './profiles.ts';
import { type Exit, type Launch, type ServerProcess, startServer, startTimer } from './serverProcess.ts';
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

export interface SupervisorSettings extends Pick<Launch, 'executable' | 'serverFile' | 'environment'> {
  /** Returns the profile for the next start. A running server keeps its profile. */
  readonly profile: () => DataProfile;
  readonly seed: () => Launch['seed'];
  /** Returns the platform to emulate after the next start. Default: that of the server. */
  readonly emulated?: () => Launch['emulated'];
  readonly send: Send;
  readonly log: Log;
  /** Called with the log lines of the server. */
  readonly report: (line: string) => void;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly limits?: Limits;
  /** Default: timers of Node.js. */
  readonly startTimer?: Launch['startTimer'];
}

/** Time limits in milliseconds. */
interface Limits {
  /** Silence of a starting server. */
  readonly handshake: number;
  /** Stopping after a shutdown request. */
  readonly shutdown: number;
  /** Stopping after the end of standard input. */
  readonly input: number;
  /** Stopping after SIGTERM. */
  readonly terminate: number;
  /** Stopping of a server of another window. */
  readonly elsewhere: number;
}

/** Milliseconds after which a server of another window counts as stable. If it ends later, it is restarted without a pause. */
const STABLE_AFTER = 10_000;

const defaultLimits: Limits = { handshake: 20_000, shutdown: 1_000, input: 1_000, terminate: 2_000, elsewhere: 10_000 };

/**
 * Creates the supervisor of the local server of this window. There is at most one child; starts and stops run one after the other. A child
 * that exits unexpectedly is restarted after a pause, unless it has exited too often.
 */
export function createSupervisor(settings: SupervisorSettings): Supervisor {
  const { send, log } = settings;
  const limits = settings.limits ?? defaultLimits;
  const changes = createEmitter<ServerState>();
  const progress = createEmitter<ProgressLine>();
  let state: ServerState = { kind: 'stopped' };
  let child: ServerProcess | undefined;
  let starting: Promise<ServerState> | undefined;
  let stopping: Promise<void> | undefined;
  let isReleased = false;
  let endWatch: (() => void) | undefined;
  /** Stops waiting for the restart of a server that the user stopped. */
  let endWaiting: (() => void) | undefined;
  /** Profile of the latest start. */
  let profile = settings.profile();
  let stateSince = 0;
  const crashes = createCrashPolicy(settings.now);
  /** Aborts the pause before the next start. */
  let restartPause: AbortController | undefined;

  function setState(next: ServerState): ServerState {
    state = next;
    stateSince = settings.now();
    restartPause?.abort();
    endWaiting?.();
    endWatch?.();
    endWatch = next.kind === 'attached' ? watchServer(next.origin, () => void takeOver(next.origin)) : undefined;
    if (next.kind === 'failed') log.warn(sentences(`Local server: failed (${next.code}): ${next.text}`, next.hint));
    else log.info(`Local server: ${next.kind}`);
    changes.fire(next);
    return next;
  }

  function start(dataChange?: Launch['dataChange']): Promise<ServerState> {
    starting ??= startOnce(dataChange).finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function startOnce(dataChange: Launch['dataChange']): Promise<ServerState> {
    await stopping;
    if (state.kind === 'running' || state.kind === 'attached') return state;
    profile = settings.profile();
    setState({ kind: 'starting' });
    try {
      const port = profile.lastPort.get();
      let started = await launch(port, dataChange);
      const { line } = started;
      if (line.event === 'fatal' && line.code.startsWith('port_') && port !== 0) {
        log.warn(`${line.message} The local server uses another port, so earlier addresses of it no longer work.`);
        // The data was changed before the server tried to listen, so it is not changed again.
        started = await launch(0, undefined);
      }
      return await adopt(started);
    } catch (error) {
      return setState({
        kind: 'failed',
        code: 'no_start',
        text: l10n.t('The local server could not be started: {0}', messageOf(error)),
        hint: '',
      });
    }
  }

  async function launch(port: number, dataChange: Launch['dataChange']): Promise<ServerProcess> {
    const { executable, serverFile, environment, report } = settings;
    return startServer({
      executable,
      serverFile,
      dataFolder: profile.folder,
      environment,
      report,
      port,
      dataChange,
      adminToken: await profile.adminToken(),
      limit: limits.handshake,
      startTimer: settings.startTimer ?? startTimer,
      onProgress: progress.fire,
      seed: settings.seed(),
      emulated: settings.emulated?.(),
    });
  }

  async function adopt(started: ServerProcess): Promise<ServerState> {
    const { line } = started;
    if (line.event !== 'listening') {
      started.endInput();
      if (line.event === 'busy') {
        profile.stopMark.clear();
        await remember(line);
        return setState({ kind: 'attached', origin: line.origin, instanceId: line.instanceId });
      }
      return setState({ kind: 'failed', ...startFailure(line.code, line.message, line.hint) });
    }
    if (isReleased) {
      started.endInput();
      return setState({ kind: 'stopped' });
    }
    child = started;
    void started.exited.then((exit) => {
      if (child === started) handleExit(started, exit);
    });
    // Cleared only now, so that waiting windows find this server and do not start another one.
    profile.stopMark.clear();
    await remember(line);
    const { origin, instanceId, pid, version } = line;
    return setState({ kind: 'running', origin, instanceId, pid, version });
  }

  async function remember({ origin, instanceId }: { readonly origin: string; readonly instanceId: string }): Promise<void> {
    await profile.lastPort.set(Number(new URL(origin).port));
    await profile.data.set(instanceId);
  }

  /** Replaces a server that has ended. All attached windows try it; the server's lock lets one succeed, and the others attach to it. */
  async function takeOver(origin: string): Promise<void> {
    if (state.kind !== 'attached' || state.origin !== origin) return;
    log.info(`The local server at ${origin} has ended.`);
    const aliveFor = settings.now() - stateSince;
    setState({ kind: 'stopped' });
    if (profile.stopMark.isSet()) {
      awaitReturn();
      return;
    }
    // Without a pause the first time: the server is in use, and usually only its window was closed.
    if (aliveFor >= STABLE_AFTER) await start();
    else await startAgain(aliveFor, windowClosed, '', 1);
  }

  /** Waits until a server that the user stopped is started again in any window, then attaches to it. */
  function awaitReturn(): void {
    if (!isReleased) endWaiting = profile.stopMark.whenCleared(() => void start());
  }

  function handleExit(ended: ServerProcess, { code, signal }: Exit): void {
    child = undefined;
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    if (profile.stopMark.isSet()) {
      log.info(`The local server was stopped by another window (${how}).`);
      setState({ kind: 'stopped' });
      awaitReturn();
      return;
    }
    for (const line of ended.lastLines()) log.warn(`Last output of the local server: ${line}`);
    // The first exit after a shutdown request, by a script or another window, is not a crash.
    const wasAsked = code === 0;
    const aliveFor = settings.now() - stateSince;
    if (wasAsked) setState({ kind: 'stopped' });
    void startAgain(aliveFor, (times) => unexpectedExit(code, signal, times), ended.lastLines().at(-1) ?? '', wasAsked ? 1 : 0);
  }

  /** Restarts the server after a pause, unless it has ended too often. The first `freeRestarts` restarts in a row need no pause. */
  async function startAgain(
    aliveFor: number,
    describe: (times: number | undefined) => string,
    lastLine: string,
    freeRestarts = 0,
  ): Promise<void> {
    const decision = crashes.ended(aliveFor);
    if (decision.kind === 'giveUp') {
      setState({
        kind: 'failed',
        code: 'crashed',
        text: describe(decision.times),
        hint: sentences(l10n.t('It will not be restarted automatically'), lastLine),
      });
      return;
    }
    if (decision.count > freeRestarts) {
      const hint = sentences(l10n.t('It will restart in {0} s', decision.pause / 1000), lastLine);
      setState({ kind: 'failed', code: 'ended', text: describe(undefined), hint });
      const pause = new AbortController();
      restartPause = pause;
      await settings.sleep(decision.pause, pause.signal);
      if (pause.signal.aborted || isReleased) return;
      if (profile.stopMark.isSet()) {
        setState({ kind: 'stopped' });
        awaitReturn();
        return;
      }
    }
    await start();
  }

  function stop(isOnPurpose: boolean): Promise<void> {
    stopping ??= stopOnce(isOnPurpose).finally(() => {
      stopping = undefined;
    });
    return stopping;
  }

  async function stopOnce(isOnPurpose: boolean): Promise<void> {
    await starting;
    endWaiting?.();
    const ending = child;
    const origin = originOf(state);
    if (ending !== undefined && origin !== undefined) {
      child = undefined;
      if (isOnPurpose) profile.stopMark.set();
      setState({ kind: 'stopping' });
      await stopChild(ending, origin);
    }
    if (state.kind !== 'stopped') setState({ kind: 'stopped' });
  }

  /** Stops the server of another window, which must not restart it. Returns true if it has ended. */
  async function endElsewhere(attached: ServerState & { readonly kind: 'attached' }): Promise<boolean> {
    profile.stopMark.set();
    // Also ends the watch, because this exit is expected.
    setState({ kind: 'stopping' });
    const response = await shutDown(attached.origin, AbortSignal.timeout(limits.elsewhere));
    // A server that does not respond may already be shutting down at the request of a third window.
    if (response !== 'refused' && (await isGoneElsewhere(attached.origin))) {
      setState({ kind: 'stopped' });
      return true;
    }
    profile.stopMark.clear();
    setState(attached);
    return false;
  }

  async function stopAnywhere(): Promise<'stopped' | 'refused'> {
    await starting;
    await stopping;
    if (state.kind !== 'attached') {
      await stop(true);
      return 'stopped';
    }
    const ending = endElsewhere(state);
    stopping = ending
      .then(() => undefined)
      .finally(() => {
        stopping = undefined;
      });
    return (await ending) ? 'stopped' : 'refused';
  }

  async function isGoneElsewhere(origin: string): Promise<boolean> {
    const done = new AbortController();
    let end = (): void => undefined;
    const exited = new Promise<boolean>((resolve) => {
      end = watchServer(origin, () => resolve(true));
    });
    const isGone = await Promise.race([exited, sleep(limits.elsewhere, done.signal).then(() => false)]);
    done.abort();
    end();
    return isGone;
  }

  /** Stops the child: by a request, then by closing its input, then by signals. */
  async function stopChild(ending: ServerProcess, origin: string): Promise<void> {
    const isGoneWithin = async (limit: number): Promise<boolean> => {
      const done = new AbortController();
      const inTime = await Promise.race([ending.exited.then(() => true), sleep(limit, done.signal).then(() => false)]);
      done.abort();
      return inTime;
    };
    void shutDown(origin, AbortSignal.timeout(limits.shutdown));
    if (await isGoneWithin(limits.shutdown)) return;
    ending.endInput();
    if (await isGoneWithin(limits.input)) return;
    log.warn('The local server did not shut down in time. Sending SIGTERM.');
    ending.kill('SIGTERM');
    if (await isGoneWithin(limits.terminate)) return;
    ending.kill('SIGKILL');
    await ending.exited;
  }

  async function shutDown(origin: string, signal: AbortSignal): Promise<'agreed' | 'refused' | 'silent'> {
    try {
      const response = await send(controlRequest(`${origin}/_local/shutdown`, await profile.adminToken()), signal);
      if (response.status < 300) return 'agreed';
      log.warn(`The local server rejected the shutdown request with status ${response.status}`);
      return 'refused';
    } catch (error) {
      log.debug(`The local server did not respond to the shutdown request: ${messageOf(error)}`);
    }
    return 'silent';
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    onDidProgress: progress.event,
    origin: () => originOf(state),
    start: (dataChange) => {
      crashes.forget();
      return start(dataChange);
    },
    stop: stopAnywhere,
    restore: async () => {
      profile = settings.profile();
      if (profile.stopMark.isSet()) awaitReturn();
      else await start();
    },
    restart: async (dataChange) => {
      crashes.forget();
      return (await stopAnywhere()) === 'refused' ? 'refused' : start(dataChange);
    },
    switchProfile: async () => {
      const wasRunning = state.kind === 'starting' || originOf(state) !== undefined;
      // Without a mark: a window that has not seen the new setting yet may keep using the old server for a moment.
      await stop(false);
      if (wasRunning) await start();
    },
    release: () => {
      isReleased = true;
      restartPause?.abort();
      endWaiting?.();
      endWatch?.();
      const ending = child;
      child = undefined;
      ending?.endInput();
    },
  };
}

function originOf(state: ServerState): string | undefined {
  return state.kind === 'running' || state.kind === 'attached' ? state.origin : undefined;
}

/** `times`: number of exits within the time window of the crash policy; undefined if there is a restart. */
function windowClosed(times: number | undefined): string {
  return times === undefined
    ? l10n.t('The local server stopped because the window that ran it was closed')
    : l10n.t('The local server stopped {0} times in 3 minutes because the window that ran it was closed', times);
}

function unexpectedExit(code: Exit['code'], signal: Exit['signal'], times: number | undefined): string {
  const how = signal === null ? l10n.t('exit code {0}', code ?? '') : l10n.t('signal {0}', signal);
  return times === undefined
    ? l10n.t('The local server stopped unexpectedly ({0})', how)
    : l10n.t('The local server stopped unexpectedly ({0}), {1} times in 3 minutes', how, times);
}
