import type { Account } from '../auth/session.ts';
import type { Mask } from '../support/log.ts';

export interface RedactionSettings {
  readonly mask: Mask;
  /** Home folder of the user. */
  readonly homeFolder: string;
  /** Accounts whose names may occur in the text. */
  readonly accounts: readonly Pick<Account, 'username' | 'name'>[];
}

const HIDDEN = '•••';

/** Additional secrets. Stricter than the log mask, because the text is shared: short tokens and whole credentials are included. */
const shapes: readonly RegExp[] = [
  /\bgl[a-z]{2,6}[-_][0-9A-Za-z_.-]{4,}/g,
  /(?<=\b(?:Bearer|Basic)\s+)[^\s"',;]+/gi,
  /(?<=\b(?:private|job|deploy)-token["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
  /(?<=\b(?:set-)?cookie:\s*)\S.*$/gim,
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
];

/** Home folders of any user, because the folder name is usually the username. */
const homeFolders = /(?:\/(?:home|Users)\/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s\\/:"'<>|]+/g;

/** Returns a function that removes secrets and home folders from a text and shortens names to one letter. */
export function createRedaction({ mask, homeFolder, accounts }: RedactionSettings): (text: string) => string {
  const spellings = [...new Set([homeFolder, homeFolder.replaceAll('\\', '/'), homeFolder.replaceAll('\\', '\\\\')])].filter(
    (folder) => folder.length > 1,
  );
  return (text) => {
    const masked = shapes.reduce((rest, shape) => rest.replace(shape, HIDDEN), mask.apply(text));
    const withoutFolders = spellings.reduce((rest, folder) => rest.replaceAll(folder, '~'), masked).replace(homeFolders, '~');
    return accounts.reduce(
      (rest, { username, name }) =>
        rest.replace(mentionOf(username), shortName(username)).replace(wholeName(name), initialOf(name)),
      withoutFolders,
    );
  };
}

/** Returns a shortened username, such as `@a…` for `@ana`. */
export function shortName(username: string): string {
  return `@${initialOf(username)}`;
}

function initialOf(name: string): string {
  return `${[...name][0] ?? ''}…`;
}

function mentionOf(username: string): RegExp {
  return new RegExp(`@${escapeRegExp(username)}(?![\\w-])`, 'gu');
}

/** Matches a full name; names of one letter match nothing, because they identify nobody. */
function wholeName(name: string): RegExp {
  return name.length < 2 ? /(?!)/ : new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(name)}(?![\\p{L}\\p{N}])`, 'gu');
}

/** Escapes text for a regular expression; Node 22 has no `RegExp.escape`. */
function escapeRegExp(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
