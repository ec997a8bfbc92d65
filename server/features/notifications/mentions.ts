import type { Core } from '../../core/core.ts';
import { groupMemberIds, userIdsByName } from './audienceStore.ts';

// Mentions of users and groups in Markdown: docs/interface.md#notification-mail.

/** Longest text that is searched, and the largest number of different names that count, so that no text is expensive. */
const MAX_LENGTH = 1_048_576;
const MAX_NAMES = 100;

/** A name after `@`, outside of words, URLs and paths. It does not end with punctuation. */
const MENTION = /(?<![\w&/#!@.~-])@(\w(?:[\w./-]*\w)?)(?![\w-])/g;

/** Returns the names of users and paths of groups that a text mentions, in lower case. */
export function mentionedNames(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const plain = withoutSpans(withoutBlocks(text.slice(0, MAX_LENGTH)));
  const names = new Set<string>();
  for (const [, name = ''] of plain.matchAll(MENTION)) {
    names.add(name.toLowerCase());
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

/**
 * Returns the IDs of the users whom some texts mention: by name, as direct members of a group, or with `@all` as members of the project, if
 * one is given.
 */
export function mentionedIds(core: Core, texts: readonly (string | null)[], projectId: number | null = null): readonly number[] {
  const names = [...new Set(texts.flatMap((text) => mentionedNames(text ?? '')))];
  if (names.length === 0) return [];
  const { store } = core;
  const wholeProject = names.includes('all') ? (projectId ?? 0) : 0;
  return [...new Set([...userIdsByName(store, names), ...groupMemberIds(store, names, wholeProject)])];
}

/** Removes blocks of code: fenced ones, which may have no end, and indented ones, which follow an empty line and are not part of a list. */
function withoutBlocks(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  let isAfterGap = true;
  let isInList = false;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      const closes = mark?.startsWith(fence) === true && line.trim() === mark;
      if (closes) fence = undefined;
      continue;
    }
    if (mark !== undefined && !(mark.startsWith('`') && line.trim().slice(mark.length).includes('`'))) {
      fence = mark;
      isAfterGap = true;
      continue;
    }
    const isIndented = /^(?: {4}|\t)/.test(line);
    if (line.trim() === '') isAfterGap = true;
    else if (isIndented && isAfterGap && !isInList) continue;
    else {
      isAfterGap = false;
      if (!isIndented) isInList = /^ {0,3}(?:[-+*]|\d{1,9}[.)])\s/.test(line);
    }
    lines.push(line);
  }
  return lines.join('\n');
}

/** Removes code spans: from a run of backticks to the next run of the same length. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((match) => ({ start: match.index, length: match[0].length }));
  if (runs.length < 2) return text;
  const next = new Map<number, number>();
  const closing = runs.map((): number | undefined => undefined);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.length ?? 0;
    closing[index] = next.get(length);
    next.set(length, index);
  }
  let plain = '';
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const [open, close] = [runs[index], runs[closing[index] ?? -1]];
    if (open === undefined || close === undefined) continue;
    plain += `${text.slice(from, open.start)} `;
    from = close.start + close.length;
    index = closing[index] ?? index;
  }
  return plain + text.slice(from);
}
