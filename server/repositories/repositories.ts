import type { Core } from '../core/core.ts';
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { allowReaders } from './catFile.ts';
import { createListings, type Listings } from './listing.ts';
import { createTemporaryFolder } from '../support/temporaryFolder.ts';
import type { PackLimits } from './packLimits.ts';
import { createGitProgram, type GitMetadata, type GitProgram } from './program.ts';

/** Location of a repository: the name of its storage, and the unique name of its folder there. */
export interface RepositoryLocation {
  readonly storage: string;
  readonly folder: string;
}

/** Name of the storage that always exists: a folder of the data folder. */
export const DEFAULT_STORAGE = 'default';

/** The core with the repositories. */
export interface GitCore extends Core {
  readonly repositories: Repositories;
  readonly packLimits: PackLimits;
  /** Snapshots of the database. Undefined if repositories that are not in the database must stay. */
  readonly snapshots: { list(): readonly unknown[] } | undefined;
}

/** The repository folders on disk, and the git program that works in them. Independent of projects. */
export interface Repositories {
  readonly git: GitProgram;
  /** Names of the storages, the default one first. */
  readonly storages: readonly string[];
  readonly listings: Listings;
  /** Cache of tree ids by commit and path, which are immutable; used for the next pages of a listing. */
  readonly trees: Map<string, string>;
  /** Returns a unique name for a new repository. */
  newName(): string;
  /** Returns the folder of a storage. Throws if the storage is not configured. */
  rootOf(storage: string): string;
  /** Returns the path of a repository. Throws if the storage is not configured. */
  folderOf(location: RepositoryLocation): string;
  /** Creates an empty bare repository with this default branch, unless it exists. */
  create(location: RepositoryLocation, branch: string): void;
  /** Removes the folder of a repository that is not in use. */
  discard(location: RepositoryLocation): void;
  /**
   * Returns where the folder of a repository is: on its storage, or else on another one, where it was moved after its location was stored.
   * Returns undefined if no storage has it.
   */
  find(location: RepositoryLocation): RepositoryLocation | undefined;
  /**
   * Removes what killed servers left on all storages: incomplete folders, old copies, and links of moved repositories. With `withUnknown`,
   * also the folders of repositories that are not in `known`.
   */
  sweep(known: readonly RepositoryLocation[], withUnknown: boolean): void;
  /** Runs tasks on one repository one after the other. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Returns a promise of the end of all tasks on a repository, or undefined if there are none. */
  busy(name: string): Promise<unknown> | undefined;
  /** Returns new repositories on the same folders, which know nothing of the database of these. Afterwards, `stop` removes no files. */
  reopened(): Repositories;
  /** Stops git, and removes the files of a server without a data folder. */
  stop(): void;
}

/** Suffix of an incomplete folder. */
export const PART = '.part';
/** Suffix of an old copy that is being removed. */
export const GONE = '.gone';
const LEFTOVER = /\.git\.(?:part|gone)$/;

/** Maximum size of cached tree listings, in bytes. */
const MAX_LISTED = 32 * 1024 * 1024;

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/**
 * Creates the repositories. Without a `dataFolder` the default storage is in a temporary folder, which is removed on exit. `storages` maps
 * the names of further storages to their folders.
 */
export function createRepositories(
  dataFolder: string | undefined,
  metadata: GitMetadata,
  storages: ReadonlyMap<string, string> = new Map(),
  temporary = createTemporaryFolder('repositories'),
): Repositories {
  const git = createGitProgram(metadata);
  allowReaders(git);
  const queues = new Map<string, Promise<unknown>>();
  let ownsFolder = true;

  /** Returns the folder of the default storage, which is created on first use. */
  const defaultRoot = (): string => {
    if (dataFolder !== undefined) return path.join(dataFolder, 'repositories', DEFAULT_STORAGE);
    return path.join(temporary.path(), DEFAULT_STORAGE);
  };
  const rootOf = (storage: string): string => {
    const folder = storage === DEFAULT_STORAGE ? defaultRoot() : storages.get(storage);
    if (folder === undefined) throw new Error(`the repository storage "${storage}" is not configured`);
    return folder;
  };
  const names = [DEFAULT_STORAGE, ...storages.keys()];
  const folderOf = ({ storage, folder }: RepositoryLocation): string =>
    path.join(rootOf(storage), '@hashed', folder.slice(0, 2), folder.slice(2, 4), `${folder}.git`);
  const find: Repositories['find'] = (location) => {
    const others = names.map((storage) => ({ storage, folder: location.folder }));
    const found = [location, ...others].find((one) => isFolder(folderOf(one)));
    return found ?? (existsSync(folderOf(location)) ? location : undefined);
  };

  return {
    git,
    listings: createListings(MAX_LISTED),
    trees: new Map(),
    storages: names,
    newName: () => randomBytes(32).toString('hex'),
    rootOf,
    folderOf,
    create: (location, branch) => {
      const folder = folderOf(location);
      if (existsSync(folder)) return;
      const draft = `${folder}${PART}`;
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true, mode: 0o700 });
      // Creates the layout of `git init --bare` (gitrepository-layout(5)), independent of the defaults of the installed git.
      for (const inner of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
        mkdirSync(path.join(draft, inner), { recursive: true });
      writeFileSync(path.join(draft, 'config'), CONFIG);
      writeFileSync(path.join(draft, 'HEAD'), `ref: refs/heads/${branch}\n`);
      renameSync(draft, folder);
    },
    discard: (location) => rmSync(folderOf(location), { recursive: true, force: true }),
    find,
    sweep: (known, withUnknown) => {
      const storageByFolder = new Map(known.map(({ storage, folder }) => [folder, storage]));
      for (const storage of names) {
        for (const entry of entriesOf(path.join(rootOf(storage), '@hashed'), 3)) {
          const folder = path.basename(entry).replace(/\.git$/, '');
          const knownStorage = storageByFolder.get(folder);
          // A folder that is missing on its storage can be elsewhere, if a snapshot from before its move was restored.
          const isUsed = knownStorage !== undefined && find({ storage: knownStorage, folder })?.storage === storage;
          if (isUsed) continue;
          if (lstatSync(entry).isSymbolicLink()) unlinkSync(entry);
          else if (withUnknown || LEFTOVER.test(entry)) rmSync(entry, { recursive: true, force: true });
        }
      }
    },
    exclusively: async (name, work) => {
      const before = queues.get(name) ?? Promise.resolve();
      const mine = before.then(work, work);
      queues.set(name, mine);
      try {
        return await mine;
      } finally {
        if (queues.get(name) === mine) queues.delete(name);
      }
    },
    busy: (name) =>
      queues.get(name)?.then(
        () => undefined,
        () => undefined,
      ),
    reopened: () => {
      ownsFolder = false;
      return createRepositories(dataFolder, metadata, storages, temporary);
    },
    stop: () => {
      git.stop();
      if (ownsFolder) temporary.remove();
    },
  };
}

/** Returns true for a folder, and false for a link to one. */
function isFolder(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Returns all entries at a depth of folders. */
function entriesOf(folder: string, depth: number): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const entry = path.join(folder, name);
    return depth === 1 ? [entry] : entriesOf(entry, depth - 1);
  });
}
