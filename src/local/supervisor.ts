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
  /** Our own child. */
  | {
      readonly kind: 'running';
      readonly origin: string;
      /** Which data it serves. */
      readonly instanceId: string;
      readonly pid: number;
      readonly version: string;
    }
  /**
   * Started by another window or from a terminal on the same data folder: used, but not controlled. When it goes, and nobody has
   * stopped it on purpose, this window starts it again at the same address.
   */
  | { readonly kind: 'attached'; readonly origin: string; readonly instanceId: string }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'failed'; readonly code: string; readonly text: string; readonly hint: string };

export interface Supervisor {
  readonly state: () => ServerState;
  readonly onDidChange: Event<ServerState>;
  /** Fires while the state is `starting`: how far the server is. */
  readonly onDidProgress: Event<ProgressLine>;
  /** Address of the server while there is one. */
  readonly origin: () => string | undefined;
  /** Starts the server or finds the one that is there. Never rejects: the state says what came of it. */
  readonly start: (input?: Launch['input']) => Promise<ServerState>;
  /** Starts it unless somebody has stopped it on purpose: for a window that had it before. */
  readonly restore: () => Promise<void>;
  /**
   * Stops the server wherever it runs, for every window. `refused`: it runs in a program that is not ours to stop, and goes on as it
   * was.
   */
  readonly stop: () => Promise<'stopped' | 'refused'>;
  /** Stops it and starts it here, with a wish about its data; windows that had it have this one then. */
  readonly restart: (input?: Launch['input']) => Promise<ServerState | 'refused'>;
  /** To be called when the profile is another one: lets go of the server of the one before and, if there was one, starts this one's. */
  readonly move: () => Promise<void>;
  /** Tells the child to end and does not wait for it: the editor is going. */
  readonly release: () => void;
}

export interface SupervisorSettings extends Pick<Launch, 'executable' | 'serverFile' | 'environment'> {
  /** The data that the next start is for. A server that runs keeps what it was started with. */
  readonly profile: () => DataProfile;
  readonly seed: () => Launch['seed'];
  readonly send: Send;
  readonly log: Log;
  /** Takes the server's own lines. */
  readonly report: (line: string) => void;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly limits?: Limits;
  /** Of Node when it is left out. */
  readonly startTimer?: Launch['startTimer'];
}

/** Milliseconds: without any line of a server that starts, for each step of stopping, and for a server of another window to be gone once it has agreed. */
interface Limits {
  readonly handshake: number;
  readonly shutdown: number;
  readonly input: number;
  readonly terminate: number;
  readonly elsewhere: number;
}

/** Milliseconds after which a server of another window that goes is no longer one that comes and goes. */
const STEADY = 10_000;

const usualLimits: Limits = { handshake: 20_000, shutdown: 1_000, input: 1_000, terminate: 2_000, elsewhere: 10_000 };

/**
 * Owns the local server of this window: one child at most, started and stopped one after the other. A child that ended by itself is
 * started again after a pause, until it has done so too often.
 */
export function createSupervisor(settings: SupervisorSettings): Supervisor {
  const { send, log } = settings;
  const limits = settings.limits ?? usualLimits;
  const changes = createEmitter<ServerState>();
  const progress = createEmitter<ProgressLine>();
  let state: ServerState = { kind: 'stopped' };
  let child: ServerProcess | undefined;
  let starting: Promise<ServerState> | undefined;
  let stopping: Promise<void> | undefined;
  let isReleased = false;
  let endWatch: (() => void) | undefined;
  /** Ends the waiting for a server that somebody stopped on purpose. */
  let endAbsence: (() => void) | undefined;
  /** What the server was started with, or would have been. */
  let profile = settings.profile();
  let since = 0;
  const crashes = createCrashPolicy(settings.now);
  /** Ends the pause before the next start. */
  let pausing: AbortController | undefined;

  function setState(next: ServerState): ServerState {
    state = next;
    since = settings.now();
    pausing?.abort();
    endAbsence?.();
    endWatch?.();
    endWatch = next.kind === 'attached' ? watchServer(next.origin, () => void takeOver(next.origin)) : undefined;
    if (next.kind === 'failed') log.warn(sentences(`Local server: failed (${next.code}): ${next.text}`, next.hint));
    else log.info(`Local server: ${next.kind}`);
    changes.fire(next);
    return next;
  }

  function start(input?: Launch['input']): Promise<ServerState> {
    starting ??= startOnce(input).finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function startOnce(input: Launch['input']): Promise<ServerState> {
    await stopping;
    if (state.kind === 'running' || state.kind === 'attached') return state;
    profile = settings.profile();
    setState({ kind: 'starting' });
    try {
      const port = profile.lastPort.get();
      let started = await launch(port, input);
      const { line } = started;
      if (line.event === 'fatal' && line.code.startsWith('port_') && port !== 0) {
        log.warn(
          `${line.message} The local server takes another port; addresses that were handed out before lead to it no more.`,
        );
        // The wish is fulfilled before the server listens.
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

  async function launch(port: number, input: Launch['input']): Promise<ServerProcess> {
    const { executable, serverFile, environment, report } = settings;
    return startServer({
      executable,
      serverFile,
      dataFolder: profile.folder,
      environment,
      report,
      port,
      input,
      adminToken: await profile.adminToken(),
      limit: limits.handshake,
      startTimer: settings.startTimer ?? startTimer,
      onProgress: progress.fire,
      seed: settings.seed(),
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
    void started.gone.then((exit) => {
      if (child === started) lost(started, exit);
    });
    // Only now: windows that wait for it find this server and start none of their own.
    profile.stopMark.clear();
    await remember(line);
    const { origin, instanceId, pid, version } = line;
    return setState({ kind: 'running', origin, instanceId, pid, version });
  }

  async function remember({ origin, instanceId }: { readonly origin: string; readonly instanceId: string }): Promise<void> {
    await profile.lastPort.set(Number(new URL(origin).port));
    await profile.data.set(instanceId);
  }

  /** Every attached window does this at once; the server's own lock lets one of them win, and the others attach to that one. */
  async function takeOver(origin: string): Promise<void> {
    if (state.kind !== 'attached' || state.origin !== origin) return;
    log.info(`The local server at ${origin} is gone.`);
    const aliveFor = settings.now() - since;
    setState({ kind: 'stopped' });
    if (profile.stopMark.isSet()) {
      awaitReturn();
      return;
    }
    // The first to come at once: somebody waits for it, and most often only its window was closed.
    if (aliveFor >= STEADY) await start();
    else await startAgain(aliveFor, goneWithItsWindow, '', 1);
  }

  /** Somebody stopped it in another window; when somebody starts it again there, this window has it again, too. */
  function awaitReturn(): void {
    if (!isReleased) endAbsence = profile.stopMark.whenCleared(() => void start());
  }

  function lost(ended: ServerProcess, { code, signal }: Exit): void {
    child = undefined;
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    if (profile.stopMark.isSet()) {
      log.info(`The local server was stopped by another window (${how}).`);
      setState({ kind: 'stopped' });
      awaitReturn();
      return;
    }
    for (const line of ended.lastLines()) log.warn(`Local server, before it ended: ${line}`);
    // One that was asked to end, by a script or by a window that has started its own since, is no crash the first time.
    const wasAsked = code === 0;
    const aliveFor = settings.now() - since;
    if (wasAsked) setState({ kind: 'stopped' });
    void startAgain(aliveFor, (times) => endedByItself(code, signal, times), ended.lastLines().at(-1) ?? '', wasAsked ? 1 : 0);
  }

  /** Starts it again after a pause, if it has not ended too often; `sparing` so many of the first ends need no pause. */
  async function startAgain(
    aliveFor: number,
    tell: (times: number | undefined) => string,
    lastLine: string,
    sparing = 0,
  ): Promise<void> {
    const verdict = crashes.ended(aliveFor);
    if (verdict.kind === 'enough') {
      setState({
        kind: 'failed',
        code: 'crashed',
        text: tell(verdict.times),
        hint: sentences(l10n.t('It will not be restarted automatically'), lastLine),
      });
      return;
    }
    if (verdict.count > sparing) {
      const hint = sentences(l10n.t('It will restart in {0} s', verdict.pause / 1000), lastLine);
      setState({ kind: 'failed', code: 'ended', text: tell(undefined), hint });
      const pause = new AbortController();
      pausing = pause;
      await settings.sleep(verdict.pause, pause.signal);
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
    endAbsence?.();
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

  /** Ends the server of another window, which takes that for a stop on purpose. True when it is gone. */
  async function endElsewhere(attached: ServerState & { readonly kind: 'attached' }): Promise<boolean> {
    profile.stopMark.set();
    // Ends the watch, too: this end is ours.
    setState({ kind: 'stopping' });
    const response = await shutDown(attached.origin, AbortSignal.timeout(limits.elsewhere));
    // One that says nothing may be ending already, because a third window has asked it.
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
    const gone = new Promise<boolean>((resolve) => {
      end = watchServer(origin, () => resolve(true));
    });
    const isGone = await Promise.race([gone, sleep(limits.elsewhere, done.signal).then(() => false)]);
    done.abort();
    end();
    return isGone;
  }

  /** Asks, then ends the input, then signals, ever less kindly. */
  async function stopChild(ending: ServerProcess, origin: string): Promise<void> {
    const isGoneWithin = async (limit: number): Promise<boolean> => {
      const done = new AbortController();
      const inTime = await Promise.race([ending.gone.then(() => true), sleep(limit, done.signal).then(() => false)]);
      done.abort();
      return inTime;
    };
    void shutDown(origin, AbortSignal.timeout(limits.shutdown));
    if (await isGoneWithin(limits.shutdown)) return;
    ending.endInput();
    if (await isGoneWithin(limits.input)) return;
    log.warn('The local server did not stop when asked; it is told to by signals.');
    ending.kill('SIGTERM');
    if (await isGoneWithin(limits.terminate)) return;
    ending.kill('SIGKILL');
    await ending.gone;
  }

  async function shutDown(origin: string, signal: AbortSignal): Promise<'agreed' | 'refused' | 'silent'> {
    try {
      const response = await send(controlRequest(`${origin}/_local/shutdown`, await profile.adminToken()), signal);
      if (response.status < 300) return 'agreed';
      log.warn(`The local server refused to shut down: status ${response.status}`);
      return 'refused';
    } catch (error) {
      log.debug(`The local server did not answer the request to shut down: ${messageOf(error)}`);
    }
    return 'silent';
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    onDidProgress: progress.event,
    origin: () => originOf(state),
    start: (input) => {
      crashes.forget();
      return start(input);
    },
    stop: stopAnywhere,
    restore: async () => {
      profile = settings.profile();
      if (profile.stopMark.isSet()) awaitReturn();
      else await start();
    },
    restart: async (input) => {
      crashes.forget();
      return (await stopAnywhere()) === 'refused' ? 'refused' : start(input);
    },
    move: async () => {
      const had = state.kind === 'starting' || originOf(state) !== undefined;
      // Without the mark: another window that has not heard of the other profile yet may have the old server for a moment.
      await stop(false);
      if (had) await start();
    },
    release: () => {
      isReleased = true;
      pausing?.abort();
      endAbsence?.();
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

/** `times`: how often within the time that the crash policy looks at, when that was too often. */
function goneWithItsWindow(times: number | undefined): string {
  return times === undefined
    ? l10n.t('The local server stopped because the window that ran it was closed')
    : l10n.t('The local server stopped {0} times in 3 minutes because the window that ran it was closed', times);
}

function endedByItself(code: Exit['code'], signal: Exit['signal'], times: number | undefined): string {
  const how = signal === null ? l10n.t('exit code {0}', code ?? '') : l10n.t('signal {0}', signal);
  return times === undefined
    ? l10n.t('The local server stopped unexpectedly ({0})', how)
    : l10n.t('The local server stopped unexpectedly ({0}), {1} times in 3 minutes', how, times);
}
