import { isLongerThan } from '../../support/textLength.ts';

/** Maximum length of the title of a merge request. */
export const MAX_TITLE_LENGTH = 255;

export function titleErrors(title: string): string[] {
  if (title.trim() === '') return ["can't be blank"];
  return isLongerThan(title, MAX_TITLE_LENGTH) ? [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`] : [];
}

const DRAFT = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/** Returns true if the title marks a draft. */
export function isDraft(title: string): boolean {
  return DRAFT.test(title);
}

/** Returns the title with or without the draft prefix. */
export function titleAs(title: string, draft: boolean): string {
  if (draft) return isDraft(title) ? title : `Draft: ${title}`;
  let plain = title;
  while (isDraft(plain)) plain = plain.replace(DRAFT, '');
  return plain;
}

/** An issue reference: an iid, with an optional project path in front. */
export interface NamedIssue {
  /** Undefined for the project of the text. */
  readonly project: string | undefined;
  readonly iid: number;
  readonly closes: boolean;
}

/** Matches project paths only at the start of a word; matching from every character would take quadratic time. */
const ISSUE = String.raw`(?:(?<![\w/#.-])([\w.-]+(?:/[\w.-]+)+)|(?<![\w/#]))#(\d{1,9})\b`;
const CLOSING = new RegExp(
  String.raw`\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?::?\s+(?:issues?\s+)?)(${ISSUE}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)${ISSUE})*)`,
  'gi',
);

/** Maximum number of issue references that are resolved in title and description. */
export const MAX_NAMED_ISSUES = 500;

/**
 * Returns the issues referenced by some texts, closed ones first. `Closes #1, #2 and a/b#3` closes all three. References after
 * the first `MAX_NAMED_ISSUES` are left out.
 */
export function issuesNamed(texts: readonly string[]): NamedIssue[] {
  const named = new Map<string, NamedIssue>();
  const take = (text: string, closes: boolean): void => {
    for (const [, project, iid = ''] of text.matchAll(new RegExp(ISSUE, 'g'))) {
      if (named.size >= MAX_NAMED_ISSUES) return;
      const key = `${project ?? ''}#${iid}`;
      if (!named.has(key)) named.set(key, { project, iid: Number(iid), closes });
    }
  };
  for (const text of texts) for (const [, list = ''] of text.matchAll(CLOSING)) take(list, true);
  for (const text of texts) take(text, false);
  return [...named.values()];
}

/** Parses a user filter: an id, `None` or `Any` in any case, or 0 for `None`. */
export function readPerson(text: string): number | 'None' | 'Any' | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'none' || word === '0') return 'None';
  if (word === 'any') return 'Any';
  return /^\d{1,15}$/.test(word) ? Number(word) : undefined;
}

/** The inputs that determine mergeability. */
export interface MergeMetadata {
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  /** True if both branches exist and the source has commits that the target lacks. Undefined if not checked yet. */
  readonly hasCommits: boolean | undefined;
  /** Undefined if not checked yet. */
  readonly conflicts: boolean | undefined;
}

export type MergeStatus = 'unchecked' | 'can_be_merged' | 'cannot_be_merged';
export type DetailedMergeStatus = 'not_open' | 'commits_status' | 'unchecked' | 'draft_status' | 'conflict' | 'mergeable';

/** Returns the reason why a merge request cannot be merged now, checked in the order of GitLab. */
export function detailedStatus({ isOpen, isDraft: draft, hasCommits, conflicts }: MergeMetadata): DetailedMergeStatus {
  if (!isOpen) return 'not_open';
  if (hasCommits === false) return 'commits_status';
  if (hasCommits === undefined || conflicts === undefined) return 'unchecked';
  if (draft) return 'draft_status';
  return conflicts ? 'conflict' : 'mergeable';
}

/** Returns the mergeability according to git alone. */
export function mergeStatus({ hasCommits, conflicts }: MergeMetadata): MergeStatus {
  if (hasCommits === false || conflicts === true) return 'cannot_be_merged';
  return hasCommits === undefined || conflicts === undefined ? 'unchecked' : 'can_be_merged';
}

/** The permissions of a user on a merge request that is visible to them. */
export interface MergeRequestAbilities {
  /** Covers title, description and target branch, closing and reopening. */
  readonly update: boolean;
  /** Covers labels, assignees, reviewers and milestone. */
  readonly administer: boolean;
}

export function mergeRequestAbilities(person: {
  readonly canWrite: boolean;
  readonly isReporter: boolean;
  readonly isDeveloper: boolean;
  readonly isAuthor: boolean;
  readonly isAssignee: boolean;
}): MergeRequestAbilities {
  const administer = person.canWrite && person.isReporter;
  const update = person.canWrite && (person.isDeveloper || person.isAuthor || person.isAssignee);
  return { administer, update };
}
