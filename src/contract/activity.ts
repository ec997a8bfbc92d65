import { type UserBasic, readUserBasic } from './identity.ts';
import { booleanMember, integerMember, isJsonObject, type JsonObject, stringMember } from './json.ts';

/** Effect of a push on a branch or tag. */
export interface PushData {
  readonly commit_count: number;
  /** `pushed`, `created` or `removed`. */
  readonly action: string;
  /** `branch` or `tag`. */
  readonly ref_type: string;
  readonly commit_from: string | null;
  readonly commit_to: string | null;
  readonly ref: string | null;
  readonly commit_title: string | null;
  /** Number of refs of a bulk push, which has no other details; null for other pushes. */
  readonly ref_count: number | null;
  readonly [member: string]: unknown;
}

/** Comment of a comment event. */
export interface EventNote {
  readonly id: number;
  readonly body: string;
  readonly noteable_type: string;
  readonly noteable_id: number | null;
  /** Documented for events of projects only. */
  readonly noteable_iid: number | null;
  readonly system: boolean;
  readonly [member: string]: unknown;
}

/** Activity event of `/events`, `/users/:id/events` and `/projects/:project_id/events`. */
export interface ActivityEvent {
  readonly id: number;
  readonly project_id: number | null;
  /** `opened`, `closed`, `commented on`, `joined`, …; a push is `pushed`, or `pushed to`, `pushed new` and `deleted`. */
  readonly action_name: string;
  readonly target_id: number | null;
  readonly target_iid: number | null;
  /** `Issue`, `MergeRequest`, `Milestone`, `Note`, `DiscussionNote`, `DiffNote`, …; null for pushes, joining and the like. */
  readonly target_type: string | null;
  readonly target_title: string | null;
  readonly author: UserBasic | null;
  readonly author_username: string | null;
  /** ISO 8601. */
  readonly created_at: string;
  readonly push_data: PushData | null;
  readonly note: EventNote | null;
  readonly [member: string]: unknown;
}

/** Returns the event, or undefined if its id, action or time is missing. */
export function readActivityEvent(value: unknown): ActivityEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const action = stringMember(value, 'action_name');
  const createdAt = stringMember(value, 'created_at');
  if (id === undefined || action === undefined || createdAt === undefined || Number.isNaN(Date.parse(createdAt)))
    return undefined;
  return {
    ...value,
    id,
    project_id: integerMember(value, 'project_id') ?? null,
    action_name: action,
    target_id: integerMember(value, 'target_id') ?? null,
    target_iid: iidMember(value, 'target_iid'),
    target_type: stringMember(value, 'target_type') ?? null,
    target_title: stringMember(value, 'target_title') ?? null,
    author: readUserBasic(value.author) ?? null,
    author_username: stringMember(value, 'author_username') ?? null,
    created_at: createdAt,
    push_data: readPushData(value.push_data) ?? null,
    note: readEventNote(value.note) ?? null,
  };
}

/** Returns a number within a project. Numbers start at 1; something without one may have 0. */
function iidMember(value: JsonObject, name: string): number | null {
  const iid = integerMember(value, name);
  return iid === undefined || iid < 1 ? null : iid;
}

function readPushData(value: unknown): PushData | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    ...value,
    commit_count: integerMember(value, 'commit_count') ?? 0,
    action: stringMember(value, 'action') ?? 'pushed',
    ref_type: stringMember(value, 'ref_type') ?? 'branch',
    commit_from: stringMember(value, 'commit_from') ?? null,
    commit_to: stringMember(value, 'commit_to') ?? null,
    ref: stringMember(value, 'ref') ?? null,
    commit_title: stringMember(value, 'commit_title') ?? null,
    ref_count: integerMember(value, 'ref_count') ?? null,
  };
}

function readEventNote(value: unknown): EventNote | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  if (id === undefined) return undefined;
  return {
    ...value,
    id,
    body: stringMember(value, 'body') ?? '',
    noteable_type: stringMember(value, 'noteable_type') ?? '',
    noteable_id: integerMember(value, 'noteable_id') ?? null,
    noteable_iid: iidMember(value, 'noteable_iid'),
    system: booleanMember(value, 'system'),
  };
}

/**
 * Returns the SHA of the commit that a comment is on, or undefined if it is on something else or the instance does not name the commit.
 * Comments on a line name it in their position, too.
 */
export function commitOfNote({ noteable_type: type, commit_id: commit, position }: EventNote): string | undefined {
  if (type !== 'Commit') return undefined;
  return readSha(commit) ?? (isJsonObject(position) ? readSha(position.head_sha) : undefined);
}

/** Returns a complete SHA-1 or SHA-256. It becomes part of addresses, so other texts are ignored. */
export function readSha(value: unknown): string | undefined {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined;
}
