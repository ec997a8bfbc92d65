import type { TrackingCore } from '../trackingCore.ts';
import { invalidRecord } from '../../../core/errors.ts';
import { findUser } from '../../users/users.ts';
import { findIssue, type Issue, issuesById, noteOnIssue, updateIssue } from '../../issues/issues.ts';
import { holdsRole } from '../../abilities/abilities.ts';
import { findProject, type FoundProject } from '../../projectAccess/projectAccess.ts';
import type { Caller } from '../../../core/caller.ts';
import { forgetMergedIssues, issueIdsOf, mergedFingerprints } from '../merge/mergedErrorStore.ts';
import { type LatestOf, mergeErrors, splitError } from '../merge/mergeErrors.ts';
import type { TrackedError } from '../read/readErrors.ts';
import { changeErrorStatus } from '../status/errorStatus.ts';
import type { StateInput } from '../status/statusRules.ts';
import {
  type Edit,
  groupingIdsOf,
  insertEdit,
  type MergedError,
  responsibilityOf,
  setResponsibility,
  storedState,
} from './editStore.ts';

/** Changes of errors by users. Each is recorded, so that it can be undone (undoEdit.ts). */

/** User who makes a change, in the project of the error. */
export interface Editor {
  readonly found: FoundProject;
  readonly caller: Pick<Caller, 'user'>;
}

/**
 * Changes the status of an error. Resolving it closes the issues about it. Returns the IIDs of the issues that were closed.
 *
 * @throws {Invalid} if the change is not possible.
 */
export function editStatus(
  core: TrackingCore,
  { found, caller }: Editor,
  error: TrackedError,
  input: StateInput,
): readonly number[] {
  const { store } = core;
  core.inbox.flush();
  return store.transaction(() => {
    const state = storedState(store, error.id);
    changeErrorStatus(core, error, input);
    if (JSON.stringify(storedState(store, error.id)) === JSON.stringify(state)) return [];
    const issues = input.status === 'resolved' ? openIssuesOf(core, error) : [];
    for (const issue of issues)
      updateIssue(core, found, issue, caller.user, { stateEvent: 'close', closedVia: 'error tracking' });
    record(core, error.id, { kind: 'status', state, closedIssueIds: issues.map(({ id }) => id) });
    return issues.map(({ iid }) => iid);
  });
}

function openIssuesOf(core: TrackingCore, { id }: TrackedError): readonly Issue[] {
  return [...issuesById(core, issueIdsOf(core.store, id)).values()].filter(({ state }) => state === 'opened');
}

/**
 * Assigns an error to a user, or to nobody.
 *
 * @throws {Invalid} if the user may not read the errors of the project.
 */
export function assignError(core: TrackingCore, error: TrackedError, assigneeId: number | null): void {
  if (assigneeId !== null && !canBeAssigned(core, error.project_id, assigneeId)) {
    throw invalidRecord({ assignee_id: ['must be a user with at least the Reporter role in the project'] });
  }
  const { store } = core;
  store.transaction(() => {
    const before = responsibilityOf(store, error.id);
    if (before.assignee_id === assigneeId) return;
    setResponsibility(store, error.id, { ...before, assignee_id: assigneeId });
    record(core, error.id, { kind: 'assignee', assigneeId: before.assignee_id });
    publishAssignee(core, error, assigneeId);
  });
}

function canBeAssigned(core: TrackingCore, projectId: number, userId: number): boolean {
  const user = findUser(core, userId);
  const found = user && findProject(core, projectId, { user });
  return found !== undefined && holdsRole(found.access, 'reporter');
}

/**
 * Links an error with an issue of its project that the user can see, or with none.
 *
 * @throws {Invalid} if there is no such issue.
 */
export function linkIssue(core: TrackingCore, { found, caller }: Editor, error: TrackedError, iid: number | null): void {
  const issue = iid === null ? undefined : findIssue(core, found, iid, caller.user);
  if (iid !== null && issue === undefined) throw invalidRecord({ issue_iid: ['must be an issue of the project'] });
  const { store } = core;
  store.transaction(() => {
    const [shown = null] = issueIdsOf(store, error.id);
    const issueId = issue?.id ?? null;
    if (shown === issueId) return;
    setResponsibility(store, error.id, { ...responsibilityOf(store, error.id), issue_id: issueId });
    if (issueId === null) forgetMergedIssues(store, error.id);
    record(core, error.id, { kind: 'issue', issueId: shown });
    publishIssue(core, error, issue?.iid);
  });
}

/**
 * Merges errors into another one, which takes over the assignee if it has none. The issues about them stay linked and get a note.
 *
 * @throws {Invalid} if that is not possible.
 */
export function mergeAsUser(
  core: TrackingCore,
  { found, caller }: Editor,
  into: TrackedError,
  others: readonly TrackedError[],
  latestOf: LatestOf,
): void {
  const { store } = core;
  core.inbox.flush();
  store.transaction(() => {
    const responsibility = responsibilityOf(store, into.id);
    const merged = others.map(
      ({ id, fingerprint, event_count: eventCount }): MergedError => ({
        fingerprint,
        state: storedState(store, id),
        responsibility: responsibilityOf(store, id),
        eventCount,
        groupingIds: groupingIdsOf(store, id),
        mergedFingerprints: mergedFingerprints(store, id),
      }),
    );
    const issues = issuesById(
      core,
      others.flatMap(({ id }) => issueIdsOf(store, id)),
    );
    mergeErrors(core, into, others, latestOf);
    const [assignee] = [responsibility, ...merged.map((one) => one.responsibility)].flatMap(({ assignee_id: id }) => id ?? []);
    setResponsibility(store, into.id, { ...responsibility, assignee_id: assignee ?? null });
    const remaining = `/${found.project.full_path}/-/error_tracking/${into.fingerprint}/details`;
    for (const issue of issues.values())
      noteOnIssue(core, issue, caller.user, `merged the error of this issue into [another one](${remaining})`);
    record(core, into.id, { kind: 'merge', responsibility, merged });
  });
}

/**
 * Splits the grouping of a hash off an error. Returns the fingerprint of the new error.
 *
 * @throws {Invalid} if that is not possible.
 */
export function splitAsUser(core: TrackingCore, error: TrackedError, hash: Buffer, latestOf: LatestOf): number {
  return core.store.transaction(() => {
    const { id, fingerprint } = splitError(core, error, hash, latestOf);
    record(core, id, { kind: 'split', from: error.fingerprint });
    return fingerprint;
  });
}

function record({ store, clock }: TrackingCore, errorId: number, edit: Edit): void {
  insertEdit(store, errorId, edit, clock.now());
}

export function publishAssignee(
  core: TrackingCore,
  { project_id: projectId, fingerprint, title }: TrackedError,
  assigneeId: number | null,
): void {
  const assignee = assigneeId === null ? undefined : findUser(core, assigneeId)?.username;
  core.changes.publish({ kind: 'errorAssigned', projectId, fingerprint, title, assignee });
}

export function publishIssue(
  { changes }: TrackingCore,
  { project_id: projectId, fingerprint, title }: TrackedError,
  issueIid: number | undefined,
): void {
  changes.publish({ kind: 'errorIssueChanged', projectId, fingerprint, title, issueIid });
}
