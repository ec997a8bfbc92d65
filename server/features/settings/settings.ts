import type { GitCore } from '../../repositories/repositories.ts';
import { SECOND } from '../../core/clock.ts';
import type { Throttle } from '../../http/rateLimits.ts';
import { changedAttributes } from '../../core/changes.ts';
import { retryAll } from '../mail/sending.ts';
import { smtpUrl, smtpUrlProblem, storeSmtp } from '../mail/smtp.ts';
import { MAX_WEIGHT, setStorageWeights, storageWeights } from '../../repositories/storages.ts';
import { MAX_NUMBER } from '../../http/failures.ts';
import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import { mapValues } from '../../support/mapValues.ts';
import { demandNoErrors, rangeErrors } from './checks.ts';
import { type NumberName, numbers, type SwitchName, switches } from './definitions.ts';
import { storedSetting, storeSetting } from './store.ts';
import { type SentWeights, weightErrors } from './weights.ts';

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

/** Returns all settings that the emulated release, tier and offering have, without passwords. */
export function allSettings(core: GitCore): Readonly<Record<string, unknown>> {
  const has = (definition: Availability): boolean => isAvailable(definition, core.profile);
  const values = {
    ...mapValues(switches, (definition, name) => (has(definition) ? isOn(core, name) : undefined)),
    ...mapValues(numbers, (definition, name) => (has(definition) ? settingNumber(core, name) : undefined)),
    repository_storages_weighted: storageWeights(core),
    smtp_url: smtpUrl(core),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Returns all settings as texts that can be compared and recorded. */
function auditedSettings(core: GitCore): Readonly<Record<string, string>> {
  return mapValues(allSettings(core), (value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

const MAX_PASSWORD_LENGTH = 1000;

/** Changes of settings. Omitted settings do not change. */
export type SettingsInput = { readonly [Name in SwitchName]?: boolean | undefined } & {
  readonly [Name in NumberName]?: number | undefined;
} & {
  /** Weights of the storages of new repositories. Storages that are not named get the weight 0. */
  readonly repository_storages_weighted?: SentWeights | undefined;
  /** SMTP server that mails are sent to; empty for that of the command line, if any. */
  readonly smtp_url?: string | undefined;
  /** Stored sealed, and never returned. Empty for none. */
  readonly smtp_password?: string | undefined;
};

/**
 * Changes settings and publishes the changed ones for audit events. `isProject` returns true if the caller can see a project with an ID.
 *
 * @throws {WireFailure} 400 for invalid values; no setting is changed then.
 */
export function changeSettings(core: GitCore, input: SettingsInput, isProject: (id: number) => boolean): void {
  const { store, changes } = core;
  demandNoErrors(inputErrors(core, input, isProject));
  store.transaction(() => {
    const before = auditedSettings(core);
    const stored = mapValues({ ...switches, ...numbers }, (_definition, name) => input[name]);
    for (const [name, value] of Object.entries(stored)) {
      if (value !== undefined) storeSetting(store, name, Number(value));
    }
    const { repository_storages_weighted: weights, smtp_url: url, smtp_password: password } = input;
    if (weights !== undefined) setStorageWeights(core, weights);
    storeSmtp(core, { url, password });
    if (url !== undefined || password !== undefined) retryAll(core);
    const names = mapValues(before, (_value, name) => name);
    const attributes = [
      ...changedAttributes(names, before, auditedSettings(core)),
      ...(password === undefined ? [] : [{ attribute: 'smtp_password', from: '[masked]', to: '[masked]' }]),
    ];
    if (attributes.length > 0) changes.publish({ kind: 'settingsChanged', attributes });
  });
}

/** Returns the validation errors of changes by setting. */
function inputErrors(
  { repositories }: GitCore,
  input: SettingsInput,
  isProject: (id: number) => boolean,
): Readonly<Record<string, readonly string[]>> {
  const { repository_storages_weighted: weights, smtp_url: url, smtp_password: password = '' } = input;
  const { error_tracking_stream_project_id: streamProjectId = 0 } = input;
  const urlProblem = smtpUrlProblem(url);
  return {
    ...mapValues(numbers, (definition, name) => rangeErrors(definition, input[name])),
    ...(streamProjectId > 0 && streamProjectId <= MAX_NUMBER && !isProject(streamProjectId)
      ? { error_tracking_stream_project_id: ['is no project'] }
      : {}),
    repository_storages_weighted: weights === undefined ? [] : weightErrors(weights, repositories.storages, MAX_WEIGHT),
    smtp_url: urlProblem === undefined ? [] : [urlProblem],
    smtp_password: password.length > MAX_PASSWORD_LENGTH ? [`is too long (maximum is ${MAX_PASSWORD_LENGTH} characters)`] : [],
  };
}
