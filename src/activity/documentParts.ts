import * as l10n from '@vscode/l10n';
import type { UserBasic } from '../contract/identity.ts';
import { visible } from '../contract/visibleText.ts';

/** Content of a document. */
export interface DocumentContent {
  /** Markdown. */
  readonly text: string;
  /** Zero-based first line of each comment, by comment id. */
  readonly lines: ReadonlyMap<number, number>;
}

/** One or more paragraphs of Markdown; empty parts are omitted. */
export type DocumentPart = string | { readonly note: number; readonly text: string };

/** Joins parts with an empty line between them. */
export function documentOf(parts: readonly DocumentPart[]): DocumentContent {
  const lines = new Map<number, number>();
  let text = '';
  let line = 0;
  for (const part of parts) {
    const partText = typeof part === 'string' ? part : part.text;
    if (partText === '') continue;
    if (text !== '') {
      text += '\n\n';
      line += 2;
    }
    if (typeof part !== 'string') lines.set(part.note, line);
    text += partText;
    line += partText.split('\n').length - 1;
  }
  return { text: `${text}\n`, lines };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/**
 * Returns user-written Markdown for use below a heading of the given level. Headings are moved to lower levels and an open code fence is
 * closed, so that the outline stays correct. Everything else is unchanged.
 */
export function belowHeading(level: number, markdown: string): string {
  let fence = '';
  const lines = markdown
    .trim()
    .split(/\r\n?|\n/)
    .map((line, at, all) => {
      const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
      if (fence !== '') {
        if (marks.startsWith(fence) && rest.trim() === '') fence = '';
        return line;
      }
      // The info string of a backtick fence has no backticks; with backticks it is inline code.
      if (marks !== '' && !(marks.startsWith('`') && rest.includes('`'))) {
        fence = marks;
        return line;
      }
      // An underline below text makes it a heading; on its own it is a thematic break.
      if (/^ {0,3}(?:=+|-+)[ \t]*$/.test(line) && (all[at - 1] ?? '').trim() !== '') return `\n${line}`;
      return line.replace(/^( {0,3})(#{1,6})(?=\s|$)/, (_, indent: string, signs: string) => {
        return indent + '#'.repeat(Math.min(6, signs.length + level));
      });
    });
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n');
}

/** Returns text as a code block with a fence longer than any in the text. Invisible characters are shown as their code points. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(text).replace(/\n+$/, '')}\n${fence}`;
}

export function formatPerson(person: UserBasic | null): string {
  return person === null ? l10n.t('deleted user') : oneLine(`${person.name} (@${person.username})`);
}

export function formatPeople(people: readonly UserBasic[]): string {
  return people.map((person) => formatPerson(person)).join(', ');
}

export function formatTime(time: string | null, locale: string): string {
  return time === null ? '' : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(time));
}

/** Returns a date such as `2026-12-01` in the long local format; other texts are unchanged. */
export function formatDay(day: string, locale: string): string {
  const date = new Date(day);
  return Number.isNaN(date.getTime())
    ? day
    : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

/** Returns a URL as a Markdown autolink; empty without a URL. */
export function formatLink(url: string | undefined): string {
  return url === undefined || url === '' ? '' : `<${url}>`;
}

/** Returns text on one line, with invisible characters as their code points. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

export function joinNonEmpty(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}
