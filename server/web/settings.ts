import { html } from 'hono/html';
import type { Markup, PageContent } from './layout.ts';

/** Pages of the account settings, in the order of their tabs. */
const pages = {
  '/user_settings/profile': 'Profile',
  '/user_settings/emails': 'Email',
  '/-/profile/notifications': 'Notifications',
  '/user_settings/password': 'Password',
  '/user_settings/two_factor_auth': 'Two-factor authentication',
  '/user_settings/applications': 'Applications',
  '/user_settings/personal_access_tokens': 'Access tokens',
} as const;

export type SettingsPath = keyof typeof pages;

/** Returns a page of the account settings with its tabs. */
export function settingsContent(
  path: SettingsPath,
  body: Markup,
  rest: Pick<PageContent, 'status' | 'headers'> = {},
): PageContent {
  return {
    title: pages[path],
    width: 'wide',
    ...rest,
    body: html`<nav class="tabs" aria-label="Settings">
${Object.entries(pages).map(
  ([address, name]) => html`<a href="${address}" ${address === path ? html`aria-current="page"` : ''}>${name}</a>`,
)}
</nav>
${body}`,
  };
}
