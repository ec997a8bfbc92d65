import type { Path, Problem } from './document.ts';
import type { Platform } from '../platform.ts';

/** One thing that a seed file says happened. */
export interface Step {
  readonly path: Path;
  /** Milliseconds since the epoch; undefined when the file does not say. */
  readonly at: number | undefined;
  /** What must have happened before; each was made before this one. */
  readonly needs: readonly Step[];
  /** What has happened before unless the file says otherwise, such as that somebody joined; each was made before this one. */
  readonly follows: readonly Step[];
  /** Does it on the platform of its time. Throws StepRefused, or WireFailure as the API would. */
  run(platform: Platform): void;
}

/** Why one step could not be done. */
export class StepRefused extends Error {
  readonly path: Path;
  constructor(path: Path, text: string) {
    super(text);
    this.path = path;
  }
}

export interface TimedStep {
  readonly step: Step;
  readonly time: number;
}

/**
 * Gives every step its time, in the order in which they happen. What has none happens now, or when the first thing happens that needs it;
 * what the file says to be earlier than something that it needs is a problem.
 */
export function timelineOf(
  steps: readonly Step[],
  now: number,
  named: (path: Path) => string,
): { readonly timeline: readonly TimedStep[]; readonly problems: readonly Problem[] } {
  /** The time that a step must not be later than, and the step that says so. */
  const limits = new Map<Step, { readonly time: number; readonly by: Step }>();
  const times = new Map<Step, { readonly time: number; readonly by: Step }>();
  for (const step of steps.toReversed()) {
    const limit = limits.get(step);
    const time = step.at === undefined ? (limit ?? { time: now, by: step }) : { time: step.at, by: step };
    times.set(step, time);
    for (const needed of [...step.needs, ...step.follows]) {
      if (time.time < (limits.get(needed)?.time ?? Number.POSITIVE_INFINITY)) limits.set(needed, time);
    }
  }
  const problems = steps.flatMap((step): Problem[] => {
    const own = times.get(step);
    const late = step.needs.find((needed) => (times.get(needed)?.time ?? 0) > (own?.time ?? 0));
    if (own === undefined || late === undefined) return [];
    return [{ path: own.by.path, text: `is earlier than ${named(late.path)}, which it needs` }];
  });
  const timeline = steps.map((step, index) => ({ step, index, time: times.get(step)?.time ?? now }));
  return { timeline: timeline.sort((one, other) => one.time - other.time || one.index - other.index), problems };
}
