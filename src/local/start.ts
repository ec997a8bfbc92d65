import * as l10n from '@vscode/l10n';
import type { ProgressLine } from '../contract/control.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { CurrentServer } from './currentServer.ts';
import { startFailure } from './failures.ts';
import type { DataProfile } from './profiles.ts';
import { type Exit, type Launch, type ServerProcess, startServer, startTimer } from './serverProcess.ts';
import type { ServerState } from './serverState.ts';

export interface StartSettings extends Pick<Launch, 'executable' | 'serverFile' | 'environment' | 'report'> {
  readonly seed: () => Launch['seed'];
  /** Returns the further storages. An error that it throws is the reason why the server does not start. */
  readonly storages?: () => Launch['storages'];
  /** Returns the platform to emulate after the next start. Default: that of the server. */
  readonly emulated?: () => Launch['emulated'];
  /** Default: timers of Node.js. */
  readonly startTimer?: Launch['startTimer'];
  readonly log: Log;
}

export interface Start {
  readonly settings: StartSettings;
  /** Longest silence of a starting server, in milliseconds. */
  readonly limit: number;
  readonly onProgress: (progress: ProgressLine) => void;
  /** Called when a started child exits without having been told to stop. */
  readonly onExit: (child: ServerProcess, exit: Exit) => void;
}

/** Starts the server or attaches to a running one. Never rejects; the state contains the result. */
export async function start(current: CurrentServer, how: Start, dataChange: Launch['dataChange']): Promise<ServerState> {
  const { states, profile } = current;
  states.set({ kind: 'starting' });
  try {
    return await adopt(current, await launch(profile, how, dataChange), how.onExit);
  } catch (error) {
    return states.set({
      kind: 'failed',
      code: 'no_start',
      text: l10n.t('The local server could not be started: {0}', messageOf(error)),
      hint: '',
    });
  }
}

/** Starts the child at the last port, or at another one if that is taken. */
async function launch(profile: DataProfile, how: Start, dataChange: Launch['dataChange']): Promise<ServerProcess> {
  const {
    executable,
    serverFile,
    environment,
    report,
    seed,
    storages,
    emulated,
    startTimer: timer = startTimer,
    log,
  } = how.settings;
  const launchAt = async (port: number, change: Launch['dataChange']): Promise<ServerProcess> =>
    startServer({
      executable,
      serverFile,
      dataFolder: profile.folder,
      environment,
      report,
      port,
      dataChange: change,
      adminToken: await profile.adminToken(),
      limit: how.limit,
      startTimer: timer,
      onProgress: how.onProgress,
      seed: seed(),
      storages: storages?.(),
      emulated: emulated?.(),
    });

  const port = profile.lastPort.get();
  const started = await launchAt(port, dataChange);
  const { line } = started;
  if (line.event !== 'fatal' || !line.code.startsWith('port_') || port === 0) return started;
  log.warn(`${line.message} The local server uses another port, so earlier addresses of it no longer work.`);
  // The data was changed before the server tried to listen, so it is not changed again.
  return launchAt(0, undefined);
}

/** Sets the state that follows from the handshake of a started child. */
async function adopt(current: CurrentServer, started: ServerProcess, onExit: Start['onExit']): Promise<ServerState> {
  const { states, profile } = current;
  const { line } = started;
  if (line.event !== 'listening') {
    started.endInput();
    if (line.event !== 'busy') return states.set({ kind: 'failed', ...startFailure(line.code, line.message, line.hint) });
    profile.stopMark.clear();
    await remember(profile, line);
    return states.set({ kind: 'attached', origin: line.origin, instanceId: line.instanceId });
  }
  if (current.isReleased) {
    started.endInput();
    return states.set({ kind: 'stopped' });
  }
  current.child = started;
  void started.exited.then((exit) => {
    if (current.child === started) onExit(started, exit);
  });
  // Cleared only now, so that waiting windows find this server and do not start another one.
  profile.stopMark.clear();
  await remember(profile, line);
  const { origin, instanceId, pid, version } = line;
  return states.set({ kind: 'running', origin, instanceId, pid, version });
}

async function remember(
  profile: DataProfile,
  { origin, instanceId }: { readonly origin: string; readonly instanceId: string },
): Promise<void> {
  await profile.lastPort.set(Number(new URL(origin).port));
  await profile.data.set(instanceId);
}
