import { findUserByName } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { formatLabels, namedLabels, namedPeople, type QuickAction } from './quickActions.ts';

/** Quick actions that issues and merge requests have in common. */
export const issuableActions = [
  'close',
  'reopen',
  'title',
  'assign',
  'reassign',
  'unassign',
  'label',
  'labels',
  'relabel',
  'unlabel',
  'remove_label',
] as const;

/** The state of an issue or merge request to which quick actions apply. */
export interface Issuable {
  /** Name in messages: `issue` or `merge request`. */
  readonly noun: string;
  readonly isOpen: boolean;
  readonly isClosed: boolean;
  readonly labels: readonly string[];
  readonly assigneeIds: readonly number[];
  readonly can: { readonly update: boolean; readonly administer: boolean };
}

export interface IssuableInput {
  title?: string;
  stateEvent?: 'close' | 'reopen';
  assigneeIds?: readonly number[];
  labels?: readonly string[];
}

/** The changes requested so far. Sets keep this fast, because a comment can name a thousand labels a hundred times. */
interface Draft {
  readonly labels: Set<string>;
  readonly assigneeIds: Set<number>;
}

/** A change and the message about it; undefined if the quick action cannot be applied. */
type Reading<Input> = readonly [input: Input, done: string] | undefined;

/** Maximum numbers of users and labels in one quick action; one with more is not applied. */
const MAX_PEOPLE = 200;
const MAX_LABELS = 1000;

/**
 * Combines quick actions into one change. `readOther` reads those that are specific to issues or merge requests and returns undefined for
 * those that cannot be applied.
 */
export function readQuickActions<Input extends object>(
  core: Core,
  found: Issuable,
  actions: readonly QuickAction[],
  readOther: (action: QuickAction) => Reading<Input>,
): { readonly input: IssuableInput & Partial<Input>; readonly done: readonly string[] } {
  const input: IssuableInput & Partial<Input> = {};
  const draft: Draft = { labels: new Set(found.labels), assigneeIds: new Set(found.assigneeIds) };
  const done: string[] = [];
  for (const action of actions) {
    const isCommon = issuableActions.some((name) => name === action.name);
    const reading = isCommon ? readCommon(core, found, draft, action) : readOther(action);
    if (reading === undefined) done.push(`Could not apply ${action.name} command.`);
    else {
      Object.assign(input, reading[0]);
      done.push(reading[1]);
    }
  }
  if (input.labels !== undefined) input.labels = [...draft.labels];
  if (input.assigneeIds !== undefined) input.assigneeIds = [...draft.assigneeIds];
  return { input, done };
}

function readCommon(
  core: Core,
  { can, noun, isOpen, isClosed }: Issuable,
  draft: Draft,
  { name, argument }: QuickAction,
): Reading<IssuableInput> {
  switch (name) {
    case 'close':
      return can.update && isOpen ? [{ stateEvent: 'close' }, `Closed this ${noun}.`] : undefined;
    case 'reopen':
      return can.update && isClosed ? [{ stateEvent: 'reopen' }, `Reopened this ${noun}.`] : undefined;
    case 'title':
      return can.update && argument !== '' ? [{ title: argument }, `Changed the title to "${argument}".`] : undefined;
    default: {
      if (!can.administer) return undefined;
      if (name.includes('assign')) {
        const done = assign(core, draft.assigneeIds, name, argument);
        return done === undefined ? undefined : [{ assigneeIds: [] }, done];
      }
      const done = relabel(draft.labels, name, namedLabels(argument, MAX_LABELS + 1));
      return done === undefined ? undefined : [{ labels: [] }, done];
    }
  }
}

/** Changes the assignees of a draft and returns the message; returns undefined without a change if the action cannot be applied. */
function assign(core: Core, assigneeIds: Set<number>, name: string, argument: string): string | undefined {
  const names = namedPeople(argument, MAX_PEOPLE + 1);
  if (names.length > MAX_PEOPLE) return undefined;
  const people = names.map((username) => findUserByName(core, username));
  const known = people.filter((user) => user !== undefined);
  if (known.length < people.length || (known.length === 0 && name !== 'unassign')) return undefined;
  const text = known.map((user) => `@${user.username}`).join(' ');
  if (name === 'unassign') {
    if (assigneeIds.size === 0) return undefined;
    if (known.length === 0) assigneeIds.clear();
    for (const { id } of known) assigneeIds.delete(id);
    return known.length === 0 ? 'Removed assignees.' : `Removed assignee ${text}.`;
  }
  if (name === 'reassign') assigneeIds.clear();
  for (const { id } of known) assigneeIds.add(id);
  return name === 'reassign' ? `Changed assignee(s) to ${text}.` : `Assigned ${text}.`;
}

/** Changes the labels of a draft and returns the message; returns undefined without a change if the action cannot be applied. */
function relabel(draft: Set<string>, name: string, labels: readonly string[]): string | undefined {
  if (labels.length > MAX_LABELS) return undefined;
  if (name === 'unlabel' || name === 'remove_label') {
    if (draft.size === 0) return undefined;
    if (labels.length === 0) draft.clear();
    for (const label of labels) draft.delete(label);
    return labels.length === 0 ? 'Removed all labels.' : `Removed ${formatLabels(labels)}.`;
  }
  if (labels.length === 0) return undefined;
  if (name === 'relabel') draft.clear();
  for (const label of labels) draft.add(label);
  return name === 'relabel' ? `Replaced all labels with ${formatLabels(labels)}.` : `Added ${formatLabels(labels)}.`;
}
