import * as l10n from '@vscode/l10n';
import { integerMember, isJsonObject, listOf, stringMember } from '../contract/json.ts';
import type { ErrorStatus } from '../contract/trackedErrors.ts';
import type { ErrorAbilities, ErrorQuery } from './source.ts';

export const STATUS_CHOICES = ['unresolved', 'resolved', 'ignored'] as const;
export type StatusChoice = (typeof STATUS_CHOICES)[number];

export const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug'] as const;
export type Level = (typeof LEVELS)[number];

/** Who errors are assigned to. */
export type AssigneeFilter = 'me' | 'nobody' | 'anybody' | { readonly id: number; readonly name: string };

/** Filter of the errors of a project; undefined members do not restrict it. */
export interface ErrorFilter {
  /** At least one. */
  readonly statuses: readonly StatusChoice[];
  readonly level: Level | undefined;
  readonly environment: string | undefined;
  readonly release: string | undefined;
  readonly assignee: AssigneeFilter | undefined;
  /** Part of a title, or of the stack. */
  readonly text: string | undefined;
}

/** Filter until the user selects another one: unresolved errors. */
export const USUAL_FILTER: ErrorFilter = {
  ...{ statuses: ['unresolved'], level: undefined, environment: undefined, release: undefined },
  ...{ assignee: undefined, text: undefined },
};

/** Reads a stored filter and ignores invalid members. */
export function readErrorFilter(value: unknown): ErrorFilter {
  if (!isJsonObject(value)) return USUAL_FILTER;
  const statuses = listOf(value.statuses, (element) => STATUS_CHOICES.find((status) => status === element));
  return {
    statuses: statuses.length === 0 ? USUAL_FILTER.statuses : STATUS_CHOICES.filter((status) => statuses.includes(status)),
    level: LEVELS.find((level) => level === value.level),
    environment: filled(stringMember(value, 'environment')),
    release: filled(stringMember(value, 'release')),
    assignee: readAssignee(value.assignee),
    text: filled(stringMember(value, 'text')),
  };
}

/** Returns the part of a filter that a source applies. All sources search for a text. */
export function appliedFilter(filter: ErrorFilter, abilities: ErrorAbilities): ErrorFilter {
  return abilities.filters ? filter : { ...USUAL_FILTER, text: filter.text };
}

export function isUsualFilter({ statuses, level, environment, release, assignee, text }: ErrorFilter): boolean {
  return (
    statuses.length === 1 &&
    statuses[0] === 'unresolved' &&
    [level, environment, release, assignee, text].every((member) => member === undefined)
  );
}

/** Returns the members of a query for a filter. `me` is the ID of the current user. */
export function queryOfFilter({ statuses, text, assignee, ...others }: ErrorFilter, me?: number): Omit<ErrorQuery, 'order'> {
  return { ...others, assignee: assigneeOf(assignee, me), search: text, statuses: statuses.flatMap(statusesOf) };
}

function assigneeOf(assignee: AssigneeFilter | undefined, me: number | undefined): ErrorQuery['assignee'] {
  switch (assignee) {
    case undefined:
      return undefined;
    case 'me':
      return me;
    case 'nobody':
      return 'None';
    case 'anybody':
      return 'Any';
    default:
      return assignee.id;
  }
}

function readAssignee(value: unknown): AssigneeFilter | undefined {
  if (value === 'me' || value === 'nobody' || value === 'anybody') return value;
  if (!isJsonObject(value)) return undefined;
  const [id, name] = [integerMember(value, 'id'), stringMember(value, 'name')];
  return id === undefined || name === undefined ? undefined : { id, name };
}

function statusesOf(choice: StatusChoice): readonly ErrorStatus[] {
  return choice === 'resolved' ? ['resolved', 'resolved_in_next_release'] : [choice];
}

/** Returns the parts of a filter as texts, such as `Resolved, Ignored` and `production`. */
export function formatErrorFilter({ statuses, level, environment, release, assignee, text }: ErrorFilter): readonly string[] {
  return [
    formatStatusChoices(statuses),
    level === undefined ? '' : formatLevelChoice(level),
    environment ?? '',
    release ?? '',
    assignee === undefined ? '' : formatAssignee(assignee),
    text === undefined ? '' : l10n.t('“{0}”', text),
  ].filter(Boolean);
}

export function formatAssignee(assignee: AssigneeFilter): string {
  switch (assignee) {
    case 'me':
      return l10n.t('Assigned to me');
    case 'nobody':
      return l10n.t('Assigned to nobody');
    case 'anybody':
      return l10n.t('Assigned to anybody');
    default:
      return l10n.t('Assigned to {0}', assignee.name);
  }
}

export function formatStatusChoices(statuses: readonly StatusChoice[]): string {
  return statuses.length === STATUS_CHOICES.length ? l10n.t('All statuses') : statuses.map(formatStatusChoice).join(', ');
}

export function formatStatusChoice(choice: StatusChoice): string {
  switch (choice) {
    case 'unresolved':
      return l10n.t('Unresolved');
    case 'resolved':
      return l10n.t('Resolved');
    case 'ignored':
      return l10n.t('Ignored');
  }
}

export function formatLevelChoice(level: Level): string {
  switch (level) {
    case 'fatal':
      return l10n.t('Fatal error');
    case 'error':
      return l10n.t('Error');
    case 'warning':
      return l10n.t('Warning');
    case 'info':
      return l10n.t('Info');
    case 'debug':
      return l10n.t('Debug');
  }
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
