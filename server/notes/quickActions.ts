import { withoutEnd } from '../trim.ts';

/** A line of a comment that does something, such as `/label ~bug`. */
export interface QuickAction {
  readonly name: string;
  /** The rest of the line, without spaces at its ends. */
  readonly argument: string;
}

/** A comment with more quick actions is refused. */
export const MAX_QUICK_ACTIONS = 100;

/**
 * The quick actions of a comment and what is left of it without them. Lines of code, and names that are not known, are text. Stops after
 * one action more than a comment may have.
 */
export function splitQuickActions(
  body: string,
  known: readonly string[],
): { readonly text: string; readonly actions: readonly QuickAction[] } {
  const actions: QuickAction[] = [];
  // Lines are neither copied nor matched unless they begin like an action or a fence: there may be half a million of them.
  const stored: string[] = [];
  let storedUntil = 0;
  let fence: string | undefined;
  for (let start = 0, end = 0; start <= body.length && actions.length <= MAX_QUICK_ACTIONS; start = end + 1) {
    end = body.indexOf('\n', start);
    if (end < 0) end = body.length;
    const isCommand = body.charCodeAt(start) === SLASH;
    if (end - start < 2 || (isCommand && fence !== undefined)) continue;
    if (!isCommand) {
      if (!mayBeginFence(body, start)) continue;
      const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(body.slice(start, end))?.[1];
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    const line = body.slice(start, end);
    const name = /^\/([a-z_]+)(?=[ \t]|\s*$)/i.exec(line)?.[1]?.toLowerCase();
    if (name === undefined || !known.includes(name)) continue;
    actions.push({ name, argument: line.slice(name.length + 1).trim() });
    stored.push(body.slice(storedUntil, start));
    storedUntil = end + 1;
  }
  return { text: actions.length === 0 ? body : `${stored.join('')}${body.slice(storedUntil)}`.trim(), actions };
}

const SLASH = 0x2f;

/** Whether one of the first characters of a line can begin a fence: up to three spaces stand before it. */
function mayBeginFence(body: string, start: number): boolean {
  for (let at = start; at <= start + 3; at += 1) {
    const character = body.charAt(at);
    if (character === '`' || character === '~') return true;
    if (character === '\n' || character.trim() !== '') return false;
  }
  return false;
}

/** People named in an argument: `@ada @bob`; the first `most` of them. */
export function namedPeople(argument: string, most: number): string[] {
  return firstMatches(argument, /@([\w.-]+)/g, most).map((match) => withoutEnd(match[1] ?? '', '.'));
}

/** Labels named in an argument: `~bug ~"needs work"`, with or without the sign; the first `most` of them. */
export function namedLabels(argument: string, most: number): string[] {
  return firstMatches(argument, /~?"([^"]+)"|~?([^\s~"]+)/g, most).map((match) => match[1] ?? match[2] ?? '');
}

function firstMatches(text: string, pattern: RegExp, most: number): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length === most) break;
    found.push(match);
  }
  return found;
}

/** Labels as an answer names them: `~bug ~"needs work" labels`. */
export function formatLabels(labels: readonly string[]): string {
  const text = labels.map((label) => (/^[\w.:-]+$/.test(label) ? `~${label}` : `~"${label}"`)).join(' ');
  return `${text} ${labels.length === 1 ? 'label' : 'labels'}`;
}
