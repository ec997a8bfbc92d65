import type { EventResponse } from './responses.ts';
import type { PushedRef } from '../pushes/pushes.ts';
import { DAY } from '../../core/clock.ts';
import type { DialectRules } from '../../core/dialect.ts';
import type { Abilities, Visibility } from '../abilities/abilities.ts';

/** Stored number of each event action, by its name in the `action` filter (docs/interface.md#activity-events). */
export const actionNumbers = {
  created: 1,
  updated: 2,
  closed: 3,
  reopened: 4,
  pushed: 5,
  commented: 6,
  merged: 7,
  joined: 8,
  left: 9,
  destroyed: 10,
  expired: 11,
  approved: 12,
} as const;

export type Action = keyof typeof actionNumbers;

export const actions = Object.keys(actionNumbers).filter((name): name is Action => name in actionNumbers);

/** Stored type of each value of the `target_type` filter. Epics have no events here, so `epic` matches nothing. */
export const targetTypes = {
  epic: 'Epic',
  issue: 'Issue',
  merge_request: 'MergeRequest',
  milestone: 'Milestone',
  note: 'Note',
  project: 'Project',
  snippet: 'Snippet',
  user: 'User',
  wiki: 'WikiPage::Meta',
  design: 'DesignManagement::Design',
} as const;

export type TargetFilter = keyof typeof targetTypes;
export const targetFilters = Object.keys(targetTypes).filter((name): name is TargetFilter => name in targetTypes);

/** Returns the `action_name` of an event other than a push. Opening and reopening have the same name; only events without a target are `created`. */
export function actionName(action: number, targetType: string | null): EventResponse['action_name'] {
  switch (action) {
    case actionNumbers.created:
      return targetType === null ? 'created' : 'opened';
    case actionNumbers.updated:
    case actionNumbers.reopened:
      return 'opened';
    case actionNumbers.closed:
      return 'closed';
    case actionNumbers.commented:
      return 'commented on';
    case actionNumbers.merged:
      return 'accepted';
    case actionNumbers.joined:
      return 'joined';
    case actionNumbers.left:
      return 'left';
    case actionNumbers.destroyed:
      return 'destroyed';
    case actionNumbers.expired:
      return 'removed due to membership expiration from';
    case actionNumbers.approved:
      return 'approved';
    default:
      throw new Error(`unknown event action ${action}`);
  }
}

/** `push_data` of a push event, in the order of its members. */
export interface PushPayload {
  readonly commit_count: number;
  readonly action: PushedRef['action'];
  readonly ref_type: PushedRef['refType'];
  readonly commit_from: string | null;
  readonly commit_to: string | null;
  readonly ref: string | null;
  readonly commit_title: string | null;
  readonly ref_count: number | null;
}

/** Maximum number of refs of one kind in a push that get an event each (docs/interface.md#activity-events). */
export const PUSH_EVENT_LIMIT = 3;
const MAX_COMMIT_TITLE_LENGTH = 70;

/**
 * Returns the events of a push: one per ref, or one bulk event for each kind of ref and action with more refs than the limit. With a limit
 * of 0, all events are bulk events.
 */
export function pushPayloads(refs: readonly PushedRef[], limit: number = PUSH_EVENT_LIMIT): PushPayload[] {
  const groups = Map.groupBy(refs, (pushed) => `${pushed.refType} ${pushed.action}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length <= limit) return group.map(singlePush);
    return [
      {
        commit_count: 0,
        action: first.action,
        ref_type: first.refType,
        commit_from: null,
        commit_to: null,
        ref: null,
        commit_title: null,
        ref_count: group.length,
      },
    ];
  });
}

function singlePush(pushed: PushedRef): PushPayload {
  const isRemoved = pushed.action === 'removed';
  return {
    commit_count: isRemoved ? 0 : pushed.commitCount,
    action: pushed.action,
    ref_type: pushed.refType,
    commit_from: pushed.action === 'created' ? null : pushed.commitFrom,
    commit_to: isRemoved ? null : pushed.commitTo,
    ref: pushed.ref,
    commit_title: isRemoved ? null : (pushed.commitTitle?.slice(0, MAX_COMMIT_TITLE_LENGTH) ?? null),
    ref_count: null,
  };
}

export function pushActionName(payload: PushPayload, dialect: DialectRules): EventResponse['action_name'] {
  return dialect.pushActionName[payload.action];
}

/**
 * Returns the time span of a feed, in milliseconds; `until` is exclusive. `before` and `after` are midnights UTC of days that are themselves
 * excluded.
 */
export function dayBounds(
  before: number | undefined,
  after: number | undefined,
): { readonly from: number | undefined; readonly until: number | undefined } {
  return { from: after === undefined ? undefined : after + DAY, until: before };
}

/**
 * Area of the project whose readers see an event. It is stored with the event as its audience. {@link CONFIDENTIAL} and {@link INTERNAL} are
 * added for confidential issues and internal notes, which fewer users see.
 */
export const areas = {
  project: 0,
  issues: 1,
  code: 2,
  mergeRequests: 3,
  milestones: 4,
  internalSnippets: 5,
  privateSnippets: 6,
} as const;
export const AREA_MASK = 7;
export const CONFIDENTIAL = 8;
export const INTERNAL = 16;
/** Number of audiences. Project ID times this number plus audience is unique. */
export const AUDIENCES = 32;

export function audienceOf(
  area: keyof typeof areas,
  restrictions: { readonly confidential?: boolean; readonly internal?: boolean },
): number {
  return areas[area] + (restrictions.confidential === true ? CONFIDENTIAL : 0) + (restrictions.internal === true ? INTERNAL : 0);
}

/** Returns the audiences of a project to which a user with these abilities belongs. */
export function openAudiences(can: Abilities, without: readonly (keyof typeof areas)[] = []): number[] {
  const reads = {
    project: can.readProject,
    issues: can.readIssues,
    code: can.readCode,
    mergeRequests: can.readMergeRequests,
    milestones: can.readMilestones,
  };
  const open: number[] = [];
  for (const area of ['project', 'issues', 'code', 'mergeRequests', 'milestones'] as const) {
    if (!reads[area] || without.includes(area)) continue;
    open.push(audienceOf(area, {}));
    if (!can.readConfidential) continue;
    open.push(
      audienceOf(area, { confidential: true }),
      audienceOf(area, { internal: true }),
      audienceOf(area, { confidential: true, internal: true }),
    );
  }
  // Comments on public snippets have the audience of the project.
  if (can.readInternalSnippets) open.push(audienceOf('internalSnippets', {}));
  if (can.readPrivateSnippets) open.push(audienceOf('privateSnippets', {}));
  return open;
}

/** Returns the audience of comments on a snippet (docs/interface.md#activity-events). */
export function snippetAudience(visibility: Visibility): number {
  return audienceOf(({ public: 'project', internal: 'internalSnippets', private: 'privateSnippets' } as const)[visibility], {});
}

/** Events of a feed that a user can see. */
export interface EventVisibility {
  /** If false, all events are visible, except those that `withoutMergeRequests` excludes. */
  readonly isPartial: boolean;
  /** Visible audiences, each as project ID times {@link AUDIENCES} plus audience. */
  readonly open: readonly number[];
  /** Projects in which the only confidential issues visible to the reader are those they opened or are assigned to. */
  readonly ownConfidentialIn: readonly number[];
  /** ID of the user, or 0 if nobody is signed in. */
  readonly reader: number;
  readonly withoutMergeRequests: boolean;
}

/**
 * Returns which events of the projects the reader can see (docs/interface.md#activity-events), in a form that an index supports. `can` is
 * undefined for projects that are not visible to the reader.
 */
export function eventVisibility(
  projects: readonly { readonly id: number; readonly can: Abilities | undefined }[],
  reader: number,
  options: { readonly withoutMergeRequests: boolean },
): EventVisibility {
  const open: number[] = [];
  const ownConfidentialIn: number[] = [];
  let isPartial = false;
  for (const { id, can } of projects) {
    const all = [
      'readIssues',
      'readCode',
      'readMergeRequests',
      'readConfidential',
      'readInternalSnippets',
      'readPrivateSnippets',
    ] as const;
    if (can === undefined || all.some((right) => !can[right])) isPartial = true;
    if (can === undefined) continue;
    const without = options.withoutMergeRequests ? (['mergeRequests'] as const) : [];
    open.push(...openAudiences(can, without).map((audience) => id * AUDIENCES + audience));
    if (can.readIssues && !can.readConfidential && reader !== 0) ownConfidentialIn.push(id);
  }
  return { isPartial, open, ownConfidentialIn, reader, withoutMergeRequests: options.withoutMergeRequests };
}
