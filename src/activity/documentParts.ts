import * as l10n from '@vscode/l10n';
import type { UserBasic } from '../contract/identity.ts';
import { visible } from '../contract/visibleText.ts';

/** A document as it is shown. */
export interface DocumentContent {
  /** Markdown. */
  readonly text: string;
  /** The line, from 0, at which each comment begins, by its id. */
  readonly lines: ReadonlyMap<number, number>;
}

/** A paragraph or more of Markdown; empty ones are left out. */
export type DocumentPart = string | { readonly note: number; readonly text: string };

/** Parts with an empty line between them. */
export function documentOf(parts: readonly DocumentPart[]): DocumentContent {
  const lines = new Map<number, number>();
  let text = '';
  let line = 0;
  for (const part of parts) {
    const message = typeof part === 'string' ? part : part.text;
    if (message === '') continue;
    if (text !== '') {
      text += '\n\n';
      line += 2;
    }
    if (typeof part !== 'string') lines.set(part.note, line);
    text += message;
    line += message.split('\n').length - 1;
  }
  return { text: `${text}\n`, lines };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/**
 * Markdown of somebody as it stands below a heading of this level: its own headings become smaller ones and a fence that it leaves open is
 * closed, so that the outline stays true. Everything else is as it was written.
 */
export function belowHeading(level: number, markdown: string): string {
  let fence = '';
  const lines = markdown
    .trim()
    .split(/\r\n?|\n/)
    .map((line, at, all) => {
      const [, sign = '', rest = ''] = FENCE.exec(line) ?? [];
      if (fence !== '') {
        if (sign.startsWith(fence) && rest.trim() === '') fence = '';
        return line;
      }
      // The words behind a fence of backticks hold none: that is a piece of code within a line.
      if (sign !== '' && !(sign.startsWith('`') && rest.includes('`'))) {
        fence = sign;
        return line;
      }
      // A line below words makes them a heading; one that stands alone is a rule.
      if (/^ {0,3}(?:=+|-+)[ \t]*$/.test(line) && (all[at - 1] ?? '').trim() !== '') return `\n${line}`;
      return line.replace(/^( {0,3})(#{1,6})(?=\s|$)/, (_, indent: string, signs: string) => {
        return indent + '#'.repeat(Math.min(6, signs.length + level));
      });
    });
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n');
}

/** Text as a block of code, whatever signs it holds. Invisible characters stand as their code points. */
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

/** `2026-12-01` as a date in words; anything else as it is. */
export function formatDay(day: string, locale: string): string {
  const date = new Date(day);
  return Number.isNaN(date.getTime())
    ? day
    : new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

/** An address as a link that is seen; nothing for no address. */
export function formatLink(url: string | undefined): string {
  return url === undefined || url === '' ? '' : `<${url}>`;
}

/** Text on one line, with every invisible character as its code point. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

export function joined(parts: readonly string[], between: string): string {
  return parts.filter((part) => part !== '').join(between);
}
