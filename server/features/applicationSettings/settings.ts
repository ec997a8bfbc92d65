import { changedAttributes } from '../../core/changes.ts';
import { MAX_NUMBER } from '../../support/maxNumber.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { MAX_WEIGHT, setStorageWeights, storageWeights } from '../../repositories/storages.ts';
import { mapValues } from '../../support/mapValues.ts';
import { retryAll, smtpUrl, smtpUrlProblem, storeSmtp } from '../mail/mail.ts';
import { type ChangedValues, demandNoErrors, settingValues, storeValues, valueErrors } from '../settings/settings.ts';
import { type SentWeights, weightErrors } from './weights.ts';

const MAX_PASSWORD_LENGTH = 1000;

/** Returns all settings that the emulated release, tier and offering have, without passwords. */
export function allSettings(core: GitCore): Readonly<Record<string, unknown>> {
  return { ...settingValues(core), repository_storages_weighted: storageWeights(core), smtp_url: smtpUrl(core) };
}

/** Returns all settings as texts that can be compared and recorded. */
function auditedSettings(core: GitCore): Readonly<Record<string, string>> {
  return mapValues(allSettings(core), (value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** Changes of settings. Omitted settings do not change. */
export interface SettingsInput extends ChangedValues {
  /** Weights of the storages of new repositories. Storages that are not named get the weight 0. */
  readonly repository_storages_weighted?: SentWeights | undefined;
  /** SMTP server that mails are sent to; empty for that of the command line, if any. */
  readonly smtp_url?: string | undefined;
  /** Stored sealed, and never returned. Empty for none. */
  readonly smtp_password?: string | undefined;
}

/**
 * Changes settings and publishes the changed ones for audit events. `isProject` returns true if the caller can see a project with an ID.
 *
 * @throws {Invalid} For invalid values; no setting is changed then.
 */
export function changeSettings(core: GitCore, input: SettingsInput, isProject: (id: number) => boolean): void {
  const { store, changes } = core;
  demandNoErrors(inputErrors(core, input, isProject));
  store.transaction(() => {
    const before = auditedSettings(core);
    storeValues(core, input);
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
    ...valueErrors(input),
    ...(streamProjectId > 0 && streamProjectId <= MAX_NUMBER && !isProject(streamProjectId)
      ? { error_tracking_stream_project_id: ['is no project'] }
      : {}),
    repository_storages_weighted: weights === undefined ? [] : weightErrors(weights, repositories.storages, MAX_WEIGHT),
    smtp_url: urlProblem === undefined ? [] : [urlProblem],
    smtp_password: password.length > MAX_PASSWORD_LENGTH ? [`is too long (maximum is ${MAX_PASSWORD_LENGTH} characters)`] : [],
  };
}
