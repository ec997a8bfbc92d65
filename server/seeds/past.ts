import type { SeedCore } from './seedCore.ts';
import { createChanges } from '../core/changes.ts';
import { createClock } from '../core/clock.ts';
import { createSchedule } from '../core/schedule.ts';
import { attachSubscribers } from '../subscribers.ts';

/** The same core at another time. Separate subscribers record its changes. */
export interface Past {
  readonly core: SeedCore;
  end(): void;
}

/** Returns the core at another time. `now` returns milliseconds since the epoch. */
export function pastOf(core: SeedCore, now: () => number): Past {
  const clock = createClock(undefined, now);
  const schedule = createSchedule(clock, (work, error) => core.log.error(`scheduled work "${work}" failed`, error));
  const past: SeedCore = { ...core, clock, schedule, changes: createChanges() };
  attachSubscribers(past);
  return {
    core: past,
    end: () => schedule.stop(),
  };
}
