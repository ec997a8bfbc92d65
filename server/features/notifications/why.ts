import { defaultGlobalSetting, type NotificationEvent } from '../../../src/contract/notifications.ts';
import { findEpic } from '../epics/epics.ts';
import { findGroup, type FoundGroup } from '../groups/groups.ts';
import { badRequest, recordNotFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import { findIssue } from '../issues/issues.ts';
import { findMergeRequest } from '../mergeRequests/mergeRequests.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, findProject, type FoundProject, viewerId } from '../projectAccess/projectAccess.ts';
import { type Audience, audienceOf, type Candidate, candidatesAfter, candidatesAmong } from './audience.ts';
import { candidaciesOf } from './candidates.ts';
import type { RecordedEvent, TargetType } from './event.ts';
import { explain, explainAbsence, type Explanation } from './explain.ts';
import { readRecipientDetails } from './stored.ts';
import {
  type DecisionRow,
  decisionAbout,
  type EventFilter,
  type EventWithTarget,
  listDecisions,
  readableEvent,
} from './whyStore.ts';
import { MAX_RETRIES, recordedEvent } from './work.ts';

/** Number of decisions that one request explains at most. */
export const MAX_EXPLAINED = 100;
/** Number of users that one look for candidates considers, and number of looks per request. */
const LOOK = 100;
const MAX_LOOKS = 50;

export interface ExplainedDecision extends Explanation {
  readonly userId: number;
  readonly mailId: number | null;
}

/** A part of the decisions about an event. */
export interface ExplainedDecisions {
  readonly decisions: readonly ExplainedDecision[];
  /** ID of the last user of this part, or null if there are no more. */
  readonly next: number | null;
}

/** Returns the part of a filter that limits events to those that a caller can read. */
export function readableBy(caller: Caller): Pick<EventFilter, 'viewer' | 'access'> {
  return { viewer: viewerId(caller), access: accessOf(caller) };
}

/** Returns whether all candidates of an event were decided. */
export function statusOf({ decided_to: decidedTo, failures }: EventWithTarget): 'pending' | 'decided' | 'failed' {
  if (decidedTo !== null) return 'pending';
  return failures > MAX_RETRIES ? 'failed' : 'decided';
}

/** Finds an event whose target the caller can read. */
export function findEvent(core: Core, id: number, caller: Caller): EventWithTarget | undefined {
  return readableEvent(core.store, { ...readableBy(caller), id });
}

/** Returns the stored decisions about an event, of users with IDs after a given one. */
export function decisionsAfter(core: Core, event: EventWithTarget, after: number): ExplainedDecisions {
  const rows = listDecisions(core.store, event.id, after, MAX_EXPLAINED + 1);
  const decisions = rows.slice(0, MAX_EXPLAINED).map(explainRow);
  return { decisions, next: rows.length > MAX_EXPLAINED ? (decisions.at(-1)?.userId ?? null) : null };
}

function explainRow({ user_id: userId, mail_id: mailId, details }: DecisionRow): ExplainedDecision {
  return { ...explain(readRecipientDetails(details)), userId, mailId };
}

/** Explains what was decided about a user, who need not have been a candidate. */
export function decisionOf(core: Core, row: EventWithTarget, userId: number): ExplainedDecision {
  const stored = decisionAbout(core.store, row.id, userId);
  if (stored !== undefined) return explainRow(stored);
  const event = recordedEvent(row);
  const audience = audienceOf(core, event);
  const [candidate] = audience === undefined ? [] : candidatesAmong(core, event, audience, [userId]);
  const isPending = row.decided_to !== null && userId > row.decided_to;
  if (candidate === undefined) return { ...withoutTarget(event.event), userId, mailId: null };
  return { ...(isPending ? explain(candidate.details) : explainAbsence(candidate.details)), userId, mailId: null };
}

/** Explains a decision about a target that no longer exists. */
function withoutTarget(event: NotificationEvent): Explanation {
  const text = 'What the event was about no longer exists.';
  return {
    event,
    relations: [],
    setting: { level: defaultGlobalSetting.level, scope: { kind: 'global', id: 0, path: '' } },
    rules: [{ rule: 'candidate', outcome: 'refused', text }],
    mailed: false,
    reason: null,
    text: `The user is not mailed. ${text}`,
    remedies: [],
  };
}

/** An event that did not happen, as a caller describes it. */
export interface PossibleEvent {
  readonly event: NotificationEvent;
  /** Project or group, by ID or full path; one of them is needed. */
  readonly project: string | undefined;
  readonly group: string | undefined;
  readonly targetType: TargetType | undefined;
  /** Without a number, the target is a new one without participants besides the actor. */
  readonly targetIid: number | undefined;
  readonly actorId: number | undefined;
}

/** A possible event with its audience. */
export interface Possibility {
  readonly event: RecordedEvent;
  readonly audience: Audience;
}

/** Types of targets that events have; the first is the default. */
function targetTypesOf(event: NotificationEvent): readonly TargetType[] {
  if (event === 'new_note') return ['Issue', 'MergeRequest', 'Epic', 'Snippet', 'Commit'];
  if (event === 'new_epic') return ['Epic'];
  if (event === 'new_release') return ['Release'];
  if (event === 'moved_project') return ['Project'];
  if (event.endsWith('_pipeline')) return ['Pipeline'];
  return event.endsWith('issue') || event === 'issue_due' ? ['Issue'] : ['MergeRequest'];
}

/**
 * Finds what a possible event is about.
 *
 * @throws {Refused | NotFound} If the description is incomplete or contradictory, and if the caller cannot see the target.
 */
export function possibilityOf(core: Core, caller: Caller, input: PossibleEvent): Possibility {
  const types = targetTypesOf(input.event);
  const targetType =
    input.targetType ?? (input.project === undefined ? types.find((type) => type === 'Epic') : undefined) ?? types[0];
  if (targetType === undefined || !types.includes(targetType))
    throw badRequest(`target_type of ${input.event} must be ${types.join(' or ')}`);
  const isOfGroup = targetType === 'Epic';
  const named = isOfGroup ? input.group : input.project;
  if (named === undefined) throw badRequest(`${isOfGroup ? 'group_id' : 'project_id'} is missing`);
  const project = isOfGroup ? undefined : findProject(core, named, caller);
  const group = isOfGroup ? findGroup(core, named, caller) : undefined;
  if (project === undefined && group === undefined)
    throw recordNotFound('no such project or group, or it is not visible to the caller');
  const { targetIid } = input;
  const targetId =
    targetIid === undefined ? (project?.project.id ?? 0) : targetIdOf(core, caller, { targetType, targetIid, project, group });
  if (targetId === undefined) throw recordNotFound('no such target, or it is not visible to the caller');
  const event: RecordedEvent = {
    id: 0,
    event: input.event,
    actorId: input.actorId ?? null,
    projectId: project?.project.id ?? null,
    groupId: group?.group.id ?? null,
    targetType,
    targetId: targetIid === undefined && targetType !== 'Project' ? 0 : targetId,
    details: {},
    createdAt: core.clock.now(),
  };
  const audience = targetIid === undefined && targetType !== 'Project' ? audienceOfNew(core, event) : audienceOf(core, event);
  if (audience === undefined) throw recordNotFound('the target no longer exists');
  return { event, audience };
}

function targetIdOf(
  core: Core,
  { user }: Caller,
  target: {
    readonly targetType: TargetType;
    readonly targetIid: number;
    readonly project: FoundProject | undefined;
    readonly group: FoundGroup | undefined;
  },
): number | undefined {
  const { targetType, targetIid, project, group } = target;
  if (targetType === 'Epic') return group === undefined ? undefined : findEpic(core, group, targetIid, user)?.id;
  if (project === undefined) return undefined;
  if (targetType === 'Issue') return findIssue(core, project, targetIid, user)?.id;
  if (targetType === 'MergeRequest') return findMergeRequest(core, project, targetIid)?.id;
  throw badRequest('target_iid is only possible for issues, merge requests and epics');
}

/** Returns the audience of a target that is created by the event: nobody but the actor takes part. */
function audienceOfNew(core: Core, event: RecordedEvent): Audience | undefined {
  const around = audienceOf(core, { ...event, targetType: 'Project' });
  if (around === undefined) return undefined;
  const actor = new Set(event.actorId === null ? [] : [event.actorId]);
  return {
    ...around,
    target: { ...around.target, type: event.targetType, ...(event.targetType === 'Snippet' ? { visibility: 'public' } : {}) },
    roles: new Map([[event.targetType === 'Pipeline' ? 'pipeline_user' : 'author', actor]]),
  };
}

/** Explains what would be decided about one user. */
export function possibleDecision(core: Core, { event, audience }: Possibility, userId: number): ExplainedDecision | undefined {
  const [candidate] = candidatesAmong(core, event, audience, [userId]);
  return candidate === undefined ? undefined : explainCandidate(candidate);
}

/** Explains what would be decided about the candidates with IDs after a given one. */
export function possibleDecisionsAfter(core: Core, { event, audience }: Possibility, after: number): ExplainedDecisions {
  const decisions: ExplainedDecision[] = [];
  let at = after;
  for (let looks = 0; looks < MAX_LOOKS && decisions.length < MAX_EXPLAINED; looks += 1) {
    const limit = Math.min(LOOK, MAX_EXPLAINED - decisions.length);
    const { candidates, knownTo } = candidatesAfter(core, event, audience, { after: at, limit });
    decisions.push(...candidates.filter(({ details }) => candidaciesOf(details).length > 0).map(explainCandidate));
    if (knownTo === null) return { decisions, next: null };
    at = knownTo;
  }
  return { decisions, next: at };
}

function explainCandidate({ userId, details }: Candidate): ExplainedDecision {
  return { ...explain(details), userId, mailId: null };
}
