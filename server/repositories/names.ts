import { trimmed, withoutEnd } from '../support/trim.ts';
import { shortTitle } from './shortFields.ts';

/** Maximum length of file paths and of branch and tag names, in bytes of UTF-8. */
const MAX_PATH_LENGTH = 4096;
const MAX_REF_LENGTH = 1024;
/** Maximum length of a path segment on common file systems, minus the suffix of lock files. */
const MAX_PART_LENGTH = 250;
/** Maximum number of parent directories of a written file. */
const MAX_FOLDERS = 100;

const CONTROL = /\p{Cc}/u;

/**
 * Returns true if a name is valid for a branch or tag in git (git-check-ref-format) and in the API, which also forbids full
 * object ids and a leading dash.
 */
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

/** Returns true for a full object id. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** Returns true for an abbreviated object id that is long enough for git to look up. */
export function isShortObjectId(text: string): boolean {
  return /^[0-9a-f]{4,40}$/.test(text);
}

/** Normalizes a path parameter: leading and trailing slashes are ignored. */
export function plainPath(path: string): string {
  return trimmed(path, '/');
}

/** Returns true if a path without leading and trailing slashes is valid in a tree. */
export function isTreePath(path: string): boolean {
  return (
    path.isWellFormed() &&
    Buffer.byteLength(path) <= MAX_PATH_LENGTH &&
    !path.includes('\0') &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** Returns the error message for the wire if a file cannot be written at the path; otherwise undefined. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'You must provide a file path';
  if (path.split('/').includes('..')) return 'Path cannot include directory traversal';
  const parts = path.split('/');
  const isFine =
    isTreePath(path) && !CONTROL.test(path) && !path.includes('\\') && parts.length <= MAX_FOLDERS && !parts.some(isGitFolder);
  return isFine ? undefined : `invalid path: '${path.slice(0, 200)}'`;
}

/**
 * Returns true if a file system could resolve a path segment to `.git`, ignoring case and the characters that file systems
 * ignore.
 */
function isGitFolder(part: string): boolean {
  const [beginning = ''] = part.replaceAll(/\p{Cf}/gu, '').split(':', 1);
  const plain = withoutEnd(beginning, '. ').toLowerCase();
  return plain === '.git' || plain === 'git~1';
}

/** Returns a name or email address that is safe in a git signature: not empty, and without the characters that end it. */
export function identText(text: string, otherwise: string): string {
  const plain = trimmed(text.toWellFormed().replaceAll(/[\p{Cc}<>]/gu, ''), ' .,:;"\'\\');
  return plain === '' ? otherwise : plain;
}

/** Returns the readme among some files, by preference of format. */
export function readmeAmong(files: readonly string[]): string | undefined {
  const kinds = ['.md', '.markdown', '.mkd', '.rst', '.adoc', '.asciidoc', '.org', '.txt', ''];
  for (const kind of kinds) {
    const found = files.find((file) => file.toLowerCase() === `readme${kind}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first line of a message, or the beginning of a long one. */
export function titleOf(message: string): string {
  return shortTitle(message.trimStart().split('\n', 1)[0]?.trimEnd() ?? '');
}
