import type { Core } from '../../core/core.ts';
import { mapValues } from '../../support/mapValues.ts';
import { demandNoErrors, rangeErrors } from './checks.ts';
import { storedSetting, storeSetting } from './store.ts';

/** Limits of the plan `default` by their names on GitLab. 0 means no limit. Only limits with an effect are included. */
export const planLimits = {
  /** Jobs of one pipeline. */
  ci_pipeline_size: 0,
  /** Jobs in the active pipelines of a project. */
  ci_active_jobs: 0,
  /** Pipeline schedules of a project. */
  ci_pipeline_schedules: 10,
} as const;

type PlanLimit = keyof typeof planLimits;

const key = (name: PlanLimit): string => `plan_limits.${name}`;

/** Returns a limit; 0 means no limit. */
export function planLimit({ store }: Pick<Core, 'store'>, name: PlanLimit): number {
  return storedSetting(store, key(name)) ?? planLimits[name];
}

/** Returns true if a project has already reached a limit with this number of items. */
export function isLimitReached(core: Pick<Core, 'store'>, name: PlanLimit, count: number): boolean {
  const limit = planLimit(core, name);
  return limit > 0 && count >= limit;
}

export function allPlanLimits(core: Pick<Core, 'store'>): Readonly<Record<PlanLimit, number>> {
  return mapValues(planLimits, (_defaultValue, name) => planLimit(core, name));
}

/**
 * Changes limits. Omitted ones do not change.
 *
 * @throws {Invalid} For numbers that are negative or too large; no limit is changed then.
 */
export function changePlanLimits(
  core: Pick<Core, 'store' | 'changes'>,
  input: { readonly [Name in PlanLimit]?: number | undefined },
): void {
  const { store, changes } = core;
  demandNoErrors(mapValues(planLimits, (_defaultValue, name) => rangeErrors({ minimum: 0 }, input[name])));
  store.transaction(() => {
    const limits = mapValues(planLimits, (_defaultValue, name) => {
      const from = planLimit(core, name);
      return { name: key(name), from, to: input[name] ?? from };
    });
    const changed = Object.values(limits).filter(({ from, to }) => from !== to);
    for (const { name, to } of changed) storeSetting(store, name, to);
    const attributes = changed.map(({ name, from, to }) => ({ attribute: name, from: String(from), to: String(to) }));
    if (attributes.length > 0) changes.publish({ kind: 'settingsChanged', attributes });
  });
}
