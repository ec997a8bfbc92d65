import * as l10n from '@vscode/l10n';
import type { CommitBasic, FileChange } from '../contract/changes.ts';
import type { Part } from './documentLoad.ts';
import { belowHeading, fenced, joinNonEmpty, oneLine, formatTime } from './documentParts.ts';

/** Maximum number of diff lines in a document. */
const MAX_LINES = 3_000;

/** Returns a heading, then each commit with its message under a subheading. */
export function commitParts(commits: Part<CommitBasic>, locale: string): readonly string[] {
  if (commits.failure !== undefined)
    return [`## ${l10n.t('Commits')}`, l10n.t('Commits could not be loaded. {0}', commits.failure)];
  if (commits.items.length === 0) return [];
  const count = commits.items.length.toLocaleString(locale);
  return [
    `## ${commits.isWhole ? l10n.t('Commits ({0})', count) : l10n.t('First {0} commits', count)}`,
    ...commits.items.flatMap(({ short_id: id, title, message, author_name: author, authored_date: time }) => [
      `### ${oneLine(`${id} ${title}`)}`,
      joinNonEmpty([oneLine(author), formatTime(time, locale)], ' · '),
      belowHeading(3, restOf(message, title)),
    ]),
  ];
}

/** Returns a heading, then each changed file with its diff under a subheading. */
export function fileParts(diffs: Part<FileChange>, locale: string): readonly string[] {
  if (diffs.failure !== undefined)
    return [`## ${l10n.t('Changed files')}`, l10n.t('Changed files could not be loaded. {0}', diffs.failure)];
  if (diffs.items.length === 0) return [];
  const count = diffs.items.length.toLocaleString(locale);
  let left = MAX_LINES;
  return [
    `## ${diffs.isWhole ? l10n.t('Changed files ({0})', count) : l10n.t('First {0} changed files', count)}`,
    ...diffs.items.flatMap((change) => {
      const lines = change.diff.split('\n').length;
      const fits = lines <= left;
      if (fits) left -= lines;
      return [`### ${oneLine(formatFile(change))}`, formatChange(change, fits)];
    }),
  ];
}

function formatFile({ new_path: path, old_path: before, ...change }: FileChange): string {
  if (change.new_file) return l10n.t('{0} (new)', path);
  if (change.deleted_file) return l10n.t('{0} (deleted)', before);
  if (change.renamed_file || path !== before) return l10n.t('{0} (renamed from {1})', path, before);
  return path;
}

function formatChange({ diff, too_large: isTooLarge, collapsed }: FileChange, fits: boolean): string {
  if (diff === '') {
    return isTooLarge || collapsed
      ? l10n.t('This diff is too large to show.')
      : l10n.t('No lines to show: the file is empty or binary, or only its name or mode changed.');
  }
  return fits ? fenced('diff', diff) : l10n.t('Too many changes to show here. Open them in the browser.');
}

/** Returns the message without its title. The API truncates long titles, so the title may differ from the first line. */
export function restOf(message: string, title: string): string {
  const [first = '', ...rest] = message.split('\n');
  return first.trim() === title.trim() ? rest.join('\n') : message;
}
