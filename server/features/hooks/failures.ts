import { DAY, MINUTE } from '../../core/clock.ts';
import { isAvailable, type Profile } from '../../core/profile.ts';
import type { Outcome } from './sendRequest.ts';

// When hooks are disabled because their deliveries fail, as on GitLab (docs/interface.md#hooks).

/** Failures after which a hook is disabled for a time, and after which it is disabled permanently. */
const TEMPORARY_FROM = 4;
const PERMANENT_FROM = 40;
/** Time for which a hook is disabled at first. It doubles with each further failure, up to the longest. */
const FIRST_PAUSE = MINUTE;
const LONGEST_PAUSE = DAY;

/** Failures of a hook since its last successful delivery, and the pause that follows from them. */
export interface FailureState {
  /** Number of deliveries that failed one after the other. */
  readonly recent_failures: number;
  /** Null together with enough failures means that the hook is disabled permanently. */
  readonly disabled_until: number | null;
}

export const alertStatuses = ['executable', 'temporarily_disabled', 'disabled'] as const;

type AlertStatus = (typeof alertStatuses)[number];

export const noFailures: FailureState = { recent_failures: 0, disabled_until: null };

export function alertStatus({ recent_failures: failures, disabled_until: until }: FailureState, now: number): AlertStatus {
  if (failures < TEMPORARY_FROM) return 'executable';
  if (failures >= PERMANENT_FROM || until === null) return 'disabled';
  return until > now ? 'temporarily_disabled' : 'executable';
}

/** Returns the state after an attempt. While a hook is disabled, only a test or a delivery that is sent again is attempted. */
export function stateAfter(before: FailureState, outcome: Outcome, now: number, profile: Profile): FailureState {
  if (outcome.kind === 'responded' && outcome.status >= 200 && outcome.status < 400) return noFailures;
  if (alertStatus(before, now) !== 'executable') return before;
  const isLimited = isAvailable({ addedIn: '17.11' }, profile);
  const failures = Math.min(before.recent_failures + 1, isLimited ? PERMANENT_FROM : PERMANENT_FROM - 1);
  if (failures < TEMPORARY_FROM) return { recent_failures: failures, disabled_until: null };
  // Before release 17.11, responses with a status of client errors disabled a hook permanently, and other failures never did.
  if (!isLimited && outcome.kind === 'responded' && outcome.status < 500)
    return { recent_failures: failures, disabled_until: null };
  const pause = Math.min(FIRST_PAUSE * 2 ** (failures - TEMPORARY_FROM), LONGEST_PAUSE);
  return { recent_failures: failures, disabled_until: now + pause };
}
