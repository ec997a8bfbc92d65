import type { Contributions } from '../../core/contributions.ts';
import type { ChangedMergeRequest, FormerMergeRequest } from './changes.ts';
import { branchHead } from '../git/git.ts';
import { mayMergeInto, mayPush } from '../pushes/pushes.ts';
import { conflict, forbidden, invalidRecord, type Refused, unprocessable } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { assignmentNote, distinctPeople, findIssue, hasSameMembers, namesOf } from '../issues/issues.ts';
import { changeLabels, labelsOf, type LabelInput } from '../labels/labels.ts';
import { findMilestone } from '../milestones/milestones.ts';
import { addNote, changedNote, commentersOf, deleteAllNotes, type Note, type Noteable } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { areRelated, findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { isDraft, issuesNamed, mergeRequestAbilities, type MergeRequestAbilities, titleErrors } from './rules.ts';
import {
  assigneesOf,
  deleteMergeRequestRow,
  handOverMergeRequests,
  insertMergeRequest,
  headsOf,
  insertVersion,
  mergeRequestById,
  mergeRequestByIid,
  type MergeRequestRow,
  type MergeRequestValues,
  openOfBranch,
  reviewersOf,
  touchMergeRequest,
  writeAssignees,
  writeIssues,
  writeMergeRequest,
  writeReviewers,
  mergeRequestsByAuthor,
} from './store.ts';

export type MergeRequest = MergeRequestRow;

/** Returns the newest commit of each merge request of a project. */
export function mergeRequestHeads({ store }: Core, projectId: number): ReturnType<typeof headsOf> {
  return headsOf(store, projectId);
}

/** Finds a merge request by iid; undefined also if it is not visible to the caller. */
export function findMergeRequest(core: Core, { project, can }: FoundProject, iid: number): MergeRequest | undefined {
  return can.readMergeRequests ? mergeRequestByIid(core.store, project.id, iid) : undefined;
}

export function mustFindMergeRequest(core: Core, id: number): MergeRequest {
  const found = mergeRequestById(core.store, id);
  if (found === undefined) throw new Error(`merge request ${id} does not exist`);
  return found;
}

export function noteableOf(mergeRequest: Pick<MergeRequest, 'id' | 'iid' | 'project_id'>): Noteable {
  return { type: 'MergeRequest', id: mergeRequest.id, iid: mergeRequest.iid, projectId: mergeRequest.project_id };
}

/** Returns true if the user can write on merge requests of a project at all. */
export function mayWrite({ project, can, access }: FoundProject): boolean {
  return can.readMergeRequests && access.isSignedIn && project.archived === 0;
}

/** Returns the permissions of a user on a merge request that is visible to them. */
export function abilitiesOn(core: Core, found: FoundProject, mergeRequest: MergeRequest, user: User): MergeRequestAbilities {
  return mergeRequestAbilities({
    canWrite: mayWrite(found),
    isReporter: holdsRole(found.access, 'reporter'),
    isDeveloper: holdsRole(found.access, 'developer'),
    isAuthor: mergeRequest.author_id === user.id,
    isAssignee: assigneesOf(core.store, [mergeRequest.id]).some((row) => row.user_id === user.id),
  });
}

/** Returns true if the user has permission to merge it. */
export function mayMerge(core: Core, found: FoundProject, mergeRequest: MergeRequest): boolean {
  return mayMergeInto(core, found, mergeRequest.target_branch);
}

export function changed(mergeRequest: MergeRequest): ChangedMergeRequest {
  const { id, iid, title } = mergeRequest;
  return { id, iid, title, projectId: mergeRequest.project_id };
}

export interface NewMergeRequest {
  readonly title: string;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly description?: string | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
  readonly reviewerIds?: readonly number[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly milestoneId?: number | null | undefined;
  readonly squash?: boolean | undefined;
  readonly removeSourceBranch?: boolean | undefined;
  readonly allowCollaboration?: boolean | undefined;
}

/**
 * Creates a merge request from a branch of `source` into one of `target`, which may be the same project. Throws `Forbidden` without
 * permission, `Invalid` for an invalid title or missing branches, and `Refused` if one is already open.
 */
export function createMergeRequest(
  core: Core,
  ends: { readonly source: FoundProject; readonly target: FoundProject },
  author: User,
  input: NewMergeRequest,
): MergeRequest {
  const { store } = core;
  const { source, target } = ends;
  if (!mayPush(source))
    throw forbidden(undefined, 'only developers of the source project can open merge requests', 'mergeRequest.create');
  if (!mayWrite(target))
    throw forbidden(undefined, 'the caller cannot open merge requests in this project', 'mergeRequest.create');
  checkTitle(input.title);
  const head = branchHead(core, source.project.id, input.sourceBranch);
  const start = branchHead(core, target.project.id, input.targetBranch);
  if (source.project.id === target.project.id && input.sourceBranch === input.targetBranch) throw sameBranch();
  if (!areRelated(core, source.project, target.project)) {
    const text = ['Source project is not a fork of the target project'];
    throw unprocessable(text, 'the projects are not in the same fork network', 'mergeRequest.fork');
  }
  if (head === undefined) throw invalidRecord({ source_branch: ['does not exist'] });
  if (start === undefined) throw invalidRecord({ target_branch: ['does not exist'] });
  const administers = holdsRole(target.access, 'reporter') || source.project.id === target.project.id;
  return store.transaction(() => {
    refuseDuplicate(core, { ...input, id: 0, sourceProjectId: source.project.id, projectId: target.project.id });
    const id = insertMergeRequest(
      store,
      {
        projectId: target.project.id,
        sourceProjectId: source.project.id,
        sourceBranch: input.sourceBranch,
        targetBranch: input.targetBranch,
        title: input.title,
        description: input.description ?? null,
        draft: isDraft(input.title) ? 1 : 0,
        squash: input.squash === true ? 1 : 0,
        removeSourceBranch: input.removeSourceBranch === undefined ? null : input.removeSourceBranch ? 1 : 0,
        allowCollaboration: input.allowCollaboration === true ? 1 : 0,
        milestoneId: administers ? usableMilestone(core, target.project.id, input.milestoneId, null) : null,
        authorId: author.id,
        now: core.clock.now(),
      },
      { head, start },
    );
    if (administers) setPeople(core, target.project.id, id, input);
    if (administers) relabel(core, target, id, { labels: input.labels });
    const opened = mustFindMergeRequest(core, id);
    storeNamedIssues(core, target, opened, author);
    core.changes.publish({ kind: 'mergeRequestOpened', mergeRequest: changed(opened), authorId: author.id });
    return opened;
  });
}

function sameBranch(): Refused {
  const text = ["You can't use same project/branch for source and target"];
  return unprocessable(text, 'source and target are the same branch', 'mergeRequest.branches');
}

function checkTitle(title: string): void {
  const validationErrors = titleErrors(title);
  if (validationErrors.length > 0) throw invalidRecord({ title: validationErrors });
}

/** Throws `Refused` if another merge request with the same source and target branches is open. */
function refuseDuplicate(
  core: Core,
  input: { id: number; sourceProjectId: number | null; projectId: number; sourceBranch: string; targetBranch: string },
): void {
  if (input.sourceProjectId === null) return;
  const duplicate = openOfBranch(core.store, 'source', input.sourceProjectId, input.sourceBranch).find(
    (other) => other.id !== input.id && other.project_id === input.projectId && other.target_branch === input.targetBranch,
  );
  if (duplicate === undefined) return;
  const text = [`Another open merge request already exists for this source branch: !${duplicate.iid}`];
  throw conflict(text, 'only one of the two can be open; close the other one first');
}

function setPeople(
  core: Core,
  projectId: number,
  id: number,
  input: { readonly assigneeIds?: readonly number[] | undefined; readonly reviewerIds?: readonly number[] | undefined },
): void {
  const { store, clock } = core;
  const able = (field: 'assignees' | 'reviewers', userIds: readonly number[]): number[] =>
    distinctPeople(field, userIds).filter((userId) => {
      const user = findUser(core, userId);
      return user !== undefined && findProject(core, projectId, { user })?.can.readMergeRequests === true;
    });
  if (input.assigneeIds !== undefined) writeAssignees(store, id, able('assignees', input.assigneeIds));
  if (input.reviewerIds !== undefined) writeReviewers(store, id, able('reviewers', input.reviewerIds), clock.now());
}

/** Updates the labels. Users with the reporter role create missing labels. */
function relabel(core: Core, { project, access }: FoundProject, id: number, input: LabelInput): void {
  const target = { type: 'MergeRequest', id, container: { kind: 'project', id: project.id } } as const;
  changeLabels(core, target, input, { mayCreate: holdsRole(access, 'reporter') });
}

/** Returns the milestone if it belongs to the project or its groups. Others are ignored, as on GitLab. */
function usableMilestone(core: Core, projectId: number, input: number | null | undefined, before: number | null): number | null {
  if (input === undefined) return before;
  return input === null || findMilestone(core, { kind: 'project', id: projectId }, input, true) === undefined ? null : input;
}

/** Stores the issues mentioned in title and description that are visible to the author. */
function storeNamedIssues(core: Core, found: FoundProject, mergeRequest: MergeRequest, by: User): void {
  const issues = issuesNamed([mergeRequest.description ?? '', mergeRequest.title]).flatMap(({ project, iid, closes }) => {
    const repository = project === undefined ? found : findProject(core, project, { user: by });
    const issue = repository === undefined ? undefined : findIssue(core, repository, iid, by);
    return issue === undefined ? [] : [{ issueId: issue.id, closes }];
  });
  writeIssues(core.store, mergeRequest.id, issues);
}

/** Values of a merge request without auto-merge. */
export const noAutoMerge = {
  auto_merge: 0,
  auto_merge_user_id: null,
  auto_merge_message: null,
  auto_merge_squash_message: null,
} as const;

export interface MergeRequestInput extends LabelInput {
  /** Null removes the milestone. */
  readonly milestoneId?: number | null | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly targetBranch?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
  readonly reviewerIds?: readonly number[] | undefined;
  readonly squash?: boolean | undefined;
  readonly removeSourceBranch?: boolean | undefined;
  readonly discussionLocked?: boolean | undefined;
  readonly allowCollaboration?: boolean | undefined;
}

/**
 * Updates a merge request; omitted values are kept, and values that require the reporter role are ignored from others. Throws
 * 403, `Invalid` for an invalid title or branch, and `Refused` if it is reopened while another one is open.
 */
export function updateMergeRequest(
  core: Core,
  found: FoundProject,
  mergeRequest: MergeRequest,
  by: User,
  input: MergeRequestInput,
): MergeRequest {
  const { store, changes, clock } = core;
  const can = abilitiesOn(core, found, mergeRequest, by);
  if (!can.update)
    throw forbidden(undefined, 'only developers, the author and assignees can change a merge request', 'mergeRequest.update');
  if (input.title !== undefined) checkTitle(input.title);
  const { id, project_id: projectId, state } = mergeRequest;
  const closes = input.stateEvent === 'close' && state === 'opened';
  const reopens = input.stateEvent === 'reopen' && state === 'closed';
  const target = state === 'merged' ? mergeRequest.target_branch : (input.targetBranch ?? mergeRequest.target_branch);
  const isMoved = target !== mergeRequest.target_branch;
  const start = isMoved ? branchHead(core, projectId, target) : undefined;
  if (isMoved && mergeRequest.source_project_id === projectId && target === mergeRequest.source_branch) throw sameBranch();
  if (isMoved && start === undefined) throw invalidRecord({ target_branch: ['does not exist'] });
  const title = input.title ?? mergeRequest.title;
  const flag = <T>(requested: boolean | undefined, otherwise: T): 0 | 1 | T =>
    requested === undefined ? otherwise : requested ? 1 : 0;
  const now = clock.now();
  return store.transaction(() => {
    if (reopens || isMoved) {
      const { source_project_id: sourceProjectId, source_branch: sourceBranch } = mergeRequest;
      refuseDuplicate(core, { id, projectId, sourceProjectId, sourceBranch, targetBranch: target });
    }
    writeMergeRequest(
      store,
      id,
      {
        ...mergeRequest,
        title,
        draft: isDraft(title) ? 1 : 0,
        description: input.description ?? mergeRequest.description,
        target_branch: target,
        squash: flag(input.squash, mergeRequest.squash),
        force_remove_source_branch: flag(input.removeSourceBranch, mergeRequest.force_remove_source_branch),
        discussion_locked: flag(input.discussionLocked, mergeRequest.discussion_locked),
        allow_collaboration: flag(input.allowCollaboration, mergeRequest.allow_collaboration),
        milestone_id: usableMilestone(core, projectId, can.administer ? input.milestoneId : undefined, mergeRequest.milestone_id),
        ...(closes ? { state: 'closed', closed_at: now, closed_by: by.id, ...noAutoMerge } : {}),
        ...(reopens ? { state: 'opened', closed_at: null, closed_by: null } : {}),
      },
      now,
    );
    if (start !== undefined) insertVersion(store, id, { head: mergeRequest.head_sha, start }, now);
    if (reopens) followSource(core, mergeRequest, now);
    const before = formerMergeRequest(core, mergeRequest);
    if (can.administer) setPeople(core, projectId, id, input);
    if (can.administer) relabel(core, found, id, input);
    const after = mustFindMergeRequest(core, id);
    if (input.title !== undefined || input.description !== undefined) storeNamedIssues(core, found, after, by);
    if (after.title !== mergeRequest.title) changes.publish({ kind: 'mergeRequestRetitled', mergeRequest: changed(after) });
    for (const body of notesOfChange(mergeRequest, after)) systemNote(core, after, by.id, body);
    publishPeople(core, after, { assignees: before.assigneeIds, reviewers: before.reviewerIds }, by);
    if (after.title !== mergeRequest.title || after.description !== mergeRequest.description) {
      const edit = { before: mergeRequest, after };
      changes.publish({ kind: 'mergeRequestEdited', mergeRequest: changed(after), edit, authorId: by.id });
    }
    if (isUpdated(before, formerMergeRequest(core, after))) {
      changes.publish({ kind: 'mergeRequestUpdated', mergeRequest: changed(after), before, authorId: by.id });
    }
    if (closes || reopens) {
      changes.publish({
        kind: closes ? 'mergeRequestClosed' : 'mergeRequestReopened',
        mergeRequest: changed(after),
        authorId: by.id,
      });
    }
    return mustFindMergeRequest(core, id);
  });
}

function formerMergeRequest(core: Core, row: MergeRequest): FormerMergeRequest {
  const { assignees, reviewers } = peopleOn(core, row);
  const labels = labelsOf(core, 'MergeRequest', [row.id]).get(row.id) ?? [];
  return { row, labels, assigneeIds: assignees, reviewerIds: reviewers };
}

/** Returns true if attributes besides the state differ. */
function isUpdated(before: FormerMergeRequest, after: FormerMergeRequest): boolean {
  const names = [
    'title',
    'description',
    'target_branch',
    'squash',
    'force_remove_source_branch',
    'discussion_locked',
    'allow_collaboration',
    'milestone_id',
  ] as const;
  const idsOf = ({ labels }: FormerMergeRequest): number[] => labels.map(({ id }) => id);
  return (
    names.some((name) => before.row[name] !== after.row[name]) ||
    !hasSameMembers(idsOf(before), idsOf(after)) ||
    !hasSameMembers(before.assigneeIds, after.assigneeIds) ||
    !hasSameMembers(before.reviewerIds, after.reviewerIds)
  );
}

interface People {
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
}

/** Publishes changes of the assignees and reviewers, with system notes. */
function publishPeople(core: Core, mergeRequest: MergeRequest, before: People, by: User): void {
  const after = peopleOn(core, mergeRequest);
  const publish = (kind: 'mergeRequestReassigned' | 'mergeRequestReviewersChanged', previousIds: readonly number[]): void => {
    core.changes.publish({ kind, mergeRequest: changed(mergeRequest), previousIds, authorId: by.id });
  };
  if (!hasSameMembers(before.assignees, after.assignees)) {
    systemNote(core, mergeRequest, by.id, assignmentNote(core, before.assignees, after.assignees));
    publish('mergeRequestReassigned', before.assignees);
  }
  if (!hasSameMembers(before.reviewers, after.reviewers)) {
    systemNote(core, mergeRequest, by.id, reviewNote(core, before.reviewers, after.reviewers));
    publish('mergeRequestReviewersChanged', before.reviewers);
  }
}

/** Returns the text of the system note about a change of reviewers. */
function reviewNote(core: Core, before: readonly number[], after: readonly number[]): string {
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  return [
    ...(added.length === 0 ? [] : [`requested review from ${namesOf(core, added)}`]),
    ...(removed.length === 0 ? [] : [`removed review request for ${namesOf(core, removed)}`]),
  ].join(' and ');
}

/** Adds a version for commits that were pushed while the merge request was closed. */
function followSource(core: Core, mergeRequest: MergeRequest, now: number): void {
  const { source_head: head, target_head: start } = mergeRequest;
  if (head === null || start === null || head === mergeRequest.head_sha) return;
  insertVersion(core.store, mergeRequest.id, { head, start }, now);
}

/** Returns the texts of the system notes for a change. */
function notesOfChange(before: MergeRequest, after: MergeRequest): string[] {
  const notes: string[] = [];
  if (after.draft !== before.draft) notes.push(`marked this merge request as **${after.draft === 1 ? 'draft' : 'ready'}**`);
  else if (after.title !== before.title) notes.push(`changed title from **${before.title}** to **${after.title}**`);
  if (after.target_branch !== before.target_branch) {
    notes.push(`changed target branch from \`${before.target_branch}\` to \`${after.target_branch}\``);
  }
  if (after.state !== before.state) notes.push(after.state === 'opened' ? 'reopened' : after.state);
  return notes;
}

/** Deletes a merge request with its notes and events. */
export function deleteMergeRequest(core: Core, mergeRequest: Pick<MergeRequest, 'id' | 'iid' | 'project_id'>): void {
  core.store.transaction(() => {
    deleteAllNotes(core, noteableOf(mergeRequest));
    deleteMergeRequestRow(core.store, mergeRequest.id);
  });
}

/** Merge requests of deleted accounts. */
export const mergeRequestContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverMergeRequests(store, fromUserId, toUserId),
  remove: (core, userId) => {
    for (const mergeRequest of mergeRequestsByAuthor(core.store, userId)) deleteMergeRequest(core, mergeRequest);
  },
};

/** Writes a system note in the current transaction. */
export function systemNote(core: Core, mergeRequest: MergeRequest, authorId: number, body: string): void {
  tellOfNote(core, mergeRequest, authorId, addNote(core, noteableOf(mergeRequest), { body, authorId, system: true }));
}

export function tellOfNote(core: Core, mergeRequest: MergeRequest, authorId: number, note: Note): void {
  core.changes.publish({
    kind: 'noteCreated',
    note: changedNote(note),
    on: { type: 'MergeRequest', mergeRequest: changed(mergeRequest) },
    authorId,
  });
}

export function noteChange(core: Core, mergeRequest: MergeRequest): void {
  touchMergeRequest(core.store, mergeRequest.id, core.clock.now());
}

/** Writes some values and keeps all others. */
export function writeValues(core: Core, mergeRequest: MergeRequest, values: Partial<MergeRequestValues>): void {
  const now = mustFindMergeRequest(core, mergeRequest.id);
  writeMergeRequest(core.store, mergeRequest.id, { ...now, ...values }, core.clock.now());
}

/** Returns the user ids of assignees and reviewers. */
export function peopleOn(core: Core, mergeRequest: MergeRequest): { assignees: number[]; reviewers: number[] } {
  return {
    assignees: assigneesOf(core.store, [mergeRequest.id]).map((row) => row.user_id),
    reviewers: reviewersOf(core.store, [mergeRequest.id]).map((row) => row.user_id),
  };
}

/** Returns true if the user is the author, an assignee, a reviewer or a commenter. */
export function participates(core: Core, mergeRequest: MergeRequest, user: User): boolean {
  const { assignees, reviewers } = peopleOn(core, mergeRequest);
  const all = [mergeRequest.author_id, ...assignees, ...reviewers, ...commentersOf(core, noteableOf(mergeRequest), true)];
  return all.includes(user.id);
}

/** Throws `Refused` if the head is not the expected one. */
export function demandHead(mergeRequest: MergeRequest, sha: string | undefined): void {
  if (sha === undefined || sha === '' || sha === mergeRequest.head_sha) return;
  throw conflict(`SHA does not match HEAD of source branch: ${mergeRequest.head_sha}`);
}
