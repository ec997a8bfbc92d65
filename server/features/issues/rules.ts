import { isLongerThan } from '../../support/textLength.ts';
import { DAY, isoDate, MINUTE, utcDate, utcDay } from '../../core/clock.ts';
import type { Availability } from '../../core/profile.ts';

/** Availability of issue weights. */
export const weights: Availability = { tiers: ['premium', 'ultimate'] };

/** Maximum length of an issue title, in characters. */
const MAX_TITLE_LENGTH = 255;

export function titleErrors(title: string): string[] {
  if (title.trim() === '') return ["can't be blank"];
  return isLongerThan(title, MAX_TITLE_LENGTH) ? [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`] : [];
}

/** Counts the completed and all tasks of Markdown task lists: lines that begin with a list marker and a checkbox. */
export function taskCounts(text: string): { readonly count: number; readonly completed_count: number } {
  let count = 0;
  let completed = 0;
  for (const [, box] of text.matchAll(/^[ \t]*(?:[-+*]|\d+[.)])[ \t]+\[([ xX~])\]\s/gm)) {
    count += 1;
    if (box === 'x' || box === 'X') completed += 1;
  }
  return { count, completed_count: completed };
}

/** Reads a filter value that is a number or, case-insensitively, `None` or `Any`. */
export function readNumberOrWord(text: string): number | 'None' | 'Any' | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'none') return 'None';
  if (word === 'any') return 'Any';
  return /^\d{1,15}$/.test(word) ? Number(word) : undefined;
}

/** Reads an assignee filter: a user ID, `None`, `Any`, or 0 for `None`. */
export function readAssignee(text: string): number | 'None' | 'Any' | undefined {
  const read = readNumberOrWord(text);
  return read === 0 ? 'None' : read;
}

/** Actions that a user can perform on an issue they can see. */
export interface IssueAbilities {
  /** Change title and description, close and reopen. */
  readonly update: boolean;
  /** Change labels, milestone, assignees, due date, weight, kind, lock and confidentiality. */
  readonly administer: boolean;
}

export function issueAbilities(person: {
  readonly canWrite: boolean;
  readonly isReporter: boolean;
  readonly isAuthor: boolean;
  readonly isAssignee: boolean;
}): IssueAbilities {
  const administer = person.canWrite && person.isReporter;
  return { administer, update: administer || (person.canWrite && (person.isAuthor || person.isAssignee)) };
}

/** Issue types in API responses. */
export const issueTypes = ['issue', 'incident', 'test_case', 'task'] as const;
export type IssueType = (typeof issueTypes)[number];

/** Time of the day, in UTC, when issues that are due on the next day are announced. */
const DUE_NOTICE_TIME = 50 * MINUTE;

/**
 * Returns when an issue is announced as due, in milliseconds: at 00:50 of the day before. Null without a due date, or if that time has
 * passed at `now`.
 */
export function dueNoticeAt(dueDate: string | null, now: number): number | null {
  if (dueDate === null) return null;
  const at = Date.parse(`${dueDate}T00:00:00Z`) - DAY + DUE_NOTICE_TIME;
  return at > now ? at : null;
}

/** Keywords of the due date filter. */
export const dueDateFilters = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
] as const;
export type DueWord = (typeof dueDateFilters)[number];

/** Returns the range of days for a keyword, inclusive, as `YYYY-MM-DD` in UTC; weeks begin on Monday. `now` is in milliseconds. */
export function dueBounds(word: DueWord, now: number): { readonly from?: string; readonly until?: string } | 'None' | 'Any' {
  const { year, month, weekday } = utcDate(now);
  switch (word) {
    case '0':
      return 'None';
    case 'any':
      return 'Any';
    case 'today':
      return { from: isoDate(now), until: isoDate(now) };
    case 'tomorrow':
      return { from: isoDate(now + DAY), until: isoDate(now + DAY) };
    case 'overdue':
      return { until: isoDate(now - DAY) };
    case 'week': {
      const monday = now - ((weekday + 6) % 7) * DAY;
      return { from: isoDate(monday), until: isoDate(monday + 6 * DAY) };
    }
    case 'month':
      return { from: isoDate(utcDay(year, month, 1)), until: isoDate(utcDay(year, month + 1, 0)) };
    case 'next_month_and_previous_two_weeks':
      return { from: isoDate(now - 14 * DAY), until: isoDate(utcDay(year, month + 2, 0)) };
  }
}
