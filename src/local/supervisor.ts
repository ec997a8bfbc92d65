import type { Event } from 'vscode';
import type { Send } from '../api/transport.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, wordsOf } from '../support/log.ts';
import { sleep } from '../support/sleep.ts';
import { controlRequest } from './control.ts';
import type { StopMark } from './stopMark.ts';
import { type Exit, type Launch, type ServerProcess, startServer } from './serverProcess.ts';
import { watchServer } from './watch.ts';

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  /** Our own child. */
  | { readonly kind: 'running'; readonly origin: string; readonly pid: number; readonly version: string }
  /**
   * Started by another window or from a terminal on the same data folder: used, but not controlled. When it goes, and nobody has
   * stopped it on purpose, this window starts it again at the same address.
   */
  | { readonly kind: 'attached'; readonly origin: string }
  | { readonly kind: 'stopping' }
  /** `words` go on after "The local server". */
  | { readonly kind: 'failed'; readonly code: string; readonly words: string; readonly hint: string };

export interface Supervisor {
  readonly state: () => ServerState;
  readonly onDidChange: Event<ServerState>;
  /** Address of the server while there is one. */
  readonly origin: () => string | undefined;
  /** Starts the server or finds the one that is there. Never rejects: the state says what came of it. */
  readonly start: () => Promise<ServerState>;
  /** Starts it unless somebody has stopped it on purpose: for a window that had it before. */
  readonly restore: () => Promise<void>;
  /** Stops our own child, in every window. One that is attached is let go and goes on running. */
  readonly stop: () => Promise<void>;
  readonly restart: () => Promise<ServerState>;
  /** Tells the child to end and does not wait for it: the editor is going. */
  readonly release: () => void;
}

export interface SupervisorSettings extends Pick<Launch, 'executable' | 'serverFile' | 'dataFolder' | 'environment'> {
  readonly seed: () => Launch['seed'];
  readonly adminToken: () => Promise<string>;
  /** The port of last time, so that addresses handed to other programs stay valid. */
  readonly lastPort: { readonly get: () => number; readonly set: (port: number) => PromiseLike<void> };
  readonly stopMark: StopMark;
  readonly send: Send;
  readonly log: Log;
  /** Takes the server's own lines. */
  readonly report: (line: string) => void;
  /** Milliseconds: for the first line, then for each step of stopping. */
  readonly limits?: { readonly handshake: number; readonly shutdown: number; readonly input: number; readonly terminate: number };
}

/** Milliseconds in which this window starts a server that another one left at most once. */
const ONE_TAKEOVER = 10_000;

const usualLimits = { handshake: 10_000, shutdown: 1_000, input: 1_000, terminate: 2_000 };

/**
 * Owns the local server of this window: one child at most, started and stopped one after the other. A child that ended by itself is not
 * started again.
 */
export function createSupervisor(settings: SupervisorSettings): Supervisor {
  const { lastPort, stopMark, send, log } = settings;
  const limits = settings.limits ?? usualLimits;
  const changes = createEmitter<ServerState>();
  let state: ServerState = { kind: 'stopped' };
  let child: ServerProcess | undefined;
  let starting: Promise<ServerState> | undefined;
  let stopping: Promise<void> | undefined;
  let isReleased = false;
  let endWatch: (() => void) | undefined;
  let takenOverAt: number | undefined;

  function become(next: ServerState): ServerState {
    state = next;
    endWatch?.();
    endWatch = next.kind === 'attached' ? watchServer(next.origin, () => void takeOver(next.origin)) : undefined;
    log.info(`Local server: ${next.kind}${next.kind === 'failed' ? ` (${next.code}): it ${next.words}` : ''}`);
    changes.fire(next);
    return next;
  }

  function start(): Promise<ServerState> {
    starting ??= startOnce().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function startOnce(): Promise<ServerState> {
    await stopping;
    if (state.kind === 'running' || state.kind === 'attached') return state;
    become({ kind: 'starting' });
    try {
      stopMark.clear();
      const port = lastPort.get();
      let started = await launch(port);
      // Another program has the port of last time; any other will do.
      if (started.line.event === 'fatal' && started.line.code === 'port_taken' && port !== 0) started = await launch(0);
      return await adopt(started);
    } catch (error) {
      return become({
        kind: 'failed',
        code: 'no_start',
        words: `could not be started: ${wordsOf(error)}`,
        hint: '',
      });
    }
  }

  async function launch(port: number): Promise<ServerProcess> {
    const { executable, serverFile, dataFolder, environment, report } = settings;
    const adminToken = await settings.adminToken();
    const limit = limits.handshake;
    return startServer({
      executable,
      serverFile,
      dataFolder,
      environment,
      report,
      port,
      adminToken,
      limit,
      seed: settings.seed(),
    });
  }

  async function adopt(started: ServerProcess): Promise<ServerState> {
    const { line } = started;
    if (line.event !== 'listening') {
      started.endInput();
      if (line.event === 'busy') {
        await rememberPort(line.origin);
        return become({ kind: 'attached', origin: line.origin });
      }
      const { code, message, hint } = line;
      return become({ kind: 'failed', code, words: `did not start: ${message}`, hint });
    }
    if (isReleased) {
      started.endInput();
      return become({ kind: 'stopped' });
    }
    child = started;
    void started.gone.then((exit) => {
      if (child === started) lost(started, exit);
    });
    await rememberPort(line.origin);
    return become({ kind: 'running', origin: line.origin, pid: line.pid, version: line.version });
  }

  async function rememberPort(origin: string): Promise<void> {
    await lastPort.set(Number(new URL(origin).port));
  }

  /** Every attached window does this at once; the server's own lock lets one of them win, and the others attach to that one. */
  async function takeOver(origin: string): Promise<void> {
    if (state.kind !== 'attached' || state.origin !== origin) return;
    log.info(`The local server at ${origin} is gone.`);
    become({ kind: 'stopped' });
    // A server that comes and goes is not chased.
    const isAgain = takenOverAt !== undefined && Date.now() - takenOverAt < ONE_TAKEOVER;
    takenOverAt = Date.now();
    if (!isAgain && !stopMark.isSet()) await start();
  }

  function lost(ended: ServerProcess, { code, signal }: Exit): void {
    child = undefined;
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    for (const line of ended.lastLines()) log.warn(`Local server, before it ended: ${line}`);
    become({
      kind: 'failed',
      code: 'ended',
      words: `ended by itself (${how})`,
      hint: ended.lastLines().at(-1) ?? '',
    });
  }

  function stop(isOnPurpose: boolean): Promise<void> {
    stopping ??= stopOnce(isOnPurpose).finally(() => {
      stopping = undefined;
    });
    return stopping;
  }

  async function stopOnce(isOnPurpose: boolean): Promise<void> {
    await starting;
    const ending = child;
    const origin = originOf(state);
    if (ending !== undefined && origin !== undefined) {
      child = undefined;
      if (isOnPurpose) stopMark.set();
      become({ kind: 'stopping' });
      await stopChild(ending, origin);
    }
    if (state.kind !== 'stopped') become({ kind: 'stopped' });
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

  async function shutDown(origin: string, signal: AbortSignal): Promise<void> {
    try {
      const answer = await send(controlRequest(`${origin}/_local/shutdown`, await settings.adminToken()), signal);
      if (answer.status >= 300) log.warn(`The local server refused to shut down: status ${answer.status}`);
    } catch (error) {
      log.debug(`The local server did not answer the request to shut down: ${wordsOf(error)}`);
    }
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    origin: () => originOf(state),
    start,
    stop: () => stop(true),
    restore: async () => {
      if (!stopMark.isSet()) await start();
    },
    restart: async () => {
      await stop(false);
      return start();
    },
    release: () => {
      isReleased = true;
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
