import type { Account } from '../auth/sessions.ts';
import type { Mask } from '../support/log.ts';

export interface RedactionSettings {
  readonly mask: Mask;
  /** The person's home directory. */
  readonly container: string;
  /** People whose names the text may hold. */
  readonly people: readonly Pick<Account, 'username' | 'name'>[];
}

const HIDDEN = '•••';

/** Stricter than the log's own mask, because this text goes to other people: short tokens and whole credentials go, too. */
const shapes: readonly RegExp[] = [
  /\bgl[a-z]{2,6}[-_][0-9A-Za-z_.-]{4,}/g,
  /(?<=\b(?:Bearer|Basic)\s+)[^\s"',;]+/gi,
  /(?<=\b(?:private|job|deploy)-token["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
  /(?<=\b(?:set-)?cookie:\s*)\S.*$/gim,
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
];

/** Home directories of anybody, also where they are not this person's: the folder's name is a name of theirs. */
const containers = /(?:\/(?:home|Users)\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s\\/:"'<>|]+/g;

/** Text that may be shown to somebody else: no secret, no home directory, people by one letter. */
export function createRedaction({ mask, container, people }: RedactionSettings): (text: string) => string {
  const spellings = [...new Set([container, container.replaceAll('\\', '/'), container.replaceAll('\\', '\\\\')])].filter(
    (folder) => folder.length > 1,
  );
  return (text) => {
    const masked = shapes.reduce((rest, shape) => rest.replace(shape, HIDDEN), mask.apply(text));
    const homeless = spellings.reduce((rest, folder) => rest.replaceAll(folder, '~'), masked).replace(containers, '~');
    return people.reduce(
      (rest, { username, name }) =>
        rest.replace(mentionOf(username), shortName(username)).replace(wholeName(name), initialOf(name)),
      homeless,
    );
  };
}

/** `@a…` for `@ana`. */
export function shortName(username: string): string {
  return `@${initialOf(username)}`;
}

function initialOf(name: string): string {
  return `${[...name][0] ?? ''}…`;
}

function mentionOf(username: string): RegExp {
  return new RegExp(`@${literal(username)}(?![\\w-])`, 'gu');
}

/** A name of one letter is no name that anybody could be found by. */
function wholeName(name: string): RegExp {
  return name.length < 2 ? /(?!)/ : new RegExp(`(?<![\\p{L}\\p{N}])${literal(name)}(?![\\p{L}\\p{N}])`, 'gu');
}

/** `RegExp.escape`, which Node 22 does not have. */
function literal(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
