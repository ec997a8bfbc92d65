/** States of pipelines and jobs, in the order of GitLab. */
export const statuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;

export type Status = (typeof statuses)[number];

/** Triggers of a pipeline. */
export const sources = [
  'unknown',
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
] as const;

export type Source = (typeof sources)[number];

/** Failure reasons of a job; `unknown_failure` covers everything else. */
export const failureReasons = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'no_matching_runner',
] as const;

export type FailureReason = (typeof failureReasons)[number];

export const finished: readonly Status[] = ['success', 'failed', 'canceled', 'skipped'];
/** States of unfinished pipelines and jobs, which can be canceled. */
export const cancelable: readonly Status[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'manual',
  'scheduled',
];
/** States that can be retried. */
export const retryable: readonly Status[] = ['success', 'failed', 'canceled'];

/** The attributes of a job that affect the state of its pipeline. */
export interface Part {
  readonly status: Status;
  readonly allowFailure: boolean;
}

type Weight = Status | 'ignored' | 'success_with_warnings';

/** Returns the effect of a job on its pipeline: allowed failures count as warnings, and optional manual jobs are ignored. */
function weightOf({ status, allowFailure }: Part): Weight {
  if (!allowFailure) return status;
  if (status === 'manual') return 'ignored';
  return status === 'failed' || status === 'canceled' ? 'success_with_warnings' : status;
}

/** Returns the state of a pipeline derived from its jobs; undefined without jobs. */
export function statusOf(jobs: readonly Part[]): Status | undefined {
  const weights = new Set(jobs.map(weightOf));
  if (weights.size === 0) return undefined;
  const only = (...allowed: Weight[]): boolean => [...weights].every((weight) => allowed.includes(weight));
  const warnings = ['ignored', 'success_with_warnings'] as const;
  const good = ['success', ...warnings] as const;
  if (only('skipped', 'ignored')) return 'skipped';
  if (only('skipped', ...good)) return 'success';
  if (only('created', ...warnings)) return 'created';
  if (only('preparing', ...warnings)) return 'preparing';
  if (weights.has('canceling')) return 'canceling';
  if (only('canceled', 'skipped', ...good)) return 'canceled';
  if (only('pending', 'created', 'skipped', ...warnings)) return 'pending';
  if (weights.has('running') || weights.has('pending')) return 'running';
  const waiting = (['waiting_for_resource', 'manual', 'scheduled', 'preparing'] as const).find((status) => weights.has(status));
  if (waiting !== undefined) return waiting;
  return weights.has('created') ? 'running' : 'failed';
}

/** Returns the start and end times after a change of state. A restarted run gets new times. */
export function timesAfter(
  before: { readonly started_at: number | null; readonly finished_at: number | null },
  status: Status,
  now: number,
): { readonly started_at: number | null; readonly finished_at: number | null } {
  if (status === 'running' || status === 'canceling') return { started_at: before.started_at ?? now, finished_at: null };
  if (status === 'skipped') return { started_at: before.started_at, finished_at: null };
  if (status === 'success' || status === 'failed') {
    return { started_at: before.started_at ?? now, finished_at: before.finished_at ?? now };
  }
  if (status === 'canceled') return { started_at: before.started_at, finished_at: before.finished_at ?? now };
  return { started_at: null, finished_at: null };
}

/** Returns text and icon of a state, as on GitLab. */
export function detailsOf(status: Status): { readonly text: string; readonly label: string; readonly icon: string } {
  const message: Partial<Record<Status, readonly [text: string, label: string]>> = {
    success: ['Passed', 'passed'],
    waiting_for_resource: ['Waiting', 'waiting for resource'],
    scheduled: ['Scheduled', 'waiting for delayed job'],
    manual: ['Manual', 'waiting for manual action'],
  };
  const plain = status.replaceAll('_', ' ');
  const [text, label] = message[status] ?? [`${plain.charAt(0).toUpperCase()}${plain.slice(1)}`, plain];
  return { text, label, icon: `status_${status}` };
}

/** Parses the stored tags of a job, a JSON array. */
export function tagsIn(text: string): string[] {
  const tags: unknown = JSON.parse(text);
  return Array.isArray(tags) ? tags.map(String) : [];
}

/** States that other systems report about a commit. */
export const reportedStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const satisfies Status[];

export type ReportedState = (typeof reportedStates)[number];

/** The event that leads to each reported state, and the unfinished states in which it can happen. */
const events: Readonly<Record<ReportedState, { readonly name: string; readonly from: readonly Status[] }>> = {
  pending: { name: 'enqueue', from: ['created'] },
  running: { name: 'run', from: ['created', 'pending'] },
  success: { name: 'success', from: ['created', 'pending', 'running'] },
  failed: { name: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { name: 'cancel', from: ['created', 'pending', 'running'] },
  skipped: { name: 'skip', from: ['created', 'pending'] },
};

/** Returns the error message for a reported state that cannot follow an unfinished one; undefined if it can. */
export function transitionRefusal(from: Status, to: ReportedState): string | undefined {
  const event = events[to];
  if (event.from.includes(from)) return undefined;
  return `Cannot transition status via :${event.name} from :${from} (Reason(s): Status cannot transition via "${event.name}")`;
}
