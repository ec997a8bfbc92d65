import type { ActivityEvent, PushData } from '../contract/activity.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { escapeMarkdown, markdownLink } from '../support/markdown.ts';
import { describeEvent } from './describe.ts';
import { pageOfEvent } from './links.ts';

/** Longest comment that a hover shows, in characters. */
const COMMENT = 800;

/** Markdown of the hover over an event. Everything that comes from the platform is escaped. */
export function hoverOfEvent(event: ActivityEvent, project: ProjectBasic | undefined, locale: string): string {
  const { label } = describeEvent(event);
  const parts = [`**${escapeMarkdown(label)}**`, byline(event, project, locale)];
  if (event.push_data !== null) parts.push(...pushDetails(event.push_data));
  if (event.note !== null && event.note.body !== '') parts.push(quoted(event.note.body));
  const page = pageOfEvent(event, project?.web_url);
  if (page !== undefined) parts.push(markdownLink('Open in Browser', page));
  return parts.join('\n\n');
}

function byline(
  { author, author_username: username, created_at: time }: ActivityEvent,
  project: ProjectBasic | undefined,
  locale: string,
): string {
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }).format(new Date(time));
  const who = author === null ? (username ?? 'somebody who is gone') : `${author.name} (@${author.username})`;
  const where = project === undefined ? '' : ` · ${markdownLink(project.path_with_namespace, project.web_url)}`;
  return `${escapeMarkdown(who)}${where}  \n${escapeMarkdown(when)}`;
}

function pushDetails(push: PushData): readonly string[] {
  if (push.ref === null) {
    return ['This push changed more refs than the platform lists one by one, so it gives no commits.'];
  }
  const commits = push.commit_count === 1 ? '1 commit' : `${push.commit_count} commits`;
  const range = [push.commit_from, push.commit_to]
    .map((hash) => (hash === null ? '' : `\`${escapeHash(hash)}\``))
    .filter(Boolean);
  const title = push.commit_title === null ? [] : [quoted(push.commit_title)];
  return [
    `${escapeMarkdown(`${push.ref_type} ${push.ref}`)} · ${commits}${range.length === 0 ? '' : ` · ${range.join(' … ')}`}`,
    ...title,
  ];
}

function escapeHash(hash: string): string {
  return hash.slice(0, 8).replace(/[^0-9a-zA-Z]/g, '');
}

function quoted(text: string): string {
  const short = text.length > COMMENT ? `${text.slice(0, COMMENT)} …` : text;
  return escapeMarkdown(short)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
