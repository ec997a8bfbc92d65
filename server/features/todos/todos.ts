import type { Change, TextEdit } from '../../core/changes.ts';
import { recordNotFound } from '../../http/failures.ts';
import { type Caller, findUser, isBlocked } from '../identity/identity.ts';
import { type ChangedIssue, findIssue, issuesById, peopleOnIssue } from '../issues/issues.ts';
import { type ChangedMergeRequest, findMergeRequest, mustFindMergeRequest, peopleOn } from '../mergeRequests/mergeRequests.ts';
import { notesByIds } from '../notes/notes.ts';
import type { Platform } from '../../platform.ts';
import {
  accessOf,
  findProject,
  readableCodeSql,
  readableInternalNotesSql,
  readableIssuesSql,
  viewerId,
} from '../projects/projects.ts';
import { mentionedIds } from '../notifications/mentions.ts';
import { addressedNames, type TodoAction } from './rules.ts';
import { insertTodo, listTodos, type TodoFilter, type TodoRow, writeAllDone, writeDone, writeDoneFor } from './store.ts';

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
export function followTodos(platform: Platform): void {
  platform.changes.subscribe((change) => follow(platform, change));
}

function follow(platform: Platform, change: Change): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most changes are no reason for to-do items
  switch (change.kind) {
    case 'issueOpened': {
      const target = issueTarget(change.issue);
      const { authorId } = change;
      const issue = issuesById(platform, [target.id]).get(target.id);
      add(platform, target, peopleOnIssue(platform, target.id), { authorId, action: 'assigned' });
      mention(platform, target, [issue?.title, issue?.description], { authorId });
      return;
    }
    case 'mergeRequestOpened': {
      const target = mergeRequestTarget(change.mergeRequest);
      const { authorId } = change;
      const mergeRequest = mustFindMergeRequest(platform, target.id);
      const { assignees, reviewers } = peopleOn(platform, mergeRequest);
      add(platform, target, assignees, { authorId, action: 'assigned' });
      add(platform, target, reviewers, { authorId, action: 'review_requested' });
      mention(platform, target, [mergeRequest.title, mergeRequest.description], { authorId });
      return;
    }
    case 'issueReassigned':
      return addNew(platform, issueTarget(change.issue), peopleOnIssue(platform, change.issue.id), 'assigned', change);
    case 'mergeRequestReassigned':
    case 'mergeRequestReviewersChanged': {
      const { assignees, reviewers } = peopleOn(platform, mustFindMergeRequest(platform, change.mergeRequest.id));
      const isAssignment = change.kind === 'mergeRequestReassigned';
      const action = isAssignment ? 'assigned' : 'review_requested';
      return addNew(platform, mergeRequestTarget(change.mergeRequest), isAssignment ? assignees : reviewers, action, change);
    }
    case 'issueEdited':
      return mentionNew(platform, issueTarget(change.issue), change);
    case 'mergeRequestEdited':
      return mentionNew(platform, mergeRequestTarget(change.mergeRequest), change);
    case 'issueClosed':
      return finish(platform, issueTarget(change.issue), change.authorId);
    case 'mergeRequestClosed':
    case 'mergeRequestMerged':
    case 'mergeRequestApproved':
      return finish(platform, mergeRequestTarget(change.mergeRequest), change.authorId);
    case 'noteCreated': {
      const { note, on, authorId } = change;
      if (note.system || (on.type !== 'Issue' && on.type !== 'MergeRequest')) return;
      const target = on.type === 'Issue' ? issueTarget(on.issue) : mergeRequestTarget(on.mergeRequest);
      finish(platform, target, authorId);
      mention(platform, target, [notesByIds(platform, [note.id]).get(note.id)?.body], { authorId, note });
      return;
    }
    default:
  }
}

function finish({ store, clock }: Platform, { type, id: targetId }: Target, userId: number): void {
  writeDoneFor(store, { userId, type, targetId }, clock.now());
}

/** Adds items for those users who were not assignees or reviewers before. */
function addNew(
  platform: Platform,
  target: Target,
  userIds: readonly number[],
  action: TodoAction,
  { previousIds, authorId }: { readonly previousIds: readonly number[]; readonly authorId: number },
): void {
  const added = userIds.filter((id) => !previousIds.includes(id));
  add(platform, target, added, { authorId, action });
}

function mentionNew(
  platform: Platform,
  target: Target,
  { edit: { before, after }, authorId }: { readonly edit: TextEdit; readonly authorId: number },
): void {
  const known = mentionedIds(platform, [before.title, before.description], target.projectId);
  mention(platform, target, [after.title, after.description], { authorId }, known);
}

function mention(
  platform: Platform,
  target: Target,
  texts: readonly (string | null | undefined)[],
  cause: Omit<Cause, 'action'>,
  known: readonly number[] = [],
): void {
  const present = texts.map((text) => text ?? '');
  const mentioned = mentionedIds(platform, present, target.projectId).filter((id) => !known.includes(id));
  if (mentioned.length === 0) return;
  const names = new Set(present.flatMap(addressedNames));
  const isAddressed = (id: number): boolean => names.has(findUser(platform, id)?.username.toLowerCase() ?? '');
  const limited = mentioned.slice(0, MAX_USERS);
  const addressed = names.size === 0 ? [] : limited.filter(isAddressed);
  add(platform, target, addressed, { ...cause, action: 'directly_addressed' });
  add(
    platform,
    target,
    limited.filter((id) => !addressed.includes(id)),
    { ...cause, action: 'mentioned' },
  );
}

/** Adds items for the users who can read the target, unless they have a pending one for it. */
function add(platform: Platform, target: Target, userIds: readonly number[], { authorId, action, note }: Cause): void {
  const { store, clock } = platform;
  for (const userId of userIds.slice(0, MAX_USERS)) {
    if (!mayRead(platform, target, userId, note?.internal === true)) continue;
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

function mayRead(platform: Platform, target: Target, userId: number, isInternal: boolean): boolean {
  const user = findUser(platform, userId);
  if (user === undefined || isBlocked(user)) return false;
  const found = findProject(platform, target.projectId, { user });
  if (found === undefined || (isInternal && !found.can.readConfidential)) return false;
  return (
    (target.type === 'Issue' ? findIssue(platform, found, target.iid, user) : findMergeRequest(platform, found, target.iid)) !==
    undefined
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

/** @throws 404 if the caller has no item with this ID. */
export function markDone(platform: Platform, caller: Caller, id: number): Todo {
  const { store, clock } = platform;
  return store.transaction(() => {
    const find = (): Todo => {
      const [todo] = listTodos(store, { ...ownTodos(caller), id }, { sort: 'desc', limit: 1, offset: 0 });
      if (todo === undefined) throw recordNotFound('the user has no to-do item with this ID');
      return todo;
    };
    writeDone(store, find().id, clock.now());
    return find();
  });
}

/** Marks all pending items of the caller as done. */
export function markAllDone({ store, clock }: Platform, { user }: Caller): void {
  writeAllDone(store, user.id, clock.now());
}
