import type { TrackingCore } from '../trackingCore.ts';
import { invalidRecord } from '../../../core/errors.ts';
import { issuesById, updateIssue } from '../../issues/issues.ts';
import { repointMerged } from '../merge/mergedErrorStore.ts';
import { type LatestOf, mergeErrors, separateGroupings } from '../merge/mergeErrors.ts';
import { findError, type TrackedError } from '../read/readErrors.ts';
import { auditText, stateOf } from '../status/errorStatus.ts';
import { eventCount, setState } from '../status/statusStore.ts';
import { type Editor, publishAssignee, publishIssue } from './editErrors.ts';
import {
  type Edit,
  groupingIdsOf,
  latestEdit,
  type MergedError,
  removeEdit,
  responsibilityOf,
  setResponsibility,
  storedState,
} from './editStore.ts';

/** Returns the errors whose latest events are read when the latest change of an error is undone: the error, or both parts of a split. */
export function errorsOfUndo(core: TrackingCore, error: TrackedError): readonly TrackedError[] {
  const edit = latestEdit(core.store, error.id)?.edit;
  const from = edit?.kind === 'split' ? findError(core, error.project_id, edit.from) : undefined;
  return from === undefined ? [error] : [error, from];
}

/**
 * Undoes the latest change that a user made to an error. Returns the fingerprint of the error that has the data afterwards.
 *
 * @throws {Invalid} if the latest change is another one, or can no longer be undone.
 */
export function undoEdit(core: TrackingCore, editor: Editor, error: TrackedError, editId: number, latestOf: LatestOf): number {
  const { store } = core;
  core.inbox.flush();
  return store.transaction(() => {
    const latest = latestEdit(store, error.id);
    if (latest?.id !== editId) throw invalidRecord({ change_id: ['is not the latest change of this error'] });
    removeEdit(store, latest.id);
    const { edit } = latest;
    switch (edit.kind) {
      case 'status':
        undoStatus(core, editor, error, edit);
        return error.fingerprint;
      case 'assignee':
        setResponsibility(store, error.id, { ...responsibilityOf(store, error.id), assignee_id: edit.assigneeId });
        publishAssignee(core, error, edit.assigneeId);
        return error.fingerprint;
      case 'issue':
        setResponsibility(store, error.id, { ...responsibilityOf(store, error.id), issue_id: edit.issueId });
        publishIssue(core, error, edit.issueId === null ? undefined : issuesById(core, [edit.issueId]).get(edit.issueId)?.iid);
        return error.fingerprint;
      case 'merge':
        for (const one of edit.merged) restoreMerged(core, error, one, latestOf);
        setResponsibility(store, error.id, edit.responsibility);
        return error.fingerprint;
      case 'split': {
        const from = findError(core, error.project_id, edit.from);
        if (from === undefined) throw invalidRecord({ base: ['The error that this one was split off no longer exists.'] });
        mergeErrors(core, from, [error], latestOf);
        return from.fingerprint;
      }
    }
  });
}

function undoStatus(
  core: TrackingCore,
  { found, caller }: Editor,
  error: TrackedError,
  { state, closedIssueIds }: Extract<Edit, { readonly kind: 'status' }>,
): void {
  const { store, changes } = core;
  const from = auditText(stateOf(storedState(store, error.id)));
  setState(store, { ...state, id: error.id });
  const { project_id: projectId, fingerprint, title } = error;
  changes.publish({ kind: 'errorStatusChanged', projectId, fingerprint, title, from, to: auditText(stateOf(state)) });
  for (const issue of issuesById(core, closedIssueIds).values())
    if (issue.state === 'closed') updateIssue(core, found, issue, caller.user, { stateEvent: 'reopen' });
}

/** Restores an error that was merged, with its events of before and those that came since. Without events it stays deleted. */
function restoreMerged(core: TrackingCore, into: TrackedError, merged: MergedError, latestOf: LatestOf): void {
  const { store } = core;
  const current = findError(core, into.project_id, into.fingerprint);
  if (current === undefined) throw new Error('the error to undo no longer exists');
  const own = new Set(groupingIdsOf(store, into.id));
  const ids = new Set(merged.groupingIds.filter((id) => own.has(id)));
  const id = separateGroupings(core, current, ids, merged.fingerprint, latestOf);
  if (id === undefined) return;
  setResponsibility(store, id, merged.responsibility);
  repointMerged(store, into.id, id, merged.mergedFingerprints);
  const count = eventCount(store, id);
  // It would have been reopened by the events that came since.
  if (merged.state.status !== 'ignored' && count > merged.eventCount) return;
  const counted = { counted_events: Math.min(merged.state.counted_events, count) };
  setState(store, { ...merged.state, ...counted, id });
}
