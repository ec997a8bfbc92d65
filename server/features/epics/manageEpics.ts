import type { Contributions } from '../../core/contributions.ts';
import { isLongerThan } from '../../support/textLength.ts';
import type { ChangedEpic } from './changes.ts';
import { type FoundGroup, takeGroupIid } from '../groups/groups.ts';
import { invalidRecord } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { changeLabels, type LabelInput } from '../labels/labels.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { viewerId } from '../projectAccess/projectAccess.ts';
import {
  deleteEpicRow,
  deleteEpicsOf,
  handOverEpics,
  epicById,
  type EpicFilter,
  type EpicRow,
  type EpicValues,
  insertEpic,
  listEpics,
  linkIssue,
  writeEpic,
} from './store.ts';

// Epics of groups, for clients of the REST API. They create no activity events, because the feeds exclude epics
// (docs/interface.md#activity-events), but they are mailed about.

export type Epic = EpicRow;

/** Maximum length of a title, in characters. */
const MAX_TITLE_LENGTH = 255;

/** Returns the filter of the epics of a group that a user can see. */
export function visibleEpics(
  found: FoundGroup,
  user: User | undefined,
): Pick<EpicFilter, 'groupId' | 'viewer' | 'isAdministrator'> {
  return {
    groupId: found.group.id,
    viewer: viewerId(user === undefined ? undefined : { user }),
    isAdministrator: found.access.isAdministrator,
  };
}

/** Finds an epic by its number in the group, if the user can see it. */
export function findEpic(core: Core, found: FoundGroup, iid: number, user: User | undefined): Epic | undefined {
  const filter = { ...visibleEpics(found, user), iids: [iid] };
  return listEpics(core.store, filter, { order: 'created_at', sort: 'asc', limit: 1, offset: 0 })[0];
}

export interface EpicInput extends LabelInput {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly confidential?: boolean | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  readonly startIsFixed?: boolean | undefined;
  /** `YYYY-MM-DD`, or null to remove the date. */
  readonly startFixed?: string | null | undefined;
  readonly dueIsFixed?: boolean | undefined;
  readonly dueFixed?: string | null | undefined;
}

/**
 * Creates an epic.
 *
 * @throws {Invalid} For validation errors.
 */
export function createEpic(core: Core, found: FoundGroup, author: User, input: EpicInput): Epic {
  const { store } = core;
  const groupId = found.group.id;
  const values = changedValues(blank, input, core.clock.now());
  return store.transaction(() => {
    const id = insertEpic(store, groupId, takeGroupIid(store, groupId, 'epic'), author.id, values, core.clock.now());
    updateLabels(core, found, id, input);
    const epic = mustFind(core, id);
    core.changes.publish({ kind: 'epicOpened', epic: changed(epic), authorId: author.id });
    return epic;
  });
}

export function changed({ id, iid, group_id: groupId }: Epic): ChangedEpic {
  return { id, iid, groupId };
}

/**
 * Changes an epic. Omitted values do not change.
 *
 * @throws {Invalid} For validation errors.
 */
export function updateEpic(core: Core, found: FoundGroup, epic: Epic, by: User, input: EpicInput): Epic {
  const { store } = core;
  const values = changedValues(epic, input, core.clock.now());
  return store.transaction(() => {
    writeEpic(store, epic.id, values, core.clock.now());
    updateLabels(core, found, epic.id, input);
    const after = mustFind(core, epic.id);
    if (after.title !== epic.title || after.description !== epic.description) {
      const edit = { before: epic, after };
      core.changes.publish({ kind: 'epicEdited', epic: changed(after), edit, authorId: by.id });
    }
    return after;
  });
}

/** Deletes an epic, but not its issues. */
export function deleteEpic(core: Core, epic: Epic): void {
  deleteEpicRow(core.store, epic.id);
}

/** Epics of deleted accounts. */
export const epicContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverEpics(store, fromUserId, toUserId),
  remove: ({ store }, userId) => deleteEpicsOf(store, userId),
};

/** Adds an issue to an epic and returns the ID of the link. The caller must check permissions. */
export function addIssueToEpic(core: Core, epic: Epic, issueId: number): number {
  return core.store.transaction(() => linkIssue(core.store, epic.id, issueId));
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

function changedValues(before: EpicValues, input: EpicInput, now: number): EpicValues {
  const title = input.title ?? before.title;
  if (title.trim() === '') throw invalidRecord({ title: ["can't be blank"] });
  if (isLongerThan(title, MAX_TITLE_LENGTH))
    throw invalidRecord({ title: [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`] });
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

function updateLabels(core: Core, { group, access }: FoundGroup, id: number, input: LabelInput): void {
  const target = { type: 'Epic', id, container: { kind: 'group', id: group.id } } as const;
  changeLabels(core, target, input, { mayCreate: holdsRole(access, 'reporter') });
}

function mustFind(core: Core, id: number): Epic {
  const epic = epicById(core.store, id);
  if (epic === undefined) throw new Error(`epic ${id} does not exist`);
  return epic;
}
