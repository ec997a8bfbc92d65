import * as l10n from '@vscode/l10n';
import type { ActivityEvent, PushData } from '../contract/activity.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { escapeMarkdown, markdownLink } from '../support/markdown.ts';
import { describeEvent } from './describe.ts';
import { pageOfEvent } from './links.ts';

/** Maximum length of a comment or commit title in a hover, in characters. */
const MAX_TEXT_LENGTH = 800;

/** Returns the Markdown of an event's hover. Texts from the API are escaped. */
export function hoverOfEvent(event: ActivityEvent, project: ProjectBasic | undefined, locale: string): string {
  const { label } = describeEvent(event, locale);
  const parts = [`**${escapeMarkdown(label)}**\n\n${byline(event, project, locale)}`];
  if (event.push_data !== null) parts.push(pushDetails(event.push_data, locale));
  if (event.note !== null && event.note.body !== '') parts.push(shortened(event.note.body));
  const page = pageOfEvent(event, project?.web_url);
  if (page !== undefined) parts.push(markdownLink(l10n.t('Open in Browser'), page));
  return parts.join('\n\n---\n\n');
}

function byline(
  { author, author_username: username, created_at: time }: ActivityEvent,
  project: ProjectBasic | undefined,
  locale: string,
): string {
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }).format(new Date(time));
  const who = author === null ? (username ?? l10n.t('deleted user')) : `${author.name} (@${author.username})`;
  const where = project === undefined ? '' : ` · ${markdownLink(project.path_with_namespace, project.web_url)}`;
  return `${escapeMarkdown(who)}${where}  \n${escapeMarkdown(when)}`;
}

function pushDetails(push: PushData, locale: string): string {
  if (push.ref === null) {
    return l10n.t('Commits are not listed because this push changed many refs at once.');
  }
  const { commit_count: count } = push;
  const commits = count === 1 ? l10n.t('1 commit') : l10n.t('{0} commits', count.toLocaleString(locale));
  const ref = push.ref_type === 'tag' ? l10n.t('tag {0}', push.ref) : l10n.t('branch {0}', push.ref);
  const hashes = [push.commit_from, push.commit_to]
    .map((hash) => (hash === null ? '' : `\`${shortHash(hash)}\``))
    .filter(Boolean);
  const metadata = [escapeMarkdown(ref), commits, hashes.join(' … ')].filter(Boolean).join(' · ');
  return push.commit_title === null ? metadata : `${metadata}\n\n${shortened(push.commit_title)}`;
}

function shortHash(hash: string): string {
  return hash.slice(0, 8).replace(/[^0-9a-zA-Z]/g, '');
}

function shortened(text: string): string {
  return escapeMarkdown(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)} …` : text);
}
