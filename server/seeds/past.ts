import { createChanges } from '../core/changes.ts';
import { createClock } from '../core/clock.ts';
import type { Platform } from '../platform.ts';
import { createSchedule } from '../core/schedule.ts';
import { attachSubscribers } from '../subscribers.ts';

/** The same platform at another time. Separate subscribers record its changes. */
export interface Past {
  readonly platform: Platform;
  end(): void;
}

/** Returns the platform at another time. `now` returns milliseconds since the epoch. */
export function pastOf(platform: Platform, now: () => number): Past {
  const clock = createClock(undefined, now);
  const schedule = createSchedule(clock, (work, error) => platform.log.error(`scheduled work "${work}" failed`, error));
  const past: Platform = { ...platform, clock, schedule, changes: createChanges() };
  attachSubscribers(past);
  return {
    platform: past,
    end: () => schedule.stop(),
  };
}
