import * as l10n from '@vscode/l10n';
import type { ActivityEvent } from '../contract/activity.ts';
import { integerMember, isJsonObject, listOf, stringMember } from '../contract/json.ts';
import { dayKey } from './days.ts';

/** Values of the `action` parameter of event lists. */
export const filterActions = [
  'created',
  'closed',
  'reopened',
  'commented',
  'pushed',
  'merged',
  'approved',
  'updated',
  'destroyed',
  'joined',
  'left',
  'expired',
] as const;
export type FilterAction = (typeof filterActions)[number];

/** Values of the `target_type` parameter of event lists. */
export const filterTargets = ['issue', 'merge_request', 'milestone', 'note', 'project', 'snippet', 'user', 'epic'] as const;
export type FilterTarget = (typeof filterTargets)[number];

export type FilterDates =
  /** Number of days up to and including today. */
  | { readonly kind: 'last'; readonly days: number }
  /** Dates such as `2026-11-01`; both are included. */
  | { readonly kind: 'between'; readonly first: string; readonly last: string };

/** Filter of an event list; undefined and empty members do not restrict it. */
export interface ActivityFilter {
  readonly actions: readonly FilterAction[];
  readonly targets: readonly FilterTarget[];
  readonly dates: FilterDates | undefined;
  /** Text to search for in the loaded events. The API cannot search. */
  readonly text: string | undefined;
}

export const NO_FILTER: ActivityFilter = { actions: [], targets: [], dates: undefined, text: undefined };

export function isFiltering({ actions, targets, dates, text }: ActivityFilter): boolean {
  return actions.length > 0 || targets.length > 0 || dates !== undefined || text !== undefined;
}

/** Maximum number of lists to request for one filter: the API takes one action and one type per request. */
export const MAX_LISTS = 12;

/** Returns the number of lists that a filter needs. */
export function countLists({ actions, targets }: Pick<ActivityFilter, 'actions' | 'targets'>): number {
  return Math.max(1, actions.length) * Math.max(1, targets.length);
}

/** Reads a stored filter and ignores invalid members. */
export function readFilter(value: unknown): ActivityFilter {
  if (!isJsonObject(value)) return NO_FILTER;
  const [storedActions, storedTargets] = [new Set(listOf(value.actions, textOf)), new Set(listOf(value.targets, textOf))];
  const actions = filterActions.filter((action) => storedActions.has(action));
  const targets = filterTargets.filter((target) => storedTargets.has(target));
  const text = stringMember(value, 'text');
  return {
    ...(countLists({ actions, targets }) > MAX_LISTS ? NO_FILTER : { actions, targets }),
    dates: readDates(value.dates),
    text: text === '' ? undefined : text,
  };
}

function readDates(value: unknown): FilterDates | undefined {
  if (!isJsonObject(value)) return undefined;
  const days = integerMember(value, 'days');
  if (value.kind === 'last') return days === undefined || days < 1 ? undefined : { kind: 'last', days };
  const first = stringMember(value, 'first');
  const last = stringMember(value, 'last');
  return first === undefined || last === undefined ? undefined : parseDates(`${first} ${last}`);
}

/**
 * Returns the query parameters of a filter, once for each combination of action and type. The API excludes the days given by `before` and
 * `after`.
 */
export function filterQueries(
  { actions, targets, dates }: ActivityFilter,
  now: Date,
): readonly Readonly<Record<string, string>>[] {
  const restrictions = dates === undefined ? {} : datesQuery(dates, now);
  const ofActions = actions.length === 0 ? [{}] : actions.map((action) => ({ action }));
  const ofTargets = targets.length === 0 ? [{}] : targets.map((target) => ({ target_type: target }));
  return ofActions.flatMap((action) => ofTargets.map((target) => ({ ...action, ...target, ...restrictions })));
}

function datesQuery(dates: FilterDates, now: Date): Readonly<Record<string, string>> {
  if (dates.kind === 'last') return { after: shifted(dayKey(now), -dates.days) };
  return { after: shifted(dates.first, -1), before: shifted(dates.last, 1) };
}

/** Parses one date (`2026-11-01`) or two in any order, with any separator; returns undefined for other texts. */
export function parseDates(text: string): FilterDates | undefined {
  const days = text.match(/\d{4}-\d{2}-\d{2}/g) ?? [];
  const rest = text.replace(/\d{4}-\d{2}-\d{2}/g, '');
  if (days.length < 1 || days.length > 2 || /\d/.test(rest) || !days.every((day) => shifted(day, 0) === day)) return undefined;
  const [first = '', last = first] = days.sort();
  return { kind: 'between', first, last };
}

/** Returns the date `by` days later. An invalid date such as `2026-02-30` is normalized to a different one. */
function shifted(day: string, by: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return dayKey(new Date(year, month - 1, date + by));
}

/** Returns the filter as text, such as `comments, pushes · issues · last 7 days`; empty if nothing is filtered. */
export function formatFilter({ actions, targets, dates, text }: ActivityFilter): string {
  return [
    actions.map(formatAction).join(', '),
    targets.map(formatTarget).join(', '),
    dates === undefined ? '' : formatDates(dates),
    text === undefined ? '' : l10n.t('“{0}”', text),
  ]
    .filter(Boolean)
    .join(' · ');
}

export function formatAction(action: FilterAction): string {
  switch (action) {
    case 'created':
      return l10n.t('opened or created');
    case 'closed':
      return l10n.t('closed');
    case 'reopened':
      return l10n.t('reopened');
    case 'commented':
      return l10n.t('comments');
    case 'pushed':
      return l10n.t('pushes');
    case 'merged':
      return l10n.t('merged');
    case 'approved':
      return l10n.t('approved');
    case 'updated':
      return l10n.t('updated');
    case 'destroyed':
      return l10n.t('deleted');
    case 'joined':
      return l10n.t('joined');
    case 'left':
      return l10n.t('left');
    case 'expired':
      return l10n.t('membership expired');
  }
}

export function formatTarget(target: FilterTarget): string {
  switch (target) {
    case 'issue':
      return l10n.t('issues');
    case 'merge_request':
      return l10n.t('merge requests');
    case 'milestone':
      return l10n.t('milestones');
    case 'note':
      return l10n.t('notes');
    case 'project':
      return l10n.t('projects');
    case 'snippet':
      return l10n.t('snippets');
    case 'user':
      return l10n.t('users');
    case 'epic':
      return l10n.t('epics');
  }
}

export function formatDates(dates: FilterDates): string {
  if (dates.kind === 'last') return dates.days === 1 ? l10n.t('today') : l10n.t('last {0} days', dates.days);
  return dates.first === dates.last ? dates.first : l10n.t('{0} to {1}', dates.first, dates.last);
}

/** Returns a filter for events with the same action and target type; dates and text are unchanged. */
export function filterLike(event: ActivityEvent, before: ActivityFilter): ActivityFilter {
  const action = event.push_data === null ? actionByName[event.action_name] : 'pushed';
  const target = event.target_type === null ? undefined : targetByType[event.target_type];
  return { ...before, actions: action === undefined ? [] : [action], targets: target === undefined ? [] : [target] };
}

/** `action` parameter by `action_name` of a response. Some servers use the same `action_name` for opening and reopening. */
const actionByName: Readonly<Record<string, FilterAction>> = {
  opened: 'created',
  created: 'created',
  reopened: 'reopened',
  closed: 'closed',
  updated: 'updated',
  'commented on': 'commented',
  accepted: 'merged',
  approved: 'approved',
  joined: 'joined',
  left: 'left',
  destroyed: 'destroyed',
  'removed due to membership expiration from': 'expired',
};

/** `target_type` parameter by `target_type` of a response. The filter `note` does not match `DiscussionNote` and `DiffNote`. */
const targetByType: Readonly<Record<string, FilterTarget>> = {
  Issue: 'issue',
  MergeRequest: 'merge_request',
  Milestone: 'milestone',
  Note: 'note',
  Project: 'project',
  Snippet: 'snippet',
  User: 'user',
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
