import type { PushedRef } from '../changes.ts';
import { DAY } from '../clock.ts';
import type { Wording } from '../dialect.ts';
import type { Abilities, Visibility } from '../projects/projects.ts';

/** The kinds of events by their names in the `action` filter, with the numbers that are stored (docs/interface.md#activity-events). */
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

/** Values of the `target_type` filter with the stored type. Epics have no events here, so nothing matches them. */
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

/** `action_name` of an event that is no push. Opening and reopening read the same, and only what has no target is `created`. */
export function actionName(action: number, targetType: string | null): string {
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
      throw new Error(`no event has the action ${action}`);
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

/** More refs of one kind in one push than this become one event (docs/interface.md#activity-events). */
export const PUSH_EVENT_LIMIT = 3;
const MAX_COMMIT_TITLE_LENGTH = 70;

/**
 * The events of one push: one per ref; of each kind of ref and action that has more refs than the limit, one bulk event instead.
 * A limit of 0 makes every push a bulk one.
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

export function pushActionName(payload: PushPayload, wording: Wording): string {
  return wording.pushActionName[payload.action];
}

/**
 * Which days a feed shows: `before` and `after` are midnights UTC of days that are themselves left out. The bounds are moments:
 * the first that counts, and the first that no longer does.
 */
export function dayBounds(
  before: number | undefined,
  after: number | undefined,
): { readonly from: number | undefined; readonly until: number | undefined } {
  return { from: after === undefined ? undefined : after + DAY, until: before };
}

/**
 * Who sees an event, stored with it: the readers of one area of the project, and of these only some when it is about a confidential
 * issue or is an internal note. The two are added to the area.
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
/** Greater than every audience, so that project and audience make one number. */
export const AUDIENCES = 32;

export function audienceOf(
  area: keyof typeof areas,
  held: { readonly confidential?: boolean; readonly internal?: boolean },
): number {
  return areas[area] + (held.confidential === true ? CONFIDENTIAL : 0) + (held.internal === true ? INTERNAL : 0);
}

/** The audiences of a project to which somebody with these abilities belongs, whatever the event. */
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
  // Whoever sees the project sees what is said about its public snippets.
  if (can.readInternalSnippets) open.push(audienceOf('internalSnippets', {}));
  if (can.readPrivateSnippets) open.push(audienceOf('privateSnippets', {}));
  return open;
}

/** Who sees what is said about a snippet (docs/interface.md#activity-events). */
export function snippetAudience(visibility: Visibility): number {
  return audienceOf(({ public: 'project', internal: 'internalSnippets', private: 'privateSnippets' } as const)[visibility], {});
}

/** Which events of a feed somebody sees. */
export interface EventVisibility {
  /** When false, everything but what `withoutMergeRequests` takes away. */
  readonly isPartial: boolean;
  /** Project times AUDIENCES plus audience. */
  readonly open: readonly number[];
  /** Projects in which the reader sees the confidential issues that they opened or are assigned to, and no others. */
  readonly ownConfidentialIn: readonly number[];
  /** A user's id, 0 for nobody. */
  readonly reader: number;
  readonly withoutMergeRequests: boolean;
}

/**
 * Makes the condition that selects the events of some projects that somebody may see (docs/interface.md#activity-events); an index answers
 * it. `can` is undefined for a project that they do not see at all.
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
