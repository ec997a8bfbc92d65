import { html } from 'hono/html';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import type { Markup } from '../../web/layout.ts';
import type { Group } from './access.ts';

/** Returns the tabs of the pages of a group. `shown` is the path of the page from `/-/`, empty for the page of the group. */
export function groupTabs({ profile }: Core, group: Group, caller: Caller | undefined, shown: string): Markup {
  const below = `/groups/${group.full_path}/-`;
  const page = shown.split('/', 3)[2] ?? '';
  const tabs = {
    ...(isAvailable({ tiers: ['premium', 'ultimate'] }, profile) ? { epics: 'Epics' } : {}),
    milestones: 'Milestones',
    ...(caller === undefined ? {} : { group_members: 'Members' }),
  };
  return html`<nav class="tabs project" aria-label="Group">
<a class="name" href="/groups/${group.full_path}" ${shown === '' ? html`aria-current="page"` : ''}>${group.name}</a>
${Object.entries(tabs).map(
  ([path, name]) =>
    html`<a href="${below}/${path}" ${path === page ? html`aria-current="${shown === `/-/${path}` ? 'page' : 'true'}"` : ''}>${name}</a>
`,
)}</nav>`;
}
