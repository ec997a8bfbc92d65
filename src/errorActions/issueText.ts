import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { errorMarkdown } from '../errorPanel/exportText.ts';
import { titleOf } from '../errorTracking/rows.ts';

/** Maximum length of the title of an issue. */
export const MAX_TITLE = 255;
/** Maximum number of characters of a description, below the limit of instances. */
const MAX_DESCRIPTION = 100_000;

/** Returns the description of an issue about an error: facts with a link to its page, the stack trace and the code. */
export function issueDescription(detail: ErrorDetail): string {
  const event: ErrorEvent = detail.latestEvent ?? {
    ...{ id: '', occurredAt: detail.last_seen, release: null, environment: null, level: detail.level, data: null },
  };
  // The title of the issue says the same as the first heading.
  const text = errorMarkdown(detail, event).replace(/^# .*\n+/, '');
  if (text.length <= MAX_DESCRIPTION) return text;
  // A code span without an end would be Markdown; a code block without one is still code.
  return `${text.slice(0, MAX_DESCRIPTION).replace(/\n(?:- |#)[^\n]*$/, '\n')}…`;
}

/** Signs with which platforms begin mentions and references in titles, in which nothing can be escaped. */
const REFERENCE = /(?<![\p{L}\p{N}_])([@#!&~%$])(?=[\p{L}\p{N}_])/gu;

/** Returns the suggested title of an issue about an error: one line that mentions nobody and nothing, whatever the error says. */
export function issueTitleOf(error: Pick<TrackedError, 'title'>): string {
  const title = titleOf(error).replace(/\s+/g, ' ').trim().replace(REFERENCE, '$1 ');
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;
}
