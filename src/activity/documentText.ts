import * as l10n from '@vscode/l10n';
import type { ActivityEvent, PushData } from '../contract/activity.ts';
import type { UserBasic } from '../contract/identity.ts';
import type { Issue, Note } from '../contract/issues.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { describeEvent } from './describe.ts';

/** Markdown of an issue and its comments. Texts of people stay as they wrote them: they are Markdown, too. */
export function issueText(issue: Issue, notes: readonly Note[], project: ProjectBasic | undefined, locale: string): string {
  const facts = [
    issue.state === 'closed' ? l10n.t('closed') : l10n.t('open'),
    issue.confidential ? l10n.t('confidential') : '',
    project?.path_with_namespace ?? '',
    l10n.t('opened by {0}', personWords(issue.author)),
    timeWords(issue.created_at, locale),
  ];
  const lists = [
    issue.labels.length === 0 ? '' : l10n.t('Labels: {0}', issue.labels.join(', ')),
    issue.assignees.length === 0 ? '' : l10n.t('Assignees: {0}', issue.assignees.map((person) => personWords(person)).join(', ')),
    issue.due_date === null ? '' : l10n.t('Due: {0}', dayWords(issue.due_date, locale)),
  ];
  const parts = [
    `# #${issue.iid} ${oneLine(issue.title)}`,
    joined(facts, ' · '),
    joined(lists.map(oneLine), '  \n'),
    issue.web_url === '' ? '' : `<${issue.web_url}>`,
    issue.description?.trim() ?? '',
    ...notes.map((note) => noteText(note, locale)),
  ];
  return `${joined(parts, '\n\n')}\n`;
}

function noteText(note: Note, locale: string): string {
  const by = joined([personWords(note.author), timeWords(note.created_at, locale)], ' · ');
  if (note.system) return `---\n\n*${oneLine(note.body)}* (${by})`;
  return `---\n\n## ${by}\n\n${note.body.trim()}`;
}

/** Markdown of an event that is all there is to show. */
export function eventText(
  event: ActivityEvent,
  project: ProjectBasic | undefined,
  page: string | undefined,
  locale: string,
): string {
  const who = event.author === null && event.author_username !== null ? `@${event.author_username}` : personWords(event.author);
  const facts = [project?.path_with_namespace ?? '', who, timeWords(event.created_at, locale)];
  const parts = [
    `# ${oneLine(describeEvent(event, locale).label)}`,
    joined(facts, ' · '),
    event.push_data === null ? '' : pushText(event.push_data, locale),
    event.note?.body.trim() ?? '',
    page === undefined ? '' : `<${page}>`,
  ];
  return `${joined(parts, '\n\n')}\n`;
}

function pushText(push: PushData, locale: string): string {
  if (push.ref === null) {
    return joined(
      [
        `- ${l10n.t('refs: {0}', (push.ref_count ?? 0).toLocaleString(locale))}`,
        l10n.t('This push changed more refs than the platform lists one by one, so it gives no commits.'),
      ],
      '\n\n',
    );
  }
  const facts = [
    `- ${push.ref_type === 'tag' ? l10n.t('tag: {0}', oneLine(push.ref)) : l10n.t('branch: {0}', oneLine(push.ref))}`,
    `- ${l10n.t('commits: {0}', push.commit_count.toLocaleString(locale))}`,
    push.commit_from === null ? '' : `- ${l10n.t('from: {0}', oneLine(push.commit_from))}`,
    push.commit_to === null ? '' : `- ${l10n.t('to: {0}', oneLine(push.commit_to))}`,
  ];
  return joined([joined(facts, '\n'), push.commit_title === null ? '' : oneLine(push.commit_title)], '\n\n');
}

function personWords(person: UserBasic | null): string {
  return person === null ? l10n.t('somebody who is gone') : oneLine(`${person.name} (@${person.username})`);
}

function timeWords(time: string | null, locale: string): string {
  return time === null ? '' : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(time));
}

/** `2026-12-01` as a date in words; anything else as it is. */
function dayWords(day: string, locale: string): string {
  const date = new Date(day);
  return Number.isNaN(date.getTime())
    ? day
    : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function joined(parts: readonly string[], between: string): string {
  return parts.filter((part) => part !== '').join(between);
}
