import { SECOND } from '../../core/clock.ts';
import type { Platform } from '../../platform.ts';

/** Longest pause before each step of a move, in seconds. */
export const MAX_STEP_SECONDS = 3600;

/** Pauses that are not 0. They are only for experiments, so they end with the server. */
const pauses = new WeakMap<Platform, number>();

/** Returns the pause before each step of a move, in seconds. */
export function stepSeconds(platform: Platform): number {
  return pauses.get(platform) ?? 0;
}

export function setStepSeconds(platform: Platform, seconds: number): void {
  pauses.set(platform, seconds);
}

/** Returns the time from one step to the next, in milliseconds. It is never 0, so that a frozen clock holds all moves. */
export function pauseOf(platform: Platform): number {
  return Math.max(1, stepSeconds(platform) * SECOND);
}
