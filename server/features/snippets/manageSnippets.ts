import type { Contributions } from '../../core/contributions.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { Action } from '../../repositories/actions.ts';
import { type Draft, readSingle, writeSingle } from '../singleBranchRepositories/singleBranchRepositories.ts';
import { invalidRecord, notFound, refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Visibility } from '../abilities/abilities.ts';
import {
  deleteSnippetRow,
  deleteSnippetsOf,
  handOverProjectSnippets,
  insertSnippet,
  snippetById,
  type SnippetRow,
  writeSnippet,
} from './store.ts';

export type Snippet = SnippetRow;

const MAX_TITLE_LENGTH = 255;
const MAX_FILES = 10;

/** Returns the paths of the files of a snippet, in git's order. */
export function filesOf({ files }: Snippet): string[] {
  const paths: unknown = JSON.parse(files);
  return Array.isArray(paths) ? paths.map(String) : [];
}

export interface NewSnippet {
  /** Undefined for a personal snippet. */
  readonly projectId?: number | undefined;
  readonly title: string;
  readonly description?: string | undefined;
  readonly visibility: Visibility;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/** Creates a snippet with its files, all or nothing. Throws `Invalid` or `Refused` for invalid input, and `Unavailable` without git. */
export async function createSnippet(core: GitCore, author: User, input: NewSnippet): Promise<Snippet> {
  checkTitle(input.title);
  if (input.files.length === 0) throw refusedChange('Snippet must have at least one file');
  const actions = input.files.map(
    ({ path, content }, index): Action => ({ action: 'create', path: named(path, index), content: bytesOf(content) }),
  );
  return writeSingle(core, undefined, author, { message: 'Initial commit', actions }, (draft) => {
    const snippet = addSnippet(core, author, input, draft);
    draft.moveBranch();
    return snippet;
  });
}

/** Creates a snippet from a repository that already has its files. Call in a transaction. Throws like `createSnippet`. */
export function addSnippet(
  core: Core,
  author: User,
  input: Omit<NewSnippet, 'files'>,
  { repositoryId, files }: Pick<Draft, 'repositoryId' | 'files'>,
): Snippet {
  checkTitle(input.title);
  const id = insertSnippet(
    core.store,
    {
      project_id: input.projectId ?? null,
      author_id: author.id,
      repository_id: repositoryId,
      title: input.title,
      description: input.description ?? null,
      visibility: input.visibility,
      files: checkedFiles({ files }),
    },
    core.clock.now(),
  );
  return mustFind(core, id);
}

export interface FileInput {
  readonly action: 'create' | 'update' | 'delete' | 'move';
  readonly path?: string | undefined;
  readonly previousPath?: string | undefined;
  readonly content?: string | undefined;
}

export interface SnippetInput {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly files?: readonly FileInput[] | undefined;
  /** Content of the only file; `fileName` is its name. */
  readonly content?: string | undefined;
  readonly fileName?: string | undefined;
}

/** Updates a snippet and its files, all or nothing; omitted values are kept. Throws `Invalid` or `Refused` for invalid input. */
export async function updateSnippet(core: GitCore, snippet: Snippet, by: User, input: SnippetInput): Promise<Snippet> {
  const { store } = core;
  const values = {
    title: input.title ?? snippet.title,
    description: input.description ?? snippet.description,
    visibility: input.visibility ?? snippet.visibility,
  };
  checkTitle(values.title);
  const write = (files: string): Snippet =>
    store.transaction(() => {
      writeSnippet(store, snippet.id, { ...values, files }, core.clock.now());
      const { id, project_id: projectId } = snippet;
      const { title, visibility } = values;
      const isReported = title !== snippet.title || visibility !== snippet.visibility;
      if (projectId !== null && isReported) {
        core.changes.publish({ kind: 'snippetChanged', snippet: { id, projectId, title, visibility } });
      }
      return mustFind(core, id);
    });
  const actions = actionsOf(snippet, input);
  if (actions.length === 0) return write(snippet.files);
  return writeSingle(core, snippet.repository_id, by, { message: 'Update snippet', actions }, (draft) => {
    if (snippetById(store, snippet.id) === undefined) throw notFound('Snippet');
    const files = checkedFiles(draft);
    draft.moveBranch();
    return write(files);
  });
}

/** Stores the files of a pushed commit. Call in a transaction. Throws `Refused` for invalid files. */
export function storePushedFiles(core: Core, id: number, draft: Draft): void {
  const { store, clock } = core;
  const snippet = snippetById(store, id);
  if (snippet === undefined) throw notFound('Snippet');
  const files = checkedFiles(draft);
  draft.moveBranch();
  writeSnippet(store, id, { ...snippet, files }, clock.now());
}

/** Returns the file actions of an update. */
function actionsOf(snippet: Snippet, { files, content, fileName }: SnippetInput): Action[] {
  if (files !== undefined) {
    return files.map((file, index) => ({
      action: file.action,
      path: named(file.path ?? '', index),
      previousPath: file.action === 'move' ? (file.previousPath ?? '') : undefined,
      content: file.content === undefined ? undefined : bytesOf(file.content),
    }));
  }
  if (content === undefined && fileName === undefined) return [];
  const [only = '', ...others] = filesOf(snippet);
  if (others.length > 0) throw refusedChange('To update Snippets with multiple files, you must use the `files` parameter');
  const bytes = content === undefined ? undefined : bytesOf(content);
  if (fileName === undefined || fileName === only)
    return bytes === undefined ? [] : [{ action: 'update', path: only, content: bytes }];
  return [{ action: 'move', path: fileName, previousPath: only, content: bytes }];
}

/** Returns the path, or a default name for a file without one. */
function named(path: string, index: number): string {
  return path === '' ? `snippetfile${index + 1}.txt` : path;
}

function bytesOf(content: string): Buffer {
  return Buffer.from(content.toWellFormed());
}

function checkTitle(title: string): void {
  if (title.trim() === '') throw invalidRecord({ title: ["can't be blank"] });
  if (title.length > MAX_TITLE_LENGTH)
    throw invalidRecord({ title: [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`] });
}

function checkedFiles({ files }: Pick<Draft, 'files'>): string {
  if (files.length === 0) throw refusedChange('Snippet must have at least one file');
  if (files.length > MAX_FILES) throw refusedChange(`Snippet files can't be more than ${MAX_FILES}`);
  return JSON.stringify(files);
}

/** Deletes a snippet; its folder is removed at the next start of the server. */
export function deleteSnippet(core: Core, snippet: Snippet): void {
  deleteSnippetRow(core.store, snippet.id);
}

/** Snippets of deleted accounts. Personal snippets always go with their author. */
export const snippetContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => {
    handOverProjectSnippets(store, fromUserId, toUserId);
    deleteSnippetsOf(store, fromUserId);
  },
  remove: ({ store }, userId) => deleteSnippetsOf(store, userId),
};

/** Returns the content of a file of a snippet; undefined if it does not exist. Throws `Unavailable` without git. */
export function readSnippetFile(core: GitCore, snippet: Snippet, path: string): Promise<Buffer | undefined> {
  return readSingle(core, snippet.repository_id, path);
}

function mustFind(core: Core, id: number): Snippet {
  const snippet = snippetById(core.store, id);
  if (snippet === undefined) throw new Error(`snippet ${id} does not exist`);
  return snippet;
}
