import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import type { NotificationApi } from './api.ts';
import { createRequestQueue } from './requestQueue.ts';
import type { NotificationScope } from './scopes.ts';
import { isSameSetting, type KnownSetting, type SettingChange } from './settings.ts';

/** Change to make in one scope. */
export interface PlannedChange {
  readonly scope: NotificationScope;
  /** Settings before the change. */
  readonly before: KnownSetting;
  readonly change: SettingChange;
}

/** Change that was made, with what is needed to undo it. */
export interface MadeChange {
  readonly scope: NotificationScope;
  /** Settings before the change. Its switches are set if the change has replaced them. */
  readonly before: KnownSetting;
  readonly after: KnownSetting;
}

export interface FailedChange {
  readonly scope: NotificationScope;
  readonly failure: ApiFailure;
}

export interface ChangeOutcome {
  readonly made: readonly MadeChange[];
  readonly failed: readonly FailedChange[];
  /** Scopes whose settings were changed elsewhere in the meantime and therefore kept. */
  readonly skipped: readonly NotificationScope[];
}

export interface BulkSettings {
  readonly signal?: AbortSignal;
  /** Called after each scope. */
  readonly onProgress?: () => void;
}

const MAX_PARALLEL = 4;

/** Makes changes, a few at once. A failure does not stop the others. Never rejects. */
export function makeChanges(
  api: NotificationApi,
  planned: readonly PlannedChange[],
  settings: BulkSettings = {},
): Promise<ChangeOutcome> {
  return inEach(planned, (one) => makeChange(api, one), settings);
}

/** Undoes changes. Settings that differ from the change were changed elsewhere and are kept. Never rejects. */
export function undoChanges(
  api: NotificationApi,
  made: readonly MadeChange[],
  settings: BulkSettings = {},
): Promise<ChangeOutcome> {
  return inEach(made, (one) => undoChange(api, one), settings);
}

/**
 * Makes a change. `learn` is called with the stored switches before they are replaced: the API reports them only after the level has
 * become `custom`.
 */
export async function makeChange(
  api: NotificationApi,
  { scope, before, change }: PlannedChange,
  learn?: (before: KnownSetting) => Promise<void>,
): Promise<MadeChange> {
  const becomesCustom = change.level === 'custom' && before.level !== 'custom' && change.switches !== undefined;
  if (!becomesCustom || scope.kind === 'global')
    return { scope, before, after: await api.write(scope, change, before.level === 'custom' ? before : undefined) };
  const stored = await api.write(scope, { level: 'custom' }, undefined);
  const learned = { ...before, switches: stored.switches };
  await learn?.(learned);
  return { scope, before: learned, after: await api.write(scope, { switches: change.switches ?? {} }, stored) };
}

/** Restores the settings before a change unless they were changed since. Returns undefined if they were. */
export async function undoChange(api: NotificationApi, { scope, before, after }: MadeChange): Promise<MadeChange | undefined> {
  const now = await api.read(scope);
  const isChanged = !isSameSetting(now, after) || (after.email !== undefined && now.email !== after.email);
  if (isChanged) return undefined;
  return { scope, before: now, after: await restore(api, scope, before, now) };
}

async function restore(
  api: NotificationApi,
  scope: NotificationScope,
  before: KnownSetting,
  now: KnownSetting,
): Promise<KnownSetting> {
  let current = now;
  if (before.level === 'custom' && current.level !== 'custom') current = await api.write(scope, { level: 'custom' }, undefined);
  // Switches are restored while they are reported, so that a reset that had no effect is noticed.
  if (
    current.level === 'custom' &&
    Object.keys(before.switches).length > 0 &&
    !isSameSetting({ ...before, level: 'custom' }, current)
  )
    current = await api.write(scope, { switches: before.switches }, current);
  const email = before.email === undefined || before.email === current.email ? {} : { email: before.email };
  const level = before.level === current.level ? {} : { level: before.level };
  return 'email' in email || 'level' in level ? api.write(scope, { ...level, ...email }, current) : current;
}

async function inEach<T extends { readonly scope: NotificationScope }>(
  all: readonly T[],
  work: (one: T) => Promise<MadeChange | undefined>,
  { signal, onProgress }: BulkSettings,
): Promise<ChangeOutcome> {
  const queue = createRequestQueue(MAX_PARALLEL);
  const made: MadeChange[] = [];
  const failed: FailedChange[] = [];
  const skipped: NotificationScope[] = [];
  await Promise.all(
    all.map((one) =>
      queue.add(async () => {
        if (signal?.aborted === true) return;
        try {
          const done = await work(one);
          if (done === undefined) skipped.push(one.scope);
          else made.push(done);
        } catch (error) {
          failed.push({ scope: one.scope, failure: failureOfAny(error) });
        }
        onProgress?.();
      }),
    ),
  );
  return { made, failed, skipped };
}
