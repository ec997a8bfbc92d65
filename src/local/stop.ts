import type { Send } from '../api/transport.ts';
import { type Log, messageOf } from '../support/log.ts';
import { sleep } from '../support/sleep.ts';
import { controlRequest } from './control.ts';
import type { CurrentServer } from './currentServer.ts';
import type { DataProfile } from './profiles.ts';
import type { ServerProcess } from './serverProcess.ts';
import { originOf, type ServerState } from './serverState.ts';
import { watchServer } from './watch.ts';

/** Time limits of stopping, in milliseconds. */
export interface StopLimits {
  /** After a shutdown request. */
  readonly shutdown: number;
  /** After the end of standard input. */
  readonly input: number;
  /** After SIGTERM. */
  readonly terminate: number;
  /** For a server of another window. */
  readonly elsewhere: number;
}

export interface Stop {
  readonly send: Send;
  readonly limits: StopLimits;
  readonly log: Log;
}

/** Stops the child, if there is one. `isOnPurpose`: other windows must not restart it. */
export async function stopHere(current: CurrentServer, how: Stop, isOnPurpose: boolean): Promise<void> {
  const { states, profile, child } = current;
  states.endWaits();
  const origin = originOf(states.get());
  if (child !== undefined && origin !== undefined) {
    current.child = undefined;
    if (isOnPurpose) profile.stopMark.set();
    states.set({ kind: 'stopping' });
    await stopChild(child, origin, profile, how);
  }
  if (states.get().kind !== 'stopped') states.set({ kind: 'stopped' });
}

/** Stops the server of another window, which must not restart it. Returns true if it has ended. */
export async function stopElsewhere(
  { states, profile }: CurrentServer,
  how: Stop,
  attached: ServerState & { readonly kind: 'attached' },
): Promise<boolean> {
  const { limits } = how;
  profile.stopMark.set();
  // Also ends the watch, because this exit is expected.
  states.set({ kind: 'stopping' });
  const response = await shutDown(attached.origin, profile, how, limits.elsewhere);
  // A server that does not respond may already be shutting down at the request of a third window.
  if (response !== 'refused' && (await endsWithin(attached.origin, limits.elsewhere))) {
    states.set({ kind: 'stopped' });
    return true;
  }
  profile.stopMark.clear();
  states.set(attached);
  return false;
}

/** Stops the child: by a request, then by closing its input, then by signals. */
async function stopChild(child: ServerProcess, origin: string, profile: DataProfile, how: Stop): Promise<void> {
  const { limits, log } = how;
  const isGoneWithin = (limit: number): Promise<boolean> =>
    resolvesWithin(
      child.exited.then((): true => true),
      limit,
    );
  void shutDown(origin, profile, how, limits.shutdown);
  if (await isGoneWithin(limits.shutdown)) return;
  child.endInput();
  if (await isGoneWithin(limits.input)) return;
  log.warn('The local server did not shut down in time. Sending SIGTERM.');
  child.kill('SIGTERM');
  if (await isGoneWithin(limits.terminate)) return;
  child.kill('SIGKILL');
  await child.exited;
}

async function shutDown(
  origin: string,
  profile: DataProfile,
  { send, log }: Stop,
  limit: number,
): Promise<'agreed' | 'refused' | 'silent'> {
  const signal = AbortSignal.timeout(limit);
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

/** Returns true if nothing listens at the origin any more within the limit. */
async function endsWithin(origin: string, limit: number): Promise<boolean> {
  let end = (): void => undefined;
  const ended = new Promise<true>((resolve) => {
    end = watchServer(origin, () => resolve(true));
  });
  const isGone = await resolvesWithin(ended, limit);
  end();
  return isGone;
}

async function resolvesWithin(event: Promise<true>, limit: number): Promise<boolean> {
  const done = new AbortController();
  const inTime = await Promise.race([event, sleep(limit, done.signal).then(() => false)]);
  done.abort();
  return inTime;
}
