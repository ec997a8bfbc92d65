import { isLongerThan } from '../textLength.ts';
import type { FoundGroup } from '../groups/groups.ts';
import { invalidRecord } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import { changeLabels, type LabelInput } from '../labels/labels.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, viewerId } from '../projects/projects.ts';
import {
  deleteEpicRow,
  epicById,
  type EpicFilter,
  type EpicRow,
  type EpicValues,
  insertEpic,
  listEpics,
  takeIid,
  tieIssue,
  writeEpic,
} from './store.ts';

// Epics of groups, as far as clients of the REST API see them. They make no events, because the activity lists leave them out
// (docs/interface.md#activity-events).

export type Epic = EpicRow;

/** Longest title of an epic. */
const MAX_LENGTH = 255;

/** Which epics of a group somebody sees. */
export function seenIn(found: FoundGroup, user: User | undefined): Pick<EpicFilter, 'groupId' | 'viewer' | 'isAdministrator'> {
  return {
    groupId: found.group.id,
    viewer: viewerId(user === undefined ? undefined : { user }),
    isAdministrator: found.access.isAdministrator,
  };
}

/** An epic by its number in the group. One that the person may not see looks like one that is not there. */
export function findEpic(platform: Platform, found: FoundGroup, iid: number, user: User | undefined): Epic | undefined {
  const filter = { ...seenIn(found, user), iids: [iid] };
  return listEpics(platform.store, filter, { order: 'created_at', sort: 'asc', limit: 1, offset: 0 })[0];
}

export interface EpicInput extends LabelInput {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly confidential?: boolean | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  readonly startIsFixed?: boolean | undefined;
  /** `YYYY-MM-DD`; null takes it away. */
  readonly startFixed?: string | null | undefined;
  readonly dueIsFixed?: boolean | undefined;
  readonly dueFixed?: string | null | undefined;
}

/** Opens an epic. Throws 400 for what is wrong with it. */
export function createEpic(platform: Platform, found: FoundGroup, author: User, input: EpicInput): Epic {
  const { store } = platform;
  const groupId = found.group.id;
  const values = changed(blank, input, platform.clock.now());
  return store.transaction(() => {
    const id = insertEpic(store, groupId, takeIid(store, groupId), author.id, values, platform.clock.now());
    relabel(platform, found, id, input);
    return mustFind(platform, id);
  });
}

/** Changes an epic; what is left out stays. Throws 400. */
export function updateEpic(platform: Platform, found: FoundGroup, epic: Epic, input: EpicInput): Epic {
  const { store } = platform;
  const values = changed(epic, input, platform.clock.now());
  return store.transaction(() => {
    writeEpic(store, epic.id, values, platform.clock.now());
    relabel(platform, found, epic.id, input);
    return mustFind(platform, epic.id);
  });
}

/** Deletes an epic; its issues stay. */
export function deleteEpic(platform: Platform, epic: Epic): void {
  deleteEpicRow(platform.store, epic.id);
}

/** Makes an issue part of an epic and answers the number of what ties them. Who may is for the caller to know. */
export function addIssueToEpic(platform: Platform, epic: Epic, issueId: number): number {
  return platform.store.transaction(() => tieIssue(platform.store, epic.id, issueId));
}

const blank: EpicValues = {
  title: '',
  description: null,
  state: 'opened',
  confidential: 0,
  start_date_is_fixed: 0,
  start_date_fixed: null,
  due_date_is_fixed: 0,
  due_date_fixed: null,
  closed_at: null,
};

function changed(before: EpicValues, input: EpicInput, now: number): EpicValues {
  const title = input.title ?? before.title;
  if (title.trim() === '') throw invalidRecord({ title: ["can't be blank"] });
  if (isLongerThan(title, MAX_LENGTH)) throw invalidRecord({ title: [`is too long (maximum is ${MAX_LENGTH} characters)`] });
  const flag = (value: boolean | undefined, stored: 0 | 1): 0 | 1 => (value === undefined ? stored : value ? 1 : 0);
  const state = input.stateEvent === undefined ? before.state : input.stateEvent === 'close' ? 'closed' : 'opened';
  return {
    title,
    description: input.description ?? before.description,
    state,
    confidential: flag(input.confidential, before.confidential),
    start_date_is_fixed: flag(input.startIsFixed, before.start_date_is_fixed),
    start_date_fixed: input.startFixed === undefined ? before.start_date_fixed : input.startFixed,
    due_date_is_fixed: flag(input.dueIsFixed, before.due_date_is_fixed),
    due_date_fixed: input.dueFixed === undefined ? before.due_date_fixed : input.dueFixed,
    closed_at: state === before.state ? before.closed_at : state === 'closed' ? now : null,
  };
}

function relabel(platform: Platform, { group, access }: FoundGroup, id: number, input: LabelInput): void {
  const target = { type: 'Epic', id, container: { kind: 'group', id: group.id } } as const;
  changeLabels(platform, target, input, { mayCreate: holdsRole(access, 'reporter') });
}

function mustFind(platform: Platform, id: number): Epic {
  const epic = epicById(platform.store, id);
  if (epic === undefined) throw new Error(`epic ${id} is not there`);
  return epic;
}
