import { DAY, HOUR } from '../../core/clock.ts';
import { MAX_NUMBER } from '../../support/maxNumber.ts';
import { isLongerThan } from '../../support/textLength.ts';

export const runnerTypes = ['instance_type', 'group_type', 'project_type'] as const;
export type RunnerType = (typeof runnerTypes)[number];
export const accessLevels = ['not_protected', 'ref_protected'] as const;

/** Time without contact after which a runner is offline or stale, in milliseconds. */
export const OFFLINE_AFTER = 2 * HOUR;
export const STALE_AFTER = 7 * DAY;

export const runnerStatuses = ['online', 'offline', 'stale', 'never_contacted'] as const;
export type RunnerStatus = (typeof runnerStatuses)[number];

/** Values of the filter `status`. The first two are older names for whether a runner is paused. */
export const statusFilters = ['active', 'paused', ...runnerStatuses] as const;
export type StatusFilter = (typeof statusFilters)[number];

interface Contacts {
  readonly created_at: number;
  readonly contacted_at: number | null;
}

export function statusOf({ created_at, contacted_at }: Contacts, now: number): RunnerStatus {
  if (Math.max(created_at, contacted_at ?? 0) <= now - STALE_AFTER) return 'stale';
  if (contacted_at === null) return 'never_contacted';
  return contacted_at > now - OFFLINE_AFTER ? 'online' : 'offline';
}

const MAX_TEXT = 1024;
const MAX_TAG = 255;
const MAX_TAGS = 50;
/** Smallest maximum timeout, in seconds. */
const MIN_TIMEOUT = 600;

/** Validation errors by attribute. */
export type RunnerErrors = Readonly<Record<string, readonly string[]>>;

interface CheckedValues {
  readonly description: string | null;
  readonly maintenance_note: string | null;
  readonly maximum_timeout: number | null;
  readonly run_untagged: 0 | 1;
}

/** Returns the validation errors of a runner. */
export function runnerErrors(values: CheckedValues, tags: readonly string[]): RunnerErrors {
  const { description, maintenance_note: note, maximum_timeout: timeout } = values;
  const tooLong = `is too long (maximum is ${MAX_TEXT} characters)`;
  return {
    ...(isLongerThan(description ?? '', MAX_TEXT) ? { description: [tooLong] } : {}),
    ...(isLongerThan(note ?? '', MAX_TEXT) ? { maintenance_note: [tooLong] } : {}),
    ...(timeout !== null && timeout < MIN_TIMEOUT ? { maximum_timeout: ['needs to be at least 10 minutes'] } : {}),
    ...(timeout !== null && timeout > MAX_NUMBER ? { maximum_timeout: [`must be less than or equal to ${MAX_NUMBER}`] } : {}),
    ...tagErrors(values.run_untagged === 1, tags),
  };
}

function tagErrors(runsUntagged: boolean, tags: readonly string[]): RunnerErrors {
  const errors = [
    ...(tags.length === 0 && !runsUntagged ? ['can not be empty when runner is not allowed to pick untagged jobs'] : []),
    ...(tags.length > MAX_TAGS ? [`Too many tags specified. Please limit the number of tags to ${MAX_TAGS}`] : []),
    ...(tags.some((tag) => isLongerThan(tag, MAX_TAG)) ? [`is too long (maximum is ${MAX_TAG} characters)`] : []),
  ];
  return errors.length === 0 ? {} : { tags_list: errors };
}

/** Returns validation errors as sentences: `Maximum timeout needs to be at least 10 minutes`. */
export function sentencesOf(errors: RunnerErrors): string[] {
  return Object.entries(errors).flatMap(([attribute, texts]) => {
    const name = attribute.replaceAll('_', ' ');
    return texts.map((text) => `${name.charAt(0).toUpperCase()}${name.slice(1)} ${text}`);
  });
}
