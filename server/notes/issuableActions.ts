import { findUserByName } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { labelWords, namedLabels, namedPeople, type QuickAction } from './quickActions.ts';

/** Quick actions that issues and merge requests have alike. */
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

/** What quick actions are done to, as their author finds it. */
export interface Issuable {
  /** As answers call it: `issue`, `merge request`. */
  readonly noun: string;
  readonly isOpen: boolean;
  readonly isClosed: boolean;
  readonly labels: readonly string[];
  readonly assigneeIds: readonly number[];
  readonly can: { readonly update: boolean; readonly administer: boolean };
}

export interface IssuableWish {
  title?: string;
  stateEvent?: 'close' | 'reopen';
  assigneeIds?: readonly number[];
  labels?: readonly string[];
}

/** What one quick action asks for and what is answered when it is done; undefined when it cannot be. */
type Reading = readonly [wish: IssuableWish, done: string] | undefined;

/**
 * Reads quick actions one after the other into one change. `readOther` reads those that only one kind of thing has, and gives undefined
 * for one that cannot be done, too.
 */
export function readQuickActions<Wish extends object>(
  platform: Platform,
  found: Issuable,
  actions: readonly QuickAction[],
  readOther: (action: QuickAction) => readonly [wish: Wish, done: string] | undefined,
): { readonly wish: IssuableWish & Partial<Wish>; readonly done: readonly string[] } {
  let wish: IssuableWish & Partial<Wish> = {};
  const done: string[] = [];
  for (const action of actions) {
    const now = { ...found, labels: wish.labels ?? found.labels, assigneeIds: wish.assigneeIds ?? found.assigneeIds };
    const isCommon = issuableActions.some((name) => name === action.name);
    const reading = isCommon ? readCommon(platform, now, action) : readOther(action);
    if (reading === undefined) done.push(`Could not apply ${action.name} command.`);
    else {
      wish = { ...wish, ...reading[0] };
      done.push(reading[1]);
    }
  }
  return { wish, done };
}

function readCommon(platform: Platform, found: Issuable, { name, argument }: QuickAction): Reading {
  const { can, noun, labels, assigneeIds } = found;
  switch (name) {
    case 'close':
      return can.update && found.isOpen ? [{ stateEvent: 'close' }, `Closed this ${noun}.`] : undefined;
    case 'reopen':
      return can.update && found.isClosed ? [{ stateEvent: 'reopen' }, `Reopened this ${noun}.`] : undefined;
    case 'title':
      return can.update && argument !== '' ? [{ title: argument }, `Changed the title to "${argument}".`] : undefined;
    default:
      if (!can.administer) return undefined;
      return name.includes('assign')
        ? readAssignment(platform, assigneeIds, name, argument)
        : readLabels(labels, name, namedLabels(argument));
  }
}

function readAssignment(platform: Platform, before: readonly number[], name: string, argument: string): Reading {
  const people = namedPeople(argument).map((username) => findUserByName(platform, username));
  const known = people.filter((user) => user !== undefined);
  if (known.length < people.length || (known.length === 0 && name !== 'unassign')) return undefined;
  const ids = known.map((user) => user.id);
  const words = known.map((user) => `@${user.username}`).join(' ');
  if (name === 'assign') return [{ assigneeIds: [...before, ...ids] }, `Assigned ${words}.`];
  if (name === 'reassign') return [{ assigneeIds: ids }, `Changed assignee(s) to ${words}.`];
  if (before.length === 0) return undefined;
  if (known.length === 0) return [{ assigneeIds: [] }, 'Removed assignees.'];
  return [{ assigneeIds: before.filter((id) => !ids.includes(id)) }, `Removed assignee ${words}.`];
}

function readLabels(before: readonly string[], name: string, labels: readonly string[]): Reading {
  if (name === 'unlabel' || name === 'remove_label') {
    if (before.length === 0) return undefined;
    if (labels.length === 0) return [{ labels: [] }, 'Removed all labels.'];
    return [{ labels: before.filter((label) => !labels.includes(label)) }, `Removed ${labelWords(labels)}.`];
  }
  if (labels.length === 0) return undefined;
  if (name === 'relabel') return [{ labels }, `Replaced all labels with ${labelWords(labels)}.`];
  return [{ labels: [...before, ...labels] }, `Added ${labelWords(labels)}.`];
}
