import { trimmed, withoutEnd } from '../trim.ts';

/** Longest path of a file and longest name of a branch or tag, in bytes of UTF-8. */
const MAX_PATH_LENGTH = 4096;
const MAX_REF_LENGTH = 1024;
/** What a file system allows for one part of a path, less the ending of a lock. */
const MAX_PART_LENGTH = 250;
/** Folders around a file that is written. */
const MAX_FOLDERS = 100;

const CONTROL = /\p{Cc}/u;

/** Whether git allows a name for a branch or tag (git-check-ref-format), and the platform too: no full object id, no dash in front. */
export function isRefName(name: string): boolean {
  return (
    name !== '' &&
    name !== '@' &&
    name !== 'HEAD' &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= MAX_REF_LENGTH &&
    !CONTROL.test(name) &&
    !/[ ~^:?*[\\]|\.\.|@\{|\.$|^-|^refs\//.test(name) &&
    !isObjectId(name) &&
    name
      .split('/')
      .every(
        (part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= MAX_PART_LENGTH,
      )
  );
}

/** A whole object id. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** The beginning of an object id, long enough for git to look for it. */
export function isShortObjectId(text: string): boolean {
  return /^[0-9a-f]{4,40}$/.test(text);
}

/** A path as the API takes it: slashes in front and behind do not count. */
export function plainPath(path: string): string {
  return trimmed(path, '/');
}

/** Whether a path, without slash in front and behind, can stand in a tree. */
export function isTreePath(path: string): boolean {
  return (
    path.isWellFormed() &&
    Buffer.byteLength(path) <= MAX_PATH_LENGTH &&
    !path.includes('\0') &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** What is wrong with the path of a file that is to be written, in the words of the wire; undefined when nothing is. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'You must provide a file path';
  if (path.split('/').includes('..')) return 'Path cannot include directory traversal';
  const parts = path.split('/');
  const isFine =
    isTreePath(path) && !CONTROL.test(path) && !path.includes('\\') && parts.length <= MAX_FOLDERS && !parts.some(isGitFolder);
  return isFine ? undefined : `invalid path: '${path.slice(0, 200)}'`;
}

/** Whether a file system could take a part of a path for the folder of git: in any case, with what it ignores left out. */
function isGitFolder(part: string): boolean {
  const [beginning = ''] = part.replaceAll(/\p{Cf}/gu, '').split(':', 1);
  const plain = withoutEnd(beginning, '. ').toLowerCase();
  return plain === '.git' || plain === 'git~1';
}

/** A person's name or address as git writes it into a commit: neither empty nor with what ends it there. */
export function identText(text: string, otherwise: string): string {
  const plain = trimmed(text.toWellFormed().replaceAll(/[\p{Cc}<>]/gu, ''), ' .,:;"\'\\');
  return plain === '' ? otherwise : plain;
}

/** The file of a folder that is shown as its description; the first kind that there is. */
export function readmeAmong(files: readonly string[]): string | undefined {
  const kinds = ['.md', '.markdown', '.mkd', '.rst', '.adoc', '.asciidoc', '.org', '.txt', ''];
  for (const kind of kinds) {
    const found = files.find((file) => file.toLowerCase() === `readme${kind}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first line of a message. */
export function titleOf(message: string): string {
  return message.trimStart().split('\n', 1)[0]?.trimEnd() ?? '';
}
