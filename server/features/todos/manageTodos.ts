import type { Contributions } from '../../core/contributions.ts';
import type { Change, TextEdit } from '../../core/changes.ts';
import { recordNotFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { isBlocked } from '../accountRules/accountRules.ts';
import { approversOf } from '../approvalRules/approvalRules.ts';
import { type ChangedIssue, findIssue, issuesById, peopleOnIssue } from '../issues/issues.ts';
import { type ChangedMergeRequest, findMergeRequest, mustFindMergeRequest, peopleOn } from '../mergeRequests/mergeRequests.ts';
import { notesByIds } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, findProject, type FoundProject, viewerId } from '../projectAccess/projectAccess.ts';
import { readableCodeSql, readableInternalNotesSql, readableIssuesSql } from '../abilities/abilities.ts';
import { mentionedIds } from '../notifications/notifications.ts';
import { addressedNames, type TodoAction } from './rules.ts';
import {
  handOverTodos,
  insertTodo,
  listTodos,
  type TodoFilter,
  type TodoRow,
  writeAllDone,
  writeDone,
  writeDoneFor,
} from './store.ts';

// To-do items: what users are assigned, asked to review or mentioned in (docs/interface.md#to-do-items).

export type Todo = TodoRow;

/** Largest number of users who get an item for one change. */
const MAX_USERS = 500;

/** Object of to-do items. */
interface Target {
  readonly type: 'Issue' | 'MergeRequest';
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
}

interface Cause {
  readonly authorId: number;
  readonly action: TodoAction;
  /** The comment that mentions the users. */
  readonly note?: { readonly id: number; readonly internal: boolean };
}

const issueTarget = ({ id, iid, projectId }: ChangedIssue): Target => ({ type: 'Issue', id, iid, projectId });
const mergeRequestTarget = ({ id, iid, projectId }: ChangedMergeRequest): Target => ({
  type: 'MergeRequest',
  id,
  iid,
  projectId,
});

/** Creates and finishes to-do items in the transaction of the change that is their cause. */
export function followTodos(core: Core): void {
  core.changes.subscribe((change) => follow(core, change));
}

function follow(core: Core, change: Change): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most changes are no reason for to-do items
  switch (change.kind) {
    case 'issueOpened': {
      const target = issueTarget(change.issue);
      const { authorId } = change;
      const issue = issuesById(core, [target.id]).get(target.id);
      add(core, target, peopleOnIssue(core, target.id), { authorId, action: 'assigned' });
      mention(core, target, [issue?.title, issue?.description], { authorId });
      return;
    }
    case 'mergeRequestOpened': {
      const target = mergeRequestTarget(change.mergeRequest);
      const { authorId } = change;
      const mergeRequest = mustFindMergeRequest(core, target.id);
      const { assignees, reviewers } = peopleOn(core, mergeRequest);
      const approvers = approversOf(core, target.projectId, 0, MAX_USERS + 1).filter((id) => id !== authorId);
      add(core, target, approvers, { authorId, action: 'approval_required' });
      add(core, target, assignees, { authorId, action: 'assigned' });
      add(core, target, reviewers, { authorId, action: 'review_requested' });
      mention(core, target, [mergeRequest.title, mergeRequest.description], { authorId });
      return;
    }
    case 'issueReassigned':
      finish(core, issueTarget(change.issue), change.authorId);
      return addNew(core, issueTarget(change.issue), peopleOnIssue(core, change.issue.id), 'assigned', change);
    case 'mergeRequestReassigned':
    case 'mergeRequestReviewersChanged': {
      finish(core, mergeRequestTarget(change.mergeRequest), change.authorId);
      const { assignees, reviewers } = peopleOn(core, mustFindMergeRequest(core, change.mergeRequest.id));
      const isAssignment = change.kind === 'mergeRequestReassigned';
      const action = isAssignment ? 'assigned' : 'review_requested';
      return addNew(core, mergeRequestTarget(change.mergeRequest), isAssignment ? assignees : reviewers, action, change);
    }
    case 'issueEdited':
      finish(core, issueTarget(change.issue), change.authorId);
      return mentionNew(core, issueTarget(change.issue), change);
    case 'mergeRequestEdited':
      finish(core, mergeRequestTarget(change.mergeRequest), change.authorId);
      return mentionNew(core, mergeRequestTarget(change.mergeRequest), change);
    case 'issueClosed':
      return finish(core, issueTarget(change.issue), change.authorId);
    case 'mergeRequestClosed':
    case 'mergeRequestMerged':
    case 'mergeRequestApproved':
    case 'mergeRequestPushed':
      return finish(core, mergeRequestTarget(change.mergeRequest), change.authorId);
    case 'noteCreated': {
      const { note, on, authorId } = change;
      if (note.system || (on.type !== 'Issue' && on.type !== 'MergeRequest')) return;
      const target = on.type === 'Issue' ? issueTarget(on.issue) : mergeRequestTarget(on.mergeRequest);
      finish(core, target, authorId);
      mention(core, target, [notesByIds(core, [note.id]).get(note.id)?.body], { authorId, note });
      return;
    }
    default:
  }
}

function finish({ store, clock }: Core, { type, id: targetId }: Target, userId: number): void {
  writeDoneFor(store, { userId, type, targetId }, clock.now());
}

/** Adds items for those users who were not assignees or reviewers before. */
function addNew(
  core: Core,
  target: Target,
  userIds: readonly number[],
  action: TodoAction,
  { previousIds, authorId }: { readonly previousIds: readonly number[]; readonly authorId: number },
): void {
  const added = userIds.filter((id) => !previousIds.includes(id));
  add(core, target, added, { authorId, action });
}

function mentionNew(
  core: Core,
  target: Target,
  { edit: { before, after }, authorId }: { readonly edit: TextEdit; readonly authorId: number },
): void {
  const known = mentionedIds(core, [before.title, before.description], target.projectId);
  mention(core, target, [after.title, after.description], { authorId }, known);
}

function mention(
  core: Core,
  target: Target,
  texts: readonly (string | null | undefined)[],
  cause: Omit<Cause, 'action'>,
  known: readonly number[] = [],
): void {
  const present = texts.map((text) => text ?? '');
  const mentioned = mentionedIds(core, present, target.projectId).filter((id) => !known.includes(id));
  if (mentioned.length === 0) return;
  const names = new Set(present.flatMap(addressedNames));
  const isAddressed = (id: number): boolean => names.has(findUser(core, id)?.username.toLowerCase() ?? '');
  const limited = mentioned.slice(0, MAX_USERS);
  const addressed = names.size === 0 ? [] : limited.filter(isAddressed);
  add(core, target, addressed, { ...cause, action: 'directly_addressed' });
  add(
    core,
    target,
    limited.filter((id) => !addressed.includes(id)),
    { ...cause, action: 'mentioned' },
  );
}

/** Adds items for the users who can read the target, unless they have a pending one for it. */
function add(core: Core, target: Target, userIds: readonly number[], { authorId, action, note }: Cause): void {
  const { store, clock } = core;
  for (const userId of userIds.slice(0, MAX_USERS)) {
    if (!mayRead(core, target, userId, note?.internal === true)) continue;
    insertTodo(
      store,
      {
        user_id: userId,
        author_id: authorId,
        project_id: target.projectId,
        target_type: target.type,
        target_id: target.id,
        note_id: note?.id ?? null,
        action,
      },
      clock.now(),
    );
  }
}

function mayRead(core: Core, target: Target, userId: number, isInternal: boolean): boolean {
  const user = findUser(core, userId);
  if (user === undefined || isBlocked(user)) return false;
  const found = findProject(core, target.projectId, { user });
  if (found === undefined || (isInternal && !found.can.readConfidential)) return false;
  return (
    (target.type === 'Issue' ? findIssue(core, found, target.iid, user) : findMergeRequest(core, found, target.iid)) !== undefined
  );
}

/** Returns the filter for all items of the caller whose target the caller can still read. */
export function ownTodos(caller: Caller): TodoFilter {
  const access = accessOf(caller);
  return {
    viewer: viewerId(caller),
    readableIssues: readableIssuesSql(access),
    readableCode: readableCodeSql(access),
    readableNotes: readableInternalNotesSql(access),
  };
}

/**
 * Adds an item for an issue or merge request to the list of the caller. Returns undefined if the caller has a pending one for it.
 *
 * @throws {NotFound} if it does not exist or is not visible to the caller.
 */
export function markForLater(
  core: Core,
  found: FoundProject,
  { type, iid }: Pick<Target, 'type' | 'iid'>,
  caller: Caller,
): Todo | undefined {
  const { store, clock } = core;
  const { user } = caller;
  const target = type === 'Issue' ? findIssue(core, found, iid, user) : findMergeRequest(core, found, iid);
  if (target === undefined) throw recordNotFound(`no such ${nameOf[type]}, or it is not visible to the caller`);
  return store.transaction(() => {
    const row = {
      user_id: user.id,
      author_id: user.id,
      project_id: target.project_id,
      target_type: type,
      target_id: target.id,
      note_id: null,
      action: 'marked',
    } as const;
    const id = insertTodo(store, row, clock.now());
    return id === undefined ? undefined : findOwn(core, caller, id);
  });
}

const nameOf = { Issue: 'issue', MergeRequest: 'merge request' } as const;

function findOwn({ store }: Core, caller: Caller, id: number): Todo | undefined {
  const [todo] = listTodos(store, { ...ownTodos(caller), id }, { sort: 'desc', limit: 1, offset: 0 });
  return todo;
}

/** @throws {NotFound} if the caller has no item with this ID. */
export function markDone(core: Core, caller: Caller, id: number): Todo {
  const { store, clock } = core;
  return store.transaction(() => {
    const find = (): Todo => {
      const todo = findOwn(core, caller, id);
      if (todo === undefined) throw recordNotFound('the user has no to-do item with this ID');
      return todo;
    };
    writeDone(store, find().id, clock.now());
    return find();
  });
}

/** Marks all pending items of the caller as done. */
export function markAllDone({ store, clock }: Core, { user }: Caller): void {
  writeAllDone(store, user.id, clock.now());
}

/** To-do items that deleted accounts caused for others. */
export const todoContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverTodos(store, fromUserId, toUserId),
  // They go with the account.
  remove: () => undefined,
};
