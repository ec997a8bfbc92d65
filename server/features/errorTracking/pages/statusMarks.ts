import { html } from 'hono/html';
import type { Markup } from '../../../web/layout.ts';
import type { EventLevel } from '../event/trackedEvent.ts';
import type { ErrorStatus } from '../status/statusRules.ts';

export const statusLabels: Readonly<Record<ErrorStatus, string>> = {
  unresolved: 'unresolved',
  resolved: 'resolved',
  resolved_in_next_release: 'resolved in the next release',
  ignored: 'ignored',
};

const grave: ReadonlySet<EventLevel> = new Set(['fatal', 'error']);

export function levelMark(level: EventLevel): Markup {
  return html`<span class="badge ${grave.has(level) ? 'refused' : ''}">${level}</span>`;
}
