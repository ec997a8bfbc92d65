// Decides which code of the open folders may be in texts that leave the machine, such as results for language models. Everything that writes
// such texts gets code from here only. Whoever knows a DSN chooses the files, lines and names of frames.
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CodeLine } from '../contract/errorDetail.ts';
import type { RunGit } from '../workspace/runGit.ts';
import { isCommonLine } from './commonLines.ts';
import { definesFrame, type NamedFrame } from './definitions.ts';
import { matcherOf } from './place.ts';
import { isPrivateFile } from './privateFiles.ts';

/** Number of lines before and after the line of a frame that are shared. */
const CONTEXT_LINES = 5;
/** Number of lines above and below the line of a frame in which its function or class has to be defined. A decorator is above its function. */
const LINES_ABOVE = 50;
const LINES_BELOW = 5;
/** Maximum number of characters of a line that are shared, and that are searched for a definition. */
const MAX_LINE = 400;
/** Maximum size of a file, in bytes. */
const MAX_SIZE = 2 * 1024 * 1024;
/** Number of characters from which a part of a long line tells the line. SDKs send 140. */
const MIN_PART = 60;

/** Frame whose code is wanted. */
export interface FrameInFile extends NamedFrame {
  /** Absolute path of the open folder and of the file in it. */
  readonly folder: string;
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The line as the event has it; undefined if the event has none. */
  readonly code: string | undefined;
  /** True if the file is in a folder of the project of the error. */
  readonly isOfProject: boolean;
}

type SharedCode =
  | { readonly kind: 'code'; readonly lines: readonly CodeLine[] }
  /** `because` ends the sentence “The line is left out, because …”. */
  | { readonly kind: 'leftOut'; readonly because: string };

/** Frame of an error with its code in the open folders. */
export interface SharedFrame {
  /** Path in the workspace. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly code: SharedCode;
}

/** Reasons why code is left out, in English, because language models read them. */
const reasons = {
  private: 'dot files, keys and credentials are never shared',
  outside: 'a symbolic link leads out of the repository or the open folder',
  gitFailed: 'git cannot say whether it tracks the file',
  untracked: 'git does not track the file',
  ignored: 'git ignores the file',
  unreadable: 'the file is missing or too large',
  otherLine: 'the file has another line there than the event',
  otherFunction: 'the function of the frame is not defined near the line',
  unproven: 'the event does not have the line, and no folder with a repository belongs to the project',
} as const;

/** Returns the code around the line of a frame if it may leave the machine. */
export async function codeToShare(frame: FrameInFile, git: RunGit): Promise<SharedCode> {
  const file = await fileToShare(frame, git);
  if ('reason' in file) return leftOut(file.reason);
  const text = await textOf(file.path);
  if (text === undefined) return leftOut('unreadable');
  const lines = text.split(/\r?\n/);
  const doubt = doubtOf(lines, frame, file.isTracked);
  if (doubt !== undefined) return leftOut(doubt);
  const first = Math.max(1, frame.line - CONTEXT_LINES);
  const shared = lines.slice(first - 1, frame.line + CONTEXT_LINES);
  return { kind: 'code', lines: shared.map((one, at) => ({ line: first + at, text: one.slice(0, MAX_LINE) })) };
}

type Reason = keyof typeof reasons;

function leftOut(reason: Reason): SharedCode {
  return { kind: 'leftOut', because: reasons[reason] };
}

interface FileToShare {
  /** Without symbolic links. */
  readonly path: string;
  /** False in a folder without git. */
  readonly isTracked: boolean;
}

async function fileToShare({ folder, file }: FrameInFile, git: RunGit): Promise<FileToShare | { readonly reason: Reason }> {
  if (isPrivateFile(relative(folder, file))) return { reason: 'private' };
  const realFolder = await realPath(folder);
  const real = await realPath(file);
  if (realFolder === undefined || real === undefined) return { reason: 'unreadable' };
  const root = await repositoryOf(real);
  if (root !== (await repositoryOf(path.join(realFolder, path.relative(folder, file))))) return { reason: 'outside' };
  const inside = relative(root ?? realFolder, real);
  if (inside.startsWith('../') || path.isAbsolute(inside)) return { reason: 'outside' };
  if (isPrivateFile(inside)) return { reason: 'private' };
  const reason = root === undefined ? undefined : await untrackedBecause(git, root, inside);
  return reason === undefined ? { path: real, isTracked: root !== undefined } : { reason };
}

function relative(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/');
}

async function realPath(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}

/** Returns the innermost folder around a file that is a repository. Submodules and further work trees have a file `.git`. */
async function repositoryOf(file: string): Promise<string | undefined> {
  const folder = path.dirname(file);
  if (folder === file) return undefined;
  const isRepository = await stat(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
  return isRepository ? folder : repositoryOf(folder);
}

async function untrackedBecause(git: RunGit, root: string, file: string): Promise<Reason | undefined> {
  try {
    if (!(await isListed(git, root, file, []))) return 'untracked';
    // A file can have been added although it is ignored.
    return (await isListed(git, root, file, ['--ignored', '--exclude-standard'])) ? 'ignored' : undefined;
  } catch {
    // Without the program, in a workspace that is not trusted, and in a repository of another user.
    return 'gitFailed';
  }
}

async function isListed(git: RunGit, root: string, file: string, options: readonly string[]): Promise<boolean> {
  return (await git(root, ['ls-files', '-z', '--cached', ...options, '--', file])).split('\0').includes(file);
}

/** Returns the text of a file on the disk; edits that are not saved are not shared. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).size > MAX_SIZE ? undefined : await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns why the line may not be that of the frame; undefined if the event shows that its program has the same code. */
function doubtOf(lines: readonly string[], frame: FrameInFile, isTracked: boolean): Reason | undefined {
  const { line, code, isOfProject } = frame;
  const text = lines[line - 1];
  if (text === undefined || (code !== undefined && !isSameLine(text, code))) return 'otherLine';
  if (code !== undefined && !isGuessable(code)) return undefined;
  if (!isTracked || !isOfProject) return 'unproven';
  const near = lines.slice(Math.max(0, line - 1 - LINES_ABOVE), line + LINES_BELOW).map((one) => one.slice(0, MAX_LINE));
  return definesFrame(near.join('\n'), frame) ? undefined : 'otherFunction';
}

/** Beginnings of files. */
const BOILERPLATE =
  /^(?:<\?(?:php|xml)\b.*|<!doctype\b.*|#!.*|(['"])use \w+\1;?|(?:import|from|package|namespace|using|use|require|include|#include)\b.{0,40})$/i;

/** Returns true for a line that many files have, such as `}`, so that everybody can guess it. */
function isGuessable(code: string): boolean {
  return isCommonLine(code) || BOILERPLATE.test(code.trim());
}

function isSameLine(text: string, code: string): boolean {
  const middle = code.replace(/^'\{snip\} /, '').replace(/ \{snip\}$/, '');
  return (middle === code || middle.replace(/\s+/g, '').length >= MIN_PART) && matcherOf(code)(text);
}
