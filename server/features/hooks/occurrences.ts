import { randomUUID } from 'node:crypto';
import type { Change, ChangeOf } from '../../core/changes.ts';
import { isAvailable } from '../../core/profile.ts';
import type { ChangedIssue } from '../issues/issues.ts';
import type { ChangedMergeRequest } from '../mergeRequests/mergeRequests.ts';
import { releaseById } from '../releases/releases.ts';
import { settingNumber } from '../settings/settings.ts';
import { passesFilter } from './branchFilter.ts';
import { recordDelivery, recordPayload } from './deliveries.ts';
import { type DeliveredEvent, groupHooks } from './events.ts';
import { alertStatus } from './failures.ts';
import type { HookCore } from './hookCore.ts';
import { openHook } from './manageHooks.ts';
import { type IssueAction, issuePayload } from './payloads/issue.ts';
import { type MergeRequestAction, mergeRequestPayload } from './payloads/mergeRequest.ts';
import { notePayload } from './payloads/note.ts';
import { type NewPayload, type Place, placeOf } from './payloads/parts.ts';
import { jobPayload, pipelinePayload } from './payloads/pipeline.ts';
import { pushPayload } from './payloads/push.ts';
import { releasePayload } from './payloads/release.ts';
import { wakeSender } from './sending.ts';
import { hooksOfEvents } from './store.ts';

/** Something that hooks are called for. */
interface Occurrence {
  readonly event: DeliveredEvent;
  readonly projectId: number;
  /** Branch of a push, which hooks can filter. */
  readonly branch?: string;
  /** Returns the payload, or undefined if its subject no longer exists. Called only if there are hooks for it. */
  payload(place: Place): NewPayload | undefined;
}

/** Records the deliveries that follow from changes, in the transaction of the change (docs/interface.md#hooks). */
export function recordDeliveries(core: HookCore): void {
  core.changes.subscribe((change) => {
    for (const occurrence of occurrencesOf(core, change)) record(core, occurrence);
  });
}

function record(core: HookCore, { event, projectId, branch, payload }: Occurrence): void {
  const now = core.clock.now();
  const rows = hooksOfEvents(core.store, projectId, isAvailable(groupHooks, core.profile));
  const hooks = rows
    .map((row) => openHook(core, row))
    .filter(
      (hook) =>
        hook.events[event] && alertStatus(hook, now) === 'executable' && (branch === undefined || passesFilter(hook, branch)),
    );
  const place = hooks.length === 0 ? undefined : placeOf(core, projectId);
  const made = place === undefined ? undefined : payload(place);
  if (made === undefined) return;
  const delivery = { event, event_uuid: randomUUID(), payload_id: recordPayload(core, projectId, made) };
  for (const { id } of hooks) recordDelivery(core, { ...delivery, hook_id: id, idempotency_key: randomUUID() });
  wakeSender(core, hooks);
}

function occurrencesOf(core: HookCore, change: Change): readonly Occurrence[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- hooks are called for some changes only
  switch (change.kind) {
    case 'refsPushed':
      return pushes(core, change);
    case 'issueOpened':
      return [issueOccurrence(core, change.issue, { action: 'open', userId: change.authorId })];
    case 'issueClosed':
      return [issueOccurrence(core, change.issue, { action: 'close', userId: change.authorId })];
    case 'issueReopened':
      return [issueOccurrence(core, change.issue, { action: 'reopen', userId: change.authorId })];
    case 'issueUpdated':
      return [issueOccurrence(core, change.issue, { action: 'update', userId: change.authorId, before: change.before })];
    case 'mergeRequestOpened':
      return [mergeRequestOccurrence(core, change, { action: 'open', userId: change.authorId })];
    case 'mergeRequestClosed':
      return [mergeRequestOccurrence(core, change, { action: 'close', userId: change.authorId })];
    case 'mergeRequestReopened':
      return [mergeRequestOccurrence(core, change, { action: 'reopen', userId: change.authorId })];
    case 'mergeRequestMerged':
      return [mergeRequestOccurrence(core, change, { action: 'merge', userId: change.authorId })];
    case 'mergeRequestApproved':
      return [mergeRequestOccurrence(core, change, { action: 'approved', userId: change.authorId })];
    case 'mergeRequestUnapproved':
      return [mergeRequestOccurrence(core, change, { action: 'unapproved', userId: change.authorId })];
    case 'mergeRequestUpdated':
      return [mergeRequestOccurrence(core, change, { action: 'update', userId: change.authorId, before: change.before })];
    case 'mergeRequestPushed': {
      const { authorId: userId, formerHead } = change;
      return [mergeRequestOccurrence(core, change, { action: 'update', userId, formerHead })];
    }
    case 'noteCreated':
      return notes(core, change);
    case 'pipelineStatusChanged': {
      const { pipelineId, projectId } = change;
      return [{ event: 'pipeline_events', projectId, payload: (place) => pipelinePayload(core, place, pipelineId) }];
    }
    case 'jobStatusChanged': {
      const { jobId, projectId } = change;
      return [{ event: 'job_events', projectId, payload: (place) => jobPayload(core, place, jobId) }];
    }
    case 'releaseCreated':
      return [releaseOccurrence(core, change, 'create')];
    case 'releaseUpdated':
      return [releaseOccurrence(core, change, 'update')];
    case 'releaseRemoved':
      return [releaseOccurrence(core, change, 'delete')];
    default:
      return [];
  }
}

/** Returns the pushes of branches and of tags, unless there are more of them than the limit. */
function pushes(core: HookCore, { projectId, authorId, refs }: ChangeOf<'refsPushed'>): readonly Occurrence[] {
  const limit = settingNumber(core, 'push_event_hooks_limit');
  const ofType = (type: 'branch' | 'tag') => refs.filter(({ refType }) => refType === type);
  return [ofType('branch'), ofType('tag')]
    .filter((some) => some.length <= limit)
    .flat()
    .map((pushed): Occurrence => {
      const payload = (place: Place): NewPayload => pushPayload(core, place, authorId, pushed);
      return pushed.refType === 'tag'
        ? { event: 'tag_push_events', projectId, payload }
        : { event: 'push_events', projectId, branch: pushed.ref, payload };
    });
}

function issueOccurrence(core: HookCore, { id, projectId, confidential }: ChangedIssue, action: IssueAction): Occurrence {
  return {
    event: confidential ? 'confidential_issues_events' : 'issues_events',
    projectId,
    payload: (place) => issuePayload(core, place, id, action),
  };
}

function mergeRequestOccurrence(
  core: HookCore,
  { mergeRequest: { id, projectId } }: { readonly mergeRequest: ChangedMergeRequest },
  action: MergeRequestAction,
): Occurrence {
  return { event: 'merge_requests_events', projectId, payload: (place) => mergeRequestPayload(core, place, id, action) };
}

/** System notes and comments on epics call no hooks. */
function notes(core: HookCore, { note, on, authorId }: ChangeOf<'noteCreated'>): readonly Occurrence[] {
  if (note.system || on.type === 'Epic') return [];
  const isConfidential = note.internal || (on.type === 'Issue' && on.issue.confidential);
  const projectId =
    on.type === 'Issue'
      ? on.issue.projectId
      : on.type === 'MergeRequest'
        ? on.mergeRequest.projectId
        : on.type === 'Snippet'
          ? on.snippet.projectId
          : on.commit.projectId;
  const target = { noteId: note.id, on, userId: authorId, isConfidential };
  return [
    {
      event: isConfidential ? 'confidential_note_events' : 'note_events',
      projectId,
      payload: (place) => notePayload(core, place, target),
    },
  ];
}

function releaseOccurrence(
  core: HookCore,
  { releaseId, projectId }: { readonly releaseId: number; readonly projectId: number },
  action: 'create' | 'update' | 'delete',
): Occurrence {
  return {
    event: 'releases_events',
    projectId,
    payload: (place) => {
      const release = releaseById(core.store, releaseId);
      return release === undefined ? undefined : releasePayload(core, place, release, action);
    },
  };
}
