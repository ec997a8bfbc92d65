import { withoutEnd } from '../../support/trim.ts';

/** A line of a comment with a command such as `/label ~bug`. */
export interface QuickAction {
  readonly name: string;
  /** The rest of the line, trimmed. */
  readonly argument: string;
}

/** Maximum number of quick actions in a comment. */
export const MAX_QUICK_ACTIONS = 100;

/**
 * Returns the quick actions of a comment and the remaining text. Lines in code blocks and unknown names are text. Stops one action after
 * the maximum.
 */
export function splitQuickActions(
  body: string,
  known: readonly string[],
): { readonly text: string; readonly actions: readonly QuickAction[] } {
  const actions: QuickAction[] = [];
  // Only lines that start like an action or a fence are copied and matched, because there can be half a million lines.
  const stored: string[] = [];
  let storedUntil = 0;
  let fence: string | undefined;
  for (let start = 0, end = 0; start <= body.length && actions.length <= MAX_QUICK_ACTIONS; start = end + 1) {
    end = body.indexOf('\n', start);
    if (end < 0) end = body.length;
    const isCommand = body.charCodeAt(start) === SLASH;
    if (end - start < 2 || (isCommand && fence !== undefined)) continue;
    if (!isCommand) {
      if (!canBeginFence(body, start)) continue;
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

/** Returns true if a line can start a fence, which is indented by at most three spaces. */
function canBeginFence(body: string, start: number): boolean {
  for (let at = start; at <= start + 3; at += 1) {
    const character = body.charAt(at);
    if (character === '`' || character === '~') return true;
    if (character === '\n' || character.trim() !== '') return false;
  }
  return false;
}

/** Returns the first `limit` users in an argument such as `@ada @bob`. */
export function namedPeople(argument: string, limit: number): string[] {
  return firstMatches(argument, /@([\w.-]+)/g, limit).map((match) => withoutEnd(match[1] ?? '', '.'));
}

/** Returns the first `limit` labels in an argument such as `~bug ~"needs work"`; the tilde is optional. */
export function namedLabels(argument: string, limit: number): string[] {
  return firstMatches(argument, /~?"([^"]+)"|~?([^\s~"]+)/g, limit).map((match) => match[1] ?? match[2] ?? '');
}

function firstMatches(text: string, pattern: RegExp, limit: number): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length === limit) break;
    found.push(match);
  }
  return found;
}

/** Formats labels for a message: `~bug ~"needs work" labels`. */
export function formatLabels(labels: readonly string[]): string {
  const text = labels.map((label) => (/^[\w.:-]+$/.test(label) ? `~${label}` : `~"${label}"`)).join(' ');
  return `${text} ${labels.length === 1 ? 'label' : 'labels'}`;
}
