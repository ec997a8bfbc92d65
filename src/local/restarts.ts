import * as l10n from '@vscode/l10n';
import type { Log } from '../support/log.ts';
import type { CurrentServer } from './currentServer.ts';
import { createCrashPolicy } from './crashes.ts';
import { sentences } from './failures.ts';
import type { Exit, ServerProcess } from './serverProcess.ts';

/** Milliseconds after which a server of another window counts as stable. If it ends later, it is restarted without a pause. */
const STABLE_AFTER = 10_000;

export interface RestartSettings {
  readonly start: () => Promise<unknown>;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
}

/** Reactions to a server that has ended without this window. */
export interface Restarts {
  /** Replaces a server that has ended. All attached windows try it; the server's lock lets one succeed, and the others attach to it. */
  readonly takeOver: (origin: string) => Promise<void>;
  /** Handles the exit of the child. */
  readonly handleExit: (ended: ServerProcess, exit: Exit) => void;
  /** Waits until a server that the user stopped is started again in any window, then attaches to it. */
  readonly awaitReturn: () => void;
  /** Forgets earlier exits. Called when the user starts the server. */
  readonly forget: () => void;
}

export function createRestarts(current: CurrentServer, { start, now, sleep, log }: RestartSettings): Restarts {
  const { states } = current;
  const crashes = createCrashPolicy(now);

  async function takeOver(origin: string): Promise<void> {
    const state = states.get();
    if (state.kind !== 'attached' || state.origin !== origin) return;
    log.info(`The local server at ${origin} has ended.`);
    const aliveFor = states.age();
    states.set({ kind: 'stopped' });
    if (current.profile.stopMark.isSet()) {
      awaitReturn();
      return;
    }
    // Without a pause the first time: the server is in use, and usually only its window was closed.
    if (aliveFor >= STABLE_AFTER) await start();
    else await startAgain({ aliveFor, describe: windowClosed, lastLine: '', freeRestarts: 1 });
  }

  function awaitReturn(): void {
    if (!current.isReleased) states.untilChange(current.profile.stopMark.whenCleared(() => void start()));
  }

  function handleExit(ended: ServerProcess, { code, signal }: Exit): void {
    current.child = undefined;
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    if (current.profile.stopMark.isSet()) {
      log.info(`The local server was stopped by another window (${how}).`);
      states.set({ kind: 'stopped' });
      awaitReturn();
      return;
    }
    for (const line of ended.lastLines()) log.warn(`Last output of the local server: ${line}`);
    // The first exit after a shutdown request, by a script or another window, is not a crash.
    const wasAsked = code === 0;
    const aliveFor = states.age();
    if (wasAsked) states.set({ kind: 'stopped' });
    void startAgain({
      aliveFor,
      describe: (times) => unexpectedExit(code, signal, times),
      lastLine: ended.lastLines().at(-1) ?? '',
      freeRestarts: wasAsked ? 1 : 0,
    });
  }

  /** Restarts the server after a pause, unless it has ended too often. */
  async function startAgain({ aliveFor, describe, lastLine, freeRestarts }: Ending): Promise<void> {
    const decision = crashes.ended(aliveFor);
    if (decision.kind === 'giveUp') {
      states.set({
        kind: 'failed',
        code: 'crashed',
        text: describe(decision.times),
        hint: sentences(l10n.t('It will not be restarted automatically'), lastLine),
      });
      return;
    }
    if (decision.count > freeRestarts) {
      const hint = sentences(l10n.t('It will restart in {0} s', decision.pause / 1000), lastLine);
      states.set({ kind: 'failed', code: 'ended', text: describe(undefined), hint });
      const pause = new AbortController();
      states.untilChange(() => pause.abort());
      await sleep(decision.pause, pause.signal);
      if (pause.signal.aborted || current.isReleased) return;
      if (current.profile.stopMark.isSet()) {
        states.set({ kind: 'stopped' });
        awaitReturn();
        return;
      }
    }
    await start();
  }

  return { takeOver, handleExit, awaitReturn, forget: crashes.forget };
}

/** End of a server that this window did not stop. */
interface Ending {
  /** Milliseconds that the server ran. */
  readonly aliveFor: number;
  /** Returns the text about it. `times`: number of exits within the time window of the crash policy; undefined if there is a restart. */
  readonly describe: (times: number | undefined) => string;
  readonly lastLine: string;
  /** Number of restarts in a row without a pause. */
  readonly freeRestarts: number;
}

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
