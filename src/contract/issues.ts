import { readUserBasic, type UserBasic } from './identity.ts';
import { booleanMember, integerMember, isJsonObject, listOf, stringMember, timeMember } from './json.ts';

/** Members of `/projects/:id/issues/:issue_iid` that the extension shows. */
export interface Issue {
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  /** Markdown source. */
  readonly description: string | null;
  /** `opened` or `closed`. */
  readonly state: string;
  readonly author: UserBasic | null;
  readonly assignees: readonly UserBasic[];
  readonly labels: readonly string[];
  /** Date such as `2026-11-20`. */
  readonly due_date: string | null;
  readonly confidential: boolean;
  /** ISO 8601. */
  readonly created_at: string | null;
  readonly web_url: string;
  readonly [member: string]: unknown;
}

/** Comment of `/projects/:id/issues/:issue_iid/notes`. */
export interface Note {
  readonly id: number;
  /** Markdown source. */
  readonly body: string;
  readonly author: UserBasic | null;
  /** ISO 8601. */
  readonly created_at: string | null;
  /** True if the instance created it to record a change. */
  readonly system: boolean;
  readonly [member: string]: unknown;
}

export function readIssue(value: unknown): Issue | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const iid = integerMember(value, 'iid');
  const title = stringMember(value, 'title');
  if (id === undefined || iid === undefined || title === undefined) return undefined;
  return {
    ...value,
    id,
    iid,
    title,
    description: stringMember(value, 'description') ?? null,
    state: stringMember(value, 'state') ?? '',
    author: readUserBasic(value.author) ?? null,
    assignees: listOf(value.assignees, readUserBasic),
    labels: listOf(value.labels, (label) => (typeof label === 'string' ? label : undefined)),
    due_date: stringMember(value, 'due_date') ?? null,
    confidential: booleanMember(value, 'confidential'),
    created_at: timeMember(value, 'created_at'),
    web_url: stringMember(value, 'web_url') ?? '',
  };
}

export function readNote(value: unknown): Note | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  if (id === undefined) return undefined;
  return {
    ...value,
    id,
    body: stringMember(value, 'body') ?? '',
    author: readUserBasic(value.author) ?? null,
    created_at: timeMember(value, 'created_at'),
    system: booleanMember(value, 'system'),
  };
}
