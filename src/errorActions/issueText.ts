import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import { errorMarkdown } from '../errorPanel/exportText.ts';

/** Maximum number of characters of a description, below the limit of instances. */
const MAX_DESCRIPTION = 100_000;

/** Returns the description of an issue about an error: facts with a link to its page, the stack trace and the code. */
export function issueDescription(detail: ErrorDetail): string {
  const event: ErrorEvent = detail.latestEvent ?? {
    ...{ id: '', occurredAt: detail.last_seen, release: null, environment: null, level: detail.level, data: null },
  };
  // The title of the issue says the same as the first heading.
  const text = errorMarkdown(detail, event).replace(/^# .*\n+/, '');
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text;
}
