import { SECOND } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';

/** Longest pause before each step of a move, in seconds. */
export const MAX_STEP_SECONDS = 3600;

/** Pauses that are not 0. They are only for experiments, so they end with the server. */
const pauses = new WeakMap<Core, number>();

/** Returns the pause before each step of a move, in seconds. */
export function stepSeconds(core: Core): number {
  return pauses.get(core) ?? 0;
}

export function setStepSeconds(core: Core, seconds: number): void {
  pauses.set(core, seconds);
}

/** Returns the time from one step to the next, in milliseconds. It is never 0, so that a frozen clock holds all moves. */
export function pauseOf(core: Core): number {
  return Math.max(1, stepSeconds(core) * SECOND);
}
