import { SECOND } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import type { Throttle } from '../../http/rateLimits.ts';
import { mapValues } from '../../support/mapValues.ts';
import { rangeErrors } from './checks.ts';
import { type NumberName, numbers, type SwitchName, switches } from './definitions.ts';
import { storedSetting, storeSetting } from './store.ts';

export { demandNoErrors } from './checks.ts';
export { numbers, switches } from './definitions.ts';
export { allPlanLimits, changePlanLimits, isLimitReached, planLimits } from './planLimits.ts';

const throttleNames = ['throttle_unauthenticated_api', 'throttle_authenticated_api'] as const;

/** Returns the value of a boolean setting, or its default value if the emulated release, tier or offering does not have it. */
export function isOn({ store, profile }: Core, name: SwitchName): boolean {
  const definition = switches[name];
  const stored = isAvailable(definition, profile) ? storedSetting(store, name) : undefined;
  return stored === undefined ? definition.defaultValue : stored === 1;
}

/** Returns the value of a setting that is a number, or its default value if the emulated release, tier or offering does not have it. */
export function settingNumber({ store, profile }: Core, name: NumberName): number {
  const definition = numbers[name];
  const stored = isAvailable(definition, profile) ? storedSetting(store, name) : undefined;
  return stored ?? definition.defaultValue;
}

/** Returns the rate limits that are on. */
export function throttles(core: Core): Throttle[] {
  return throttleNames
    .filter((name) => isOn(core, `${name}_enabled`))
    .map((name) => ({
      name,
      requests: settingNumber(core, `${name}_requests_per_period`),
      period: settingNumber(core, `${name}_period_in_seconds`) * SECOND,
    }));
}

/** Returns the maximum of `page` times `per_page`. */
export function maximumOffset(core: Core): number {
  const limit = settingNumber(core, 'offset_pagination_limit');
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

/** Returns the values of all settings that the emulated release, tier and offering have. */
export function settingValues(core: Core): Readonly<Record<string, unknown>> {
  const has = (definition: Availability): boolean => isAvailable(definition, core.profile);
  const values = {
    ...mapValues(switches, (definition, name) => (has(definition) ? isOn(core, name) : undefined)),
    ...mapValues(numbers, (definition, name) => (has(definition) ? settingNumber(core, name) : undefined)),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** New values of settings. Omitted settings do not change. */
export type ChangedValues = { readonly [Name in SwitchName]?: boolean | undefined } & {
  readonly [Name in NumberName]?: number | undefined;
};

/** Returns the validation errors of new values, by setting. */
export function valueErrors(input: ChangedValues): Readonly<Record<NumberName, readonly string[]>> {
  return mapValues(numbers, (definition, name) => rangeErrors(definition, input[name]));
}

/** Stores new values, in the current transaction. The caller has checked them, and publishes the change. */
export function storeValues({ store }: Pick<Core, 'store'>, input: ChangedValues): void {
  const stored = mapValues({ ...switches, ...numbers }, (_definition, name) => input[name]);
  for (const [name, value] of Object.entries(stored)) {
    if (value !== undefined) storeSetting(store, name, Number(value));
  }
}
