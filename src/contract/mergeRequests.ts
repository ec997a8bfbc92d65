import { readUserBasic, type UserBasic } from './identity.ts';
import { booleanMember, integerMember, isJsonObject, listOf, stringMember, timeMember } from './json.ts';

/** Members of `/projects/:id/merge_requests/:iid` that the extension shows. */
export interface MergeRequest {
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  /** Markdown source. */
  readonly description: string | null;
  /** `opened`, `closed`, `merged` or `locked`. */
  readonly state: string;
  readonly draft: boolean;
  readonly source_branch: string;
  readonly target_branch: string;
  /** Differs from `target_project_id` if the merge request comes from a fork. */
  readonly source_project_id: number | null;
  readonly target_project_id: number | null;
  readonly author: UserBasic | null;
  readonly assignees: readonly UserBasic[];
  readonly reviewers: readonly UserBasic[];
  /** User who merged it, or who set it to be merged when its pipeline succeeds. */
  readonly merge_user: UserBasic | null;
  readonly labels: readonly string[];
  /** Title of the milestone. */
  readonly milestone: string | null;
  /** ISO 8601. */
  readonly created_at: string | null;
  readonly merged_at: string | null;
  readonly web_url: string;
}

export function readMergeRequest(value: unknown): MergeRequest | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const iid = integerMember(value, 'iid');
  const title = stringMember(value, 'title');
  if (id === undefined || iid === undefined || title === undefined) return undefined;
  return {
    id,
    iid,
    title,
    description: stringMember(value, 'description') ?? null,
    state: stringMember(value, 'state') ?? '',
    draft: booleanMember(value, 'draft'),
    source_branch: stringMember(value, 'source_branch') ?? '',
    target_branch: stringMember(value, 'target_branch') ?? '',
    source_project_id: integerMember(value, 'source_project_id') ?? null,
    target_project_id: integerMember(value, 'target_project_id') ?? null,
    author: readUserBasic(value.author) ?? null,
    assignees: listOf(value.assignees, readUserBasic),
    reviewers: listOf(value.reviewers, readUserBasic),
    merge_user: readUserBasic(value.merge_user) ?? readUserBasic(value.merged_by) ?? null,
    labels: listOf(value.labels, (label) => (typeof label === 'string' ? label : undefined)),
    milestone: (isJsonObject(value.milestone) ? stringMember(value.milestone, 'title') : undefined) ?? null,
    created_at: timeMember(value, 'created_at'),
    merged_at: timeMember(value, 'merged_at'),
    web_url: stringMember(value, 'web_url') ?? '',
  };
}
