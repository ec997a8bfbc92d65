import { booleanMember, isJsonObject, listOf, stringMember, timeMember } from './json.ts';
import type { Commit, Diff } from './repositories.ts';

/** Members of a commit that the extension shows. Older releases send fewer members than `Commit` has. */
export type CommitBasic = Pick<Commit, 'id' | 'short_id' | 'title' | 'message' | 'author_name' | 'parent_ids' | 'web_url'> & {
  /** ISO 8601. */
  readonly authored_date: string | null;
};

export type FileChange = Pick<
  Diff,
  'diff' | 'collapsed' | 'too_large' | 'new_path' | 'old_path' | 'new_file' | 'renamed_file' | 'deleted_file'
>;

/** Difference between two commits, from `/repository/compare`. */
export interface Changes {
  /** Oldest first. */
  readonly commits: readonly CommitBasic[];
  readonly diffs: readonly FileChange[];
  /** True if the comparison timed out and is incomplete. */
  readonly compare_timeout: boolean;
}

export function readCommit(value: unknown): CommitBasic | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = stringMember(value, 'id');
  if (id === undefined) return undefined;
  const message = stringMember(value, 'message') ?? '';
  return {
    id,
    short_id: stringMember(value, 'short_id') ?? id.slice(0, 8),
    title: stringMember(value, 'title') ?? message.split('\n', 1)[0] ?? '',
    message,
    author_name: stringMember(value, 'author_name') ?? '',
    authored_date: timeMember(value, 'authored_date'),
    parent_ids: listOf(value.parent_ids, (parent) => (typeof parent === 'string' ? parent : undefined)),
    web_url: stringMember(value, 'web_url') ?? '',
  };
}

export function readFileChange(value: unknown): FileChange | undefined {
  if (!isJsonObject(value)) return undefined;
  const after = stringMember(value, 'new_path');
  const before = stringMember(value, 'old_path');
  const path = after ?? before;
  if (path === undefined) return undefined;
  return {
    diff: stringMember(value, 'diff') ?? '',
    collapsed: booleanMember(value, 'collapsed'),
    too_large: booleanMember(value, 'too_large'),
    new_path: path,
    old_path: before ?? path,
    new_file: booleanMember(value, 'new_file'),
    renamed_file: booleanMember(value, 'renamed_file'),
    deleted_file: booleanMember(value, 'deleted_file'),
  };
}

export function readChanges(value: unknown): Changes | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.commits)) return undefined;
  return {
    commits: listOf(value.commits, readCommit),
    diffs: listOf(value.diffs, readFileChange),
    compare_timeout: booleanMember(value, 'compare_timeout'),
  };
}

/** Reads `/merge_requests/:iid/changes`, which releases before 15.7 have instead of `/diffs`. */
export function readMergeRequestChanges(value: unknown): readonly FileChange[] | undefined {
  return isJsonObject(value) && Array.isArray(value.changes) ? listOf(value.changes, readFileChange) : undefined;
}
