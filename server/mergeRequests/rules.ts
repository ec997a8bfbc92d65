import { isLongerThan } from '../textLength.ts';

/** Longest title of a merge request. */
const MAX_TITLE_LENGTH = 255;

export function titleErrors(title: string): string[] {
  if (title.trim() === '') return ["can't be blank"];
  return isLongerThan(title, MAX_TITLE_LENGTH) ? [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`] : [];
}

const DRAFT = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/** Whether a title says that a merge request is not ready to be merged. */
export function isDraft(title: string): boolean {
  return DRAFT.test(title);
}

/** A title as that of a draft, or of one no more. */
export function titleAs(title: string, draft: boolean): string {
  if (draft) return isDraft(title) ? title : `Draft: ${title}`;
  let plain = title;
  while (isDraft(plain)) plain = plain.replace(DRAFT, '');
  return plain;
}

/** An issue that a text names: by its number alone, or with the path of its project in front. */
export interface NamedIssue {
  /** Undefined for the project of the text. */
  readonly project: string | undefined;
  readonly iid: number;
  readonly closes: boolean;
}

/** The path of a project is tried from the beginning of a word only: from every character of it, the time would grow with its square. */
const ISSUE = String.raw`(?:(?<![\w/#.-])([\w.-]+(?:/[\w.-]+)+)|(?<![\w/#]))#(\d{1,9})\b`;
const CLOSING = new RegExp(
  String.raw`\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?::?\s+(?:issues?\s+)?)(${ISSUE}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)${ISSUE})*)`,
  'gi',
);

/** At most this many issues are looked up because title and description name them. */
export const MAX_NAMED_ISSUES = 500;

/**
 * The issues that some texts name, those that they say are closed first. `Closes #1, #2 and a/b#3` closes all three. Issues after the first
 * `MAX_NAMED_ISSUES` are left out.
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

/** Words of the list filters: a person's number, `None` or `Any` in any case, or 0 for `None`. */
export function readPerson(text: string): number | 'None' | 'Any' | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'none' || word === '0') return 'None';
  if (word === 'any') return 'Any';
  return /^\d{1,15}$/.test(word) ? Number(word) : undefined;
}

/** What is known of a merge request when it is asked whether it can be merged. */
export interface MergeMetadata {
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  /** Both branches are there, and the one has commits that the other lacks. Undefined when it was not looked at yet. */
  readonly hasCommits: boolean | undefined;
  /** Undefined when it was not looked at yet. */
  readonly conflicts: boolean | undefined;
}

export type MergeStatus = 'unchecked' | 'can_be_merged' | 'cannot_be_merged';
export type DetailedMergeStatus = 'not_open' | 'commits_status' | 'unchecked' | 'draft_status' | 'conflict' | 'mergeable';

/** Why a merge request cannot be merged now, in the order in which the real platform looks. */
export function detailedStatus({ isOpen, isDraft: draft, hasCommits, conflicts }: MergeMetadata): DetailedMergeStatus {
  if (!isOpen) return 'not_open';
  if (hasCommits === false) return 'commits_status';
  if (hasCommits === undefined || conflicts === undefined) return 'unchecked';
  if (draft) return 'draft_status';
  return conflicts ? 'conflict' : 'mergeable';
}

/** What git alone says. */
export function mergeStatus({ hasCommits, conflicts }: MergeMetadata): MergeStatus {
  if (hasCommits === false || conflicts === true) return 'cannot_be_merged';
  return hasCommits === undefined || conflicts === undefined ? 'unchecked' : 'can_be_merged';
}

/** What a person may do to a merge request that they see. */
export interface MergeRequestAbilities {
  /** Change title, description and target branch, close and reopen. */
  readonly update: boolean;
  /** Change labels, assignees, reviewers and milestone. */
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
