import { withoutEnd } from '../trim.ts';

/** A line of a comment that does something, such as `/label ~bug`. */
export interface QuickAction {
  readonly name: string;
  /** The rest of the line, without spaces at its ends. */
  readonly argument: string;
}

/** A comment with more quick actions is refused. */
export const MAX_QUICK_ACTIONS = 100;

/** The quick actions of a comment and what is left of it without them. Lines of code, and names that are not known, are text. */
export function splitQuickActions(
  body: string,
  known: readonly string[],
): { readonly text: string; readonly actions: readonly QuickAction[] } {
  const actions: QuickAction[] = [];
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true) fence = undefined;
    const match = fence === undefined && mark === undefined ? /^\/([a-z_]+)(?=[ \t]|\s*$)/i.exec(line) : null;
    const name = match?.[1]?.toLowerCase();
    if (name !== undefined && known.includes(name)) actions.push({ name, argument: line.slice(name.length + 1).trim() });
    else kept.push(line);
  }
  return { text: actions.length === 0 ? body : kept.join('\n').trim(), actions };
}

/** People named in an argument: `@ada @bob`. */
export function namedPeople(argument: string): string[] {
  return [...argument.matchAll(/@([\w.-]+)/g)].map((match) => withoutEnd(match[1] ?? '', '.'));
}

/** Labels named in an argument: `~bug ~"needs work"`, with or without the sign. */
export function namedLabels(argument: string): string[] {
  return [...argument.matchAll(/~?"([^"]+)"|~?([^\s~"]+)/g)].map((match) => match[1] ?? match[2] ?? '');
}

/** Labels as an answer names them: `~bug ~"needs work" labels`. */
export function labelWords(labels: readonly string[]): string {
  const words = labels.map((label) => (/^[\w.:-]+$/.test(label) ? `~${label}` : `~"${label}"`)).join(' ');
  return `${words} ${labels.length === 1 ? 'label' : 'labels'}`;
}
