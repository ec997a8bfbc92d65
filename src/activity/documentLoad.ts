import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import type { PushData } from '../contract/activity.ts';
import {
  type CommitBasic,
  type FileChange,
  readChanges,
  readCommit,
  readFileChange,
  readMergeRequestChanges,
} from '../contract/changes.ts';
import { type Discussion, readDiscussion } from '../contract/discussions.ts';
import { type Issue, readIssue } from '../contract/issues.ts';
import { isJsonObject, stringMember } from '../contract/json.ts';
import { type MergeRequest, readMergeRequest } from '../contract/mergeRequests.ts';

/** List within a document, or the reason why it could not be loaded. A failure does not affect the rest of the document. */
export type Part<T> =
  | { readonly items: readonly T[]; readonly isWhole: boolean; readonly failure?: undefined }
  | { readonly failure: string };

export interface LoadedIssue {
  readonly issue: Issue;
  readonly discussions: Part<Discussion>;
}

export interface LoadedMergeRequest {
  readonly mergeRequest: MergeRequest;
  readonly discussions: Part<Discussion>;
  readonly commits: Part<CommitBasic>;
  readonly diffs: Part<FileChange>;
}

export interface LoadedCommit {
  readonly commit: CommitBasic;
  readonly discussions: Part<Discussion>;
  readonly diffs: Part<FileChange>;
}

/** Commits and changes of a push, as far as they still exist. */
export interface LoadedPush {
  readonly commits?: Part<CommitBasic>;
  readonly diffs?: Part<FileChange>;
  /** Message of an annotated tag; empty otherwise. */
  readonly message: string;
  /** True if the commits no longer exist or are hidden. */
  readonly isGone: boolean;
}

/** Maximum number of pages per list. */
const MAX_PAGES = 5;

/** Entries per page. */
const PAGE = 100;

/** Loads an issue and its comments. Rejects with an `ApiFailure` if the issue cannot be loaded. */
export async function loadIssue(client: Client, project: number, iid: number): Promise<LoadedIssue> {
  const path = apiPath`/projects/${project}/issues/${iid}`;
  const [issue, discussions] = await Promise.all([client.get(path, readIssue), discussionsOf(client, path)]);
  return { issue, discussions };
}

/** Returns the title of an issue or merge request. Rejects with an `ApiFailure`. */
export async function titleOfTarget(
  client: Client,
  kind: 'issue' | 'mergeRequest',
  project: number,
  iid: number,
): Promise<string> {
  return kind === 'issue'
    ? (await client.get(apiPath`/projects/${project}/issues/${iid}`, readIssue)).title
    : (await client.get(apiPath`/projects/${project}/merge_requests/${iid}`, readMergeRequest)).title;
}

/** Loads a merge request with its lists. Rejects with an `ApiFailure` if the merge request cannot be loaded. */
export async function loadMergeRequest(client: Client, project: number, iid: number): Promise<LoadedMergeRequest> {
  const path = apiPath`/projects/${project}/merge_requests/${iid}`;
  const [mergeRequest, discussions, commits, diffs] = await Promise.all([
    client.get(path, readMergeRequest),
    discussionsOf(client, path),
    part(() => pagesOf(client, `${path}/commits`, readCommit)),
    part(() => diffsOf(client, path)),
  ]);
  return { mergeRequest, discussions, commits, diffs };
}

/** Loads a commit with its comments and changed files. Rejects with an `ApiFailure` if the commit cannot be loaded. */
export async function loadCommit(client: Client, project: number, sha: string): Promise<LoadedCommit> {
  const path = apiPath`/projects/${project}/repository/commits/${sha}`;
  const [commit, discussions, diffs] = await Promise.all([
    client.get(path, readCommit),
    discussionsOf(client, path),
    part(() => pagesOf(client, `${path}/diff`, readFileChange)),
  ]);
  return { commit, discussions, diffs };
}

function discussionsOf(client: Client, path: string): Promise<Part<Discussion>> {
  return part(() => pagesOf(client, `${path}/discussions`, readDiscussion));
}

/** Uses `/diffs`, which exists since release 15.7, else `/changes`. */
async function diffsOf(client: Client, path: string): Promise<Part<FileChange>> {
  try {
    return await pagesOf(client, `${path}/diffs`, readFileChange);
  } catch (error) {
    if (failureOfError(error)?.kind !== 'notFound') throw error;
    return complete(await client.get(`${path}/changes`, readMergeRequestChanges));
  }
}

/** Loads the changes of a push. Sets `isGone` if they are missing or hidden; rejects with an `ApiFailure` for other failures. */
export async function loadPush(client: Client, project: number, push: PushData): Promise<LoadedPush> {
  const { ref, ref_type: type, action } = push;
  if (ref === null) return NOTHING;
  try {
    if (action === 'removed') return await lastCommit(client, project, commitOf(push.commit_from));
    return await (type === 'tag' ? taggedCommit(client, project, ref) : pushedChanges(client, project, push));
  } catch (error) {
    const kind = failureOfError(error)?.kind;
    if (kind !== 'notFound' && kind !== 'forbidden') throw error;
    return { ...NOTHING, isGone: true };
  }
}

const NOTHING: LoadedPush = { message: '', isGone: false };

async function lastCommit(client: Client, project: number, sha: string | undefined): Promise<LoadedPush> {
  if (sha === undefined) return NOTHING;
  return {
    ...NOTHING,
    commits: complete([await client.get(apiPath`/projects/${project}/repository/commits/${sha}`, readCommit)]),
  };
}

async function taggedCommit(client: Client, project: number, name: string): Promise<LoadedPush> {
  const tag = await client.get(apiPath`/projects/${project}/repository/tags/${name}`, readTag);
  return { ...NOTHING, commits: complete(tag.commits), message: tag.message };
}

async function pushedChanges(client: Client, project: number, push: PushData): Promise<LoadedPush> {
  const from = commitOf(push.commit_from);
  const to = commitOf(push.commit_to);
  if (to === undefined) return NOTHING;
  if (from === undefined) return newBranchChanges(client, project, to, push.commit_count);
  const { commits, diffs, compare_timeout: isTruncated } = await compare(client, project, from, to);
  return { ...NOTHING, commits: { items: commits, isWhole: !isTruncated }, diffs: { items: diffs, isWhole: !isTruncated } };
}

/** Loads the commits of a new branch, which has no previous commit; the push contains their number. */
async function newBranchChanges(client: Client, project: number, to: string, count: number): Promise<LoadedPush> {
  if (count === 0) return lastCommit(client, project, to);
  const query = { ref_name: to, per_page: Math.min(count, PAGE) };
  const { items } = await client.list(apiPath`/projects/${project}/repository/commits`, readCommit, query);
  const commits: Part<CommitBasic> = { items: items.toReversed(), isWhole: items.length >= count };
  const [before] = items.at(-1)?.parent_ids ?? [];
  if (before === undefined || !commits.isWhole) return { ...NOTHING, commits };
  const diffs = await part(async () => {
    const { diffs: items, compare_timeout: isTruncated } = await compare(client, project, before, to);
    return { items, isWhole: !isTruncated };
  });
  return { ...NOTHING, commits, diffs };
}

function compare(client: Client, project: number, from: string, to: string) {
  return client.get(apiPath`/projects/${project}/repository/compare`, readChanges, { from, to });
}

function readTag(value: unknown): { readonly message: string; readonly commits: readonly CommitBasic[] } | undefined {
  if (!isJsonObject(value) || stringMember(value, 'name') === undefined) return undefined;
  const commit = readCommit(value.commit);
  return { message: stringMember(value, 'message') ?? '', commits: commit === undefined ? [] : [commit] };
}

/** Returns undefined for the null SHA (only zeros). */
function commitOf(sha: string | null): string | undefined {
  return sha === null || /^0*$/.test(sha) ? undefined : sha;
}

async function pagesOf<T>(client: Client, path: string, read: (element: unknown) => T | undefined): Promise<Part<T>> {
  let page = await client.list(path, read, { per_page: PAGE });
  const items = [...page.items];
  for (let pages = 1; page.next !== undefined && pages < MAX_PAGES; pages += 1) {
    page = await client.follow(page.next, read);
    items.push(...page.items);
  }
  return { items, isWhole: page.next === undefined };
}

function complete<T>(items: readonly T[]): Part<T> {
  return { items, isWhole: true };
}

/** Turns an `ApiFailure` into the failure text of the part. */
async function part<T>(load: () => Promise<Part<T>>): Promise<Part<T>> {
  try {
    return await load();
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    return { failure: failure.message };
  }
}
