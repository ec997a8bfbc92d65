import type { SeedCore } from './seedCore.ts';
import type { Path, Problem } from './document.ts';

/** One event of a seed file. */
export interface Step {
  readonly path: Path;
  /** Time in milliseconds since the epoch. Undefined if the file does not set it. */
  readonly at: number | undefined;
  /** Steps that must happen earlier. Each was added before this one. */
  readonly needs: readonly Step[];
  /** Steps that happen earlier unless the file sets other times, such as memberships. Each was added before this one. */
  readonly follows: readonly Step[];
  /** True for a step that happens as soon as the steps before it have happened if the file sets no time, such as a setting. */
  readonly early?: boolean;
  /** Runs the step on the platform at its time. Throws StepRefused, or the error of a rule. */
  run(core: SeedCore): void;
}

/** Refusal of one step. */
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
 * Assigns a time to every step and sorts the steps by time. A step without a time happens now, together with the first step that needs it,
 * or, if it is an early one, together with the last step that it needs. A step that is earlier than one it needs is a problem.
 */
export function timelineOf(
  steps: readonly Step[],
  now: number,
  named: (path: Path) => string,
): { readonly timeline: readonly TimedStep[]; readonly problems: readonly Problem[] } {
  /** Latest time of a step, and the step that determines it. */
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
  for (const step of steps) {
    const latest = [...step.needs, ...step.follows].map((earlier) => times.get(earlier)).reduce(laterOf, undefined);
    if (step.early === true && step.at === undefined && latest !== undefined) times.set(step, { time: latest.time, by: step });
  }
  const problems = steps.flatMap((step): Problem[] => {
    const own = times.get(step);
    const late = step.needs.find((needed) => (times.get(needed)?.time ?? 0) > (own?.time ?? 0));
    if (own === undefined || late === undefined) return [];
    return [{ path: own.by.path, text: `is earlier than ${named(late.path)}, which it requires` }];
  });
  const timeline = steps.map((step, index) => ({ step, index, time: times.get(step)?.time ?? now }));
  return { timeline: timeline.sort((one, other) => one.time - other.time || one.index - other.index), problems };
}

function laterOf<T extends { readonly time: number }>(one: T | undefined, other: T | undefined): T | undefined {
  return one !== undefined && (other === undefined || one.time >= other.time) ? one : other;
}
