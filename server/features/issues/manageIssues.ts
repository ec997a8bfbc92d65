import type { ChangedIssue, FormerIssue } from './changes.ts';
import { dayStart } from '../../core/clock.ts';
import { conflict, forbidden, invalidRecord } from '../../core/errors.ts';
import { MAX_NUMBER } from '../../support/maxNumber.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { changeLabels, labelsOf, type LabelInput } from '../labels/labels.ts';
import { findMilestone } from '../milestones/milestones.ts';
import {
  addNote,
  changedNote,
  comment,
  deleteAllNotes,
  issuableActions,
  type NewComment,
  type Note,
  type Noteable,
  type Commentable,
  type QuickAction,
  readQuickActions,
} from '../notes/notes.ts';
import type { Contributions } from '../../core/contributions.ts';
import type { Core } from '../../core/core.ts';
import { lazy } from '../../support/lazy.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole, readableIssuesSql } from '../abilities/abilities.ts';
import { takeIid } from '../projects/projects.ts';
import { issueAbilities, type IssueAbilities, type IssueType, titleErrors } from './rules.ts';
import {
  assigneesOf,
  deleteIssueRow,
  forgetCloser,
  handOverIssues,
  insertIssue,
  issueById,
  issuesByIds,
  issueByIid,
  type IssueRow,
  type IssueValues,
  reserveIid,
  touchIssue,
  writeAssignees,
  writeIssue,
  issuesByAuthor,
} from './store.ts';

export type Issue = IssueRow;

/** Returns the existing issues among some IDs. The caller must check their visibility. */
export function issuesById(core: Core, ids: readonly number[]): ReadonlyMap<number, Issue> {
  return new Map(issuesByIds(core.store, ids).map((issue) => [issue.id, issue]));
}

/** Finds an issue by its IID. Issues that are not visible to the user are treated as missing. */
export function findIssue(core: Core, { project, access }: FoundProject, iid: number, user: User | undefined): Issue | undefined {
  return issueByIid(core.store, project.id, iid, { viewer: user?.id ?? 0, readable: readableIssuesSql(access) });
}

/** Reserves the next IID of a project for a work item that is no issue. */
export function takeWorkItemIid({ store }: Core, projectId: number): number {
  return takeIid(store, projectId, 'issue');
}

export function noteableOf(issue: Issue): Noteable {
  return { type: 'Issue', id: issue.id, iid: issue.iid, projectId: issue.project_id };
}

/** Returns the actions a user can perform on an issue they can see. */
export function abilitiesOnIssue(core: Core, found: FoundProject, issue: Issue, user: User): IssueAbilities {
  return issueAbilities({
    canWrite: found.can.writeIssues,
    isReporter: holdsRole(found.access, 'reporter'),
    isAuthor: issue.author_id === user.id,
    isAssignee: assigneesOf(core.store, [issue.id]).some((row) => row.user_id === user.id),
  });
}

export function changed(issue: Issue): ChangedIssue {
  return {
    id: issue.id,
    iid: issue.iid,
    projectId: issue.project_id,
    title: issue.title,
    confidential: issue.confidential === 1,
  };
}

export interface NewIssue {
  readonly title: string;
  readonly description?: string | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
  readonly labels?: readonly string[] | undefined;
  /** `YYYY-MM-DD` */
  readonly dueDate?: string | undefined;
  readonly milestoneId?: number | undefined;
  readonly weight?: number | undefined;
  readonly type?: IssueType | undefined;
  readonly confidential?: boolean | undefined;
  /** In milliseconds. Respected for owners and administrators only, like the IID. */
  readonly createdAt?: number | undefined;
  readonly iid?: number | undefined;
}

/**
 * Opens an issue. Everyone who can read the issues of a project can do so; labels, assignees and due date are ignored unless the author is
 * a member.
 *
 * @throws {Forbidden} without access, `Invalid` for an invalid title, `Refused` if the IID is taken.
 */
export function createIssue(core: Core, found: FoundProject, author: User, input: NewIssue): Issue {
  const { store } = core;
  const { project, access } = found;
  if (!found.can.writeIssues) throw forbidden(undefined, 'the caller cannot create issues in this project', 'issue.create');
  const validationErrors = titleErrors(input.title);
  if (validationErrors.length > 0) throw invalidRecord({ title: validationErrors });
  const isMember = holdsRole(access, 'guest');
  const isOwner = holdsRole(access, 'owner');
  return store.transaction(() => {
    const requestedIid = isOwner ? input.iid : undefined;
    if (requestedIid !== undefined && requestedIid > MAX_NUMBER)
      throw invalidRecord({ iid: [`must be less than or equal to ${MAX_NUMBER}`] });
    if (requestedIid !== undefined && (requestedIid < 1 || !reserveIid(store, project.id, requestedIid)))
      throw conflict('Duplicated issue');
    const now = core.clock.now();
    const id = insertIssue(store, {
      projectId: project.id,
      iid: requestedIid ?? takeIid(store, project.id, 'issue'),
      title: input.title,
      description: input.description ?? null,
      authorId: author.id,
      confidential: input.confidential ?? false,
      dueDate: isMember ? (input.dueDate ?? null) : null,
      milestoneId: isMember ? usableMilestone(core, project.id, input.milestoneId, null) : null,
      issueType: input.type ?? 'issue',
      weight: isMember ? (input.weight ?? null) : null,
      createdAt: isOwner ? (input.createdAt ?? now) : now,
      now,
    });
    if (isMember) relabel(core, found, id, { labels: input.labels });
    if (isMember && input.assigneeIds !== undefined) assign(core, project.id, id, input.assigneeIds);
    const issue = mustFind(core, id);
    core.changes.publish({ kind: 'issueOpened', issue: changed(issue), authorId: author.id });
    return issue;
  });
}

export interface IssueInput extends LabelInput {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  /** Name of the object that closes the issue, such as `merge request !1`, for the system note. */
  readonly closedVia?: string | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
  /** Null removes it. */
  readonly dueDate?: string | null | undefined;
  /** Null removes it. */
  readonly milestoneId?: number | null | undefined;
  readonly weight?: number | null | undefined;
  readonly type?: IssueType | undefined;
  readonly discussionLocked?: boolean | null | undefined;
  readonly confidential?: boolean | undefined;
}

type Administered = Pick<
  IssueValues,
  'confidential' | 'due_date' | 'milestone_id' | 'weight' | 'issue_type' | 'discussion_locked'
>;

function closingNote(via: string | undefined): string {
  return via === undefined ? 'closed' : `closed via ${via}`;
}

/**
 * Changes the given attributes of an issue. Attributes that require the role reporter are ignored for other users. Closing and reopening
 * add a system note.
 *
 * @throws {Forbidden} without access, `Invalid` for an invalid title.
 */
export function updateIssue(core: Core, found: FoundProject, issue: Issue, by: User, input: IssueInput): Issue {
  const { store, changes } = core;
  const can = abilitiesOnIssue(core, found, issue, by);
  if (!can.update)
    throw forbidden(
      undefined,
      'changing an issue requires at least the reporter role, or being its author or assignee',
      'issue.update',
    );
  const validationErrors = input.title === undefined ? [] : titleErrors(input.title);
  if (validationErrors.length > 0) throw invalidRecord({ title: validationErrors });
  const now = core.clock.now();
  const closes = input.stateEvent === 'close' && issue.state === 'opened';
  const reopens = input.stateEvent === 'reopen' && issue.state === 'closed';
  const ending: Pick<IssueValues, 'state' | 'closed_at' | 'closed_by'> = closes
    ? { state: 'closed', closed_at: now, closed_by: by.id }
    : reopens
      ? { state: 'opened', closed_at: null, closed_by: null }
      : issue;
  const administered: Administered = can.administer
    ? {
        confidential: input.confidential === undefined ? issue.confidential : input.confidential ? 1 : 0,
        due_date: input.dueDate === undefined ? issue.due_date : input.dueDate,
        milestone_id: usableMilestone(core, issue.project_id, input.milestoneId, issue.milestone_id),
        weight: input.weight === undefined ? issue.weight : input.weight,
        issue_type: input.type ?? issue.issue_type,
        discussion_locked:
          input.discussionLocked === undefined ? issue.discussion_locked : input.discussionLocked === true ? 1 : 0,
      }
    : issue;
  const values: IssueValues = {
    title: input.title ?? issue.title,
    description: input.description ?? issue.description,
    state: ending.state,
    closed_at: ending.closed_at,
    closed_by: ending.closed_by,
    confidential: administered.confidential,
    due_date: administered.due_date,
    milestone_id: administered.milestone_id,
    weight: administered.weight,
    issue_type: administered.issue_type,
    discussion_locked: administered.discussion_locked,
  };
  return store.transaction(() => {
    const before = formerIssue(core, issue);
    writeIssue(store, issue.id, values, now);
    if (can.administer) relabel(core, found, issue.id, input);
    if (can.administer && input.assigneeIds !== undefined) assign(core, issue.project_id, issue.id, input.assigneeIds);
    const after = mustFind(core, issue.id);
    publishAssignees(core, after, before.assigneeIds, by);
    if (after.title !== issue.title || after.description !== issue.description) {
      const edit = { before: issue, after };
      changes.publish({ kind: 'issueEdited', issue: changed(after), edit, authorId: by.id });
    }
    if (after.title !== issue.title) changes.publish({ kind: 'issueRetitled', issue: changed(after) });
    if (after.confidential !== issue.confidential) {
      changes.publish({ kind: 'issueConfidentialityChanged', issue: changed(after) });
    }
    if (isUpdated(before, formerIssue(core, after))) {
      changes.publish({ kind: 'issueUpdated', issue: changed(after), before, authorId: by.id });
    }
    if (closes || reopens) {
      noteOnIssue(core, after, by, closes ? closingNote(input.closedVia) : 'reopened');
      changes.publish({ kind: closes ? 'issueClosed' : 'issueReopened', issue: changed(after), authorId: by.id });
    }
    return mustFind(core, issue.id);
  });
}

function formerIssue(core: Core, issue: Issue): FormerIssue {
  return {
    row: issue,
    labels: labelsOf(core, 'Issue', [issue.id]).get(issue.id) ?? [],
    assigneeIds: assigneeIds(core, issue),
  };
}

/** Returns true if attributes besides the state differ. */
function isUpdated(before: FormerIssue, after: FormerIssue): boolean {
  const names = [
    'title',
    'description',
    'confidential',
    'due_date',
    'milestone_id',
    'weight',
    'issue_type',
    'discussion_locked',
  ] as const;
  const idsOf = ({ labels }: FormerIssue): number[] => labels.map(({ id }) => id);
  return (
    names.some((name) => before.row[name] !== after.row[name]) ||
    !hasSameMembers(idsOf(before), idsOf(after)) ||
    !hasSameMembers(before.assigneeIds, after.assigneeIds)
  );
}

/** Returns the IDs of the assignees of an issue. */
export function peopleOnIssue(core: Core, id: number): readonly number[] {
  return assigneesOf(core.store, [id]).map((row) => row.user_id);
}

function assigneeIds(core: Core, issue: Issue): readonly number[] {
  return assigneesOf(core.store, [issue.id]).map((row) => row.user_id);
}

/** Publishes a change of the assignees, with a system note. */
function publishAssignees(core: Core, issue: Issue, before: readonly number[], by: User): void {
  const after = assigneeIds(core, issue);
  if (hasSameMembers(before, after)) return;
  noteOnIssue(core, issue, by, assignmentNote(core, before, after));
  core.changes.publish({ kind: 'issueReassigned', issue: changed(issue), previousIds: before, authorId: by.id });
}

/** Returns true if two lists without duplicates contain the same IDs. */
export function hasSameMembers(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}

/** Returns the text of the system note about a change of assignees. */
export function assignmentNote(core: Core, before: readonly number[], after: readonly number[]): string {
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  return [
    ...(added.length === 0 ? [] : [`assigned to ${namesOf(core, added)}`]),
    ...(removed.length === 0 ? [] : [`unassigned ${namesOf(core, removed)}`]),
  ].join(' and ');
}

/** Created on first use, because loading the language data takes as long as loading half of the server. */
const enumeration = lazy(() => new Intl.ListFormat('en'));

/** Returns the usernames as an enumeration: `@ada, @bob, and @cleo`. */
export function namesOf(core: Core, userIds: readonly number[]): string {
  return enumeration().format(
    userIds.flatMap((id) => {
      const user = findUser(core, id);
      return user === undefined ? [] : [`@${user.username}`];
    }),
  );
}

/** Deletes an issue with its notes and activity events. */
export function deleteIssue(core: Core, issue: Issue): void {
  core.store.transaction(() => {
    deleteAllNotes(core, noteableOf(issue));
    deleteIssueRow(core.store, issue.id);
  });
}

/** Issues of deleted accounts. */
export const issueContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => {
    handOverIssues(store, fromUserId, toUserId);
    forgetCloser(store, fromUserId);
  },
  remove: (core, userId) => {
    for (const issue of issuesByAuthor(core.store, userId)) deleteIssue(core, issue);
    forgetCloser(core.store, userId);
  },
};

/** Returns an issue as a commentable with the abilities of the caller. */
export function commentableIssue(core: Core, found: FoundProject, issue: Issue): Commentable {
  const { can, access } = found;
  return {
    noteable: noteableOf(issue),
    can: {
      readInternal: can.readConfidential,
      // Only members can comment on a locked discussion.
      write: can.writeIssues && (issue.discussion_locked !== 1 || holdsRole(access, 'guest')),
      writeInternal: holdsRole(access, 'reporter'),
      administer: holdsRole(access, 'maintainer'),
      backdate: holdsRole(access, 'owner'),
      resolve: false,
    },
    added: (note, author) => {
      publishNote(core, issue, author, note);
      touchIssue(core.store, issue.id, core.clock.now());
    },
    quickActions: [...issuableActions, 'due', 'remove_due_date', 'confidential'],
    act: (by, actions) => applyQuickActions(core, found, issue, by, actions),
    checkPosition: undefined,
  };
}

/** Applies the quick actions of a comment and returns their results. */
function applyQuickActions(
  core: Core,
  found: FoundProject,
  issue: Issue,
  by: User,
  actions: readonly QuickAction[],
): readonly string[] {
  const can = abilitiesOnIssue(core, found, issue, by);
  const isOpen = issue.state === 'opened';
  const issuable = {
    noun: 'issue',
    isOpen,
    isClosed: !isOpen,
    labels: (labelsOf(core, 'Issue', [issue.id]).get(issue.id) ?? []).map(({ title }) => title),
    assigneeIds: assigneesOf(core.store, [issue.id]).map((row) => row.user_id),
    can,
  };
  const { input, done } = readQuickActions<Pick<IssueInput, 'dueDate' | 'confidential'>>(
    core,
    issuable,
    actions,
    ({ name, argument }) => {
      if (!can.administer) return undefined;
      if (name === 'confidential') return [{ confidential: true }, 'Made this issue confidential.'];
      if (name === 'remove_due_date') return [{ dueDate: null }, 'Removed the due date.'];
      const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(argument) ?? [];
      if (dayStart(Number(year), Number(month), Number(day)) === undefined) return undefined;
      return [{ dueDate: argument }, `Set the due date to ${argument}.`];
    },
  );
  if (Object.keys(input).length > 0) updateIssue(core, found, issue, by, input);
  return done;
}

/**
 * Adds a comment to an issue.
 *
 * @throws {Forbidden} without access, `Invalid` for an empty text.
 */
export function commentOnIssue(core: Core, found: FoundProject, issue: Issue, author: User, input: NewComment): Note {
  const made = comment(core, commentableIssue(core, found, issue), author, input);
  if (!('note' in made)) throw new Error('the comment contains only quick actions');
  return made.note;
}

/** Adds a system note about an action of a user. */
export function noteOnIssue(core: Core, issue: Issue, author: User, body: string): void {
  const note = addNote(core, noteableOf(issue), { body, authorId: author.id, system: true });
  publishNote(core, issue, author, note);
}

function publishNote(core: Core, issue: Issue, author: User, note: Note): void {
  core.changes.publish({
    kind: 'noteCreated',
    note: changedNote(note),
    on: { type: 'Issue', issue: changed(issue) },
    authorId: author.id,
  });
}

/**
 * Assigns an issue to those users who can see the issues of the project; others are skipped.
 *
 * @throws {Invalid} for too many users.
 */
function assign(core: Core, projectId: number, issueId: number, userIds: readonly number[]): void {
  const assignable = distinctPeople('assignees', userIds).filter((userId) => {
    const user = findUser(core, userId);
    return user !== undefined && findProject(core, projectId, { user })?.can.readIssues === true;
  });
  writeAssignees(core.store, issueId, assignable);
}

/** Maximum number of assignees of an issue, and of assignees and of reviewers of a merge request. */
const MAX_ASSIGNEES = 200;

/**
 * Returns distinct user IDs.
 *
 * @throws {Invalid} if there are more than an issue or merge request can have.
 */
export function distinctPeople(field: 'assignees' | 'reviewers', userIds: readonly number[]): readonly number[] {
  const ids = [...new Set(userIds)];
  if (ids.length > MAX_ASSIGNEES) throw invalidRecord({ [field]: [`total must be less than or equal to ${MAX_ASSIGNEES}`] });
  return ids;
}

/** Changes the labels of an issue. Missing labels are created if the user is at least a reporter. */
function relabel(core: Core, { project, access }: FoundProject, id: number, input: LabelInput): void {
  const target = { type: 'Issue', id, container: { kind: 'project', id: project.id } } as const;
  changeLabels(core, target, input, { mayCreate: holdsRole(access, 'reporter') });
}

/** Returns the requested milestone. One that the project cannot use is removed, as on GitLab. */
function usableMilestone(core: Core, projectId: number, input: number | null | undefined, before: number | null): number | null {
  if (input === undefined) return before;
  return input === null || findMilestone(core, { kind: 'project', id: projectId }, input, true) === undefined ? null : input;
}

/** Returns an issue that must exist. */
export function mustFind(core: Core, id: number): Issue {
  const issue = issueById(core.store, id);
  if (issue === undefined) throw new Error(`issue ${id} does not exist`);
  return issue;
}
