import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import type { PushData } from '../contract/activity.ts';
import { type FileChange, readChanges, readCommit, readFileChange } from '../contract/changes.ts';
import { isJsonObject, stringMember } from '../contract/json.ts';

/** Files that a push changed, or the reason why they cannot be shown. */
export type PushDiff =
  | {
      readonly kind: 'files';
      /** Commit before the changes; undefined if all files are new. */
      readonly before: string | undefined;
      readonly after: string;
      readonly files: readonly FileChange[];
      /** True if the push changed more files than these. */
      readonly isTruncated: boolean;
    }
  | { readonly kind: 'nothing'; readonly reason: string };

/** Maximum number of files of a diff. VS Code loads both versions of each of them. */
const MAX_FILES = 100;

/** Entries per page. */
const PAGE = 100;

/** Returns true if the push has changes to show: not for removed refs, several refs at once, and branches without new commits. */
export function hasPushDiff(push: PushData): boolean {
  return reasonWithout(push) === undefined;
}

/** Loads the list of files that a push changed. Rejects with an `ApiFailure`; commits that no longer exist are a reason. */
export async function loadPushDiff(client: Client, project: number, push: PushData): Promise<PushDiff> {
  const reason = reasonWithout(push);
  if (reason !== undefined) return { kind: 'nothing', reason };
  try {
    const [before, after] = await commitsOf(client, project, push);
    if (after === undefined) return { kind: 'nothing', reason: l10n.t('This push has no commits.') };
    const changed = await filesOf(client, project, before, after);
    if (changed.files.length === 0) return { kind: 'nothing', reason: l10n.t('This push changed no files.') };
    return { kind: 'files', before, after, ...changed };
  } catch (error) {
    const kind = failureOfError(error)?.kind;
    if (kind !== 'notFound' && kind !== 'forbidden') throw error;
    return { kind: 'nothing', reason: l10n.t("The commits of this push no longer exist, or you don't have access to them.") };
  }
}

function reasonWithout({ action, ref, ref_type: type, ref_count: count, commit_count: commits, commit_from: from }: PushData) {
  if (ref === null || (count !== null && count > 0))
    return l10n.t('This push changed several branches or tags at once. The activity has no commits of it.');
  if (action === 'removed') return l10n.t('This push removed {0}. There are no changes to show.', ref);
  if (type === 'branch' && commits === 0 && commitOf(from) === undefined)
    return l10n.t('The branch {0} was created without new commits.', ref);
  return undefined;
}

/** Returns the commits before and after the push. */
async function commitsOf(
  client: Client,
  project: number,
  push: PushData,
): Promise<readonly [before: string | undefined, after: string | undefined]> {
  const { ref, ref_type: type, commit_from: from, commit_to: to, commit_count: count } = push;
  if (type === 'tag' && ref !== null) {
    // `commit_to` of an annotated tag is the tag itself.
    const commit = await client.get(apiPath`/projects/${project}/repository/tags/${ref}`, readTaggedCommit);
    return [commit.parent_ids[0], commit.id];
  }
  const [before, after] = [commitOf(from), commitOf(to)];
  if (before !== undefined || after === undefined) return [before, after];
  return [count === 1 ? await parentOf(client, project, after) : await branchingPoint(client, project, after, push), after];
}

async function parentOf(client: Client, project: number, sha: string): Promise<string | undefined> {
  const commit = await client.get(apiPath`/projects/${project}/repository/commits/${sha}`, readCommit);
  return commit.parent_ids[0];
}

/** Returns the commit at which a new branch left the default branch, or the parent of its first commit; undefined for a first push. */
async function branchingPoint(client: Client, project: number, after: string, push: PushData): Promise<string | undefined> {
  const main = await client.get(apiPath`/projects/${project}`, readDefaultBranch);
  if (main.name !== undefined && main.name !== push.ref) {
    const base = await optional(() =>
      client.get(apiPath`/projects/${project}/repository/merge_base`, readCommit, { refs: [main.name ?? '', after] }),
    );
    if (base !== undefined && base.id !== after) return base.id;
  }
  const query = { ref_name: after, per_page: Math.min(Math.max(push.commit_count, 1), PAGE) };
  const { items } = await client.list(apiPath`/projects/${project}/repository/commits`, readCommit, query);
  return items.at(-1)?.parent_ids[0];
}

async function filesOf(
  client: Client,
  project: number,
  before: string | undefined,
  after: string,
): Promise<{ readonly files: readonly FileChange[]; readonly isTruncated: boolean }> {
  if (before === undefined) {
    const query = { ref: after, recursive: true, per_page: PAGE };
    const { items, next } = await client.list(apiPath`/projects/${project}/repository/tree`, readNewFile, query);
    return { files: items, isTruncated: next !== undefined };
  }
  const query = { from: before, to: after, straight: true };
  const { diffs, compare_timeout: isTimedOut } = await client.get(
    apiPath`/projects/${project}/repository/compare`,
    readChanges,
    query,
  );
  return { files: diffs.slice(0, MAX_FILES), isTruncated: isTimedOut || diffs.length > MAX_FILES };
}

/** Returns undefined if the resource does not exist. */
async function optional<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (failureOfError(error)?.kind === 'notFound') return undefined;
    throw error;
  }
}

function readDefaultBranch(value: unknown): { readonly name: string | undefined } | undefined {
  return isJsonObject(value) ? { name: stringMember(value, 'default_branch') } : undefined;
}

function readTaggedCommit(value: unknown) {
  return isJsonObject(value) ? readCommit(value.commit) : undefined;
}

/** Returns a file of a tree as a new file; undefined for folders. */
function readNewFile(value: unknown): FileChange | undefined {
  if (!isJsonObject(value) || value.type !== 'blob') return undefined;
  return readFileChange({ new_path: value.path, old_path: value.path, new_file: true });
}

/** Returns undefined for the null SHA (only zeros). */
function commitOf(sha: string | null): string | undefined {
  return sha === null || /^0*$/.test(sha) ? undefined : sha;
}
