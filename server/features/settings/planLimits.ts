import { invalidRecord, MAX_NUMBER } from '../../http/failures.ts';
import type { Platform } from '../../platform.ts';
import { storedSetting, storeSetting } from './store.ts';

/** Limits of the plan `default` by their names on GitLab. 0 means no limit. Only limits with an effect are included. */
const planLimits = {
  /** Jobs of one pipeline. */
  ci_pipeline_size: 0,
  /** Jobs in the active pipelines of a project. */
  ci_active_jobs: 0,
  /** Pipeline schedules of a project. */
  ci_pipeline_schedules: 10,
} as const;

export type PlanLimit = keyof typeof planLimits;

const planLimitNames = ['ci_pipeline_size', 'ci_active_jobs', 'ci_pipeline_schedules'] as const satisfies PlanLimit[];

export type PlanLimitValues = { readonly [Name in PlanLimit]: number };

const key = (name: PlanLimit): string => `plan_limits.${name}`;

/** Returns a limit; 0 means no limit. */
export function planLimit({ store }: Pick<Platform, 'store'>, name: PlanLimit): number {
  return storedSetting(store, key(name)) ?? planLimits[name];
}

/** Returns true if a project has already reached a limit with this number of items. */
export function isLimitReached(platform: Pick<Platform, 'store'>, name: PlanLimit, count: number): boolean {
  const limit = planLimit(platform, name);
  return limit > 0 && count >= limit;
}

export function allPlanLimits(platform: Pick<Platform, 'store'>): PlanLimitValues {
  return {
    ci_pipeline_size: planLimit(platform, 'ci_pipeline_size'),
    ci_active_jobs: planLimit(platform, 'ci_active_jobs'),
    ci_pipeline_schedules: planLimit(platform, 'ci_pipeline_schedules'),
  };
}

/**
 * Changes limits. Omitted ones do not change.
 *
 * @throws {WireFailure} 400 for numbers that are negative or too large; no limit is changed then.
 */
export function changePlanLimits(
  platform: Pick<Platform, 'store' | 'changes'>,
  input: { readonly [Name in PlanLimit]?: number | undefined },
): void {
  const { store, changes } = platform;
  const sent = planLimitNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]] as const]));
  const errors: [PlanLimit, string[]][] = [];
  for (const [name, value] of sent) {
    if (value < 0) errors.push([name, ['must be greater than or equal to 0']]);
    else if (value > MAX_NUMBER) errors.push([name, [`must be less than or equal to ${MAX_NUMBER}`]]);
  }
  if (errors.length > 0) throw invalidRecord(Object.fromEntries(errors));
  store.transaction(() => {
    const changed = sent.filter(([name, value]) => planLimit(platform, name) !== value);
    const attributes = changed.map(([name, value]) => ({
      attribute: key(name),
      from: String(planLimit(platform, name)),
      to: String(value),
    }));
    for (const [name, value] of changed) storeSetting(store, key(name), value);
    if (attributes.length > 0) changes.publish({ kind: 'settingsChanged', attributes });
  });
}
