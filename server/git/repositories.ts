import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { createListings, type Listings } from './listing.ts';
import { createGitProgram, type GitMetadata, type GitProgram } from './program.ts';

/** The repository folders on disk, and the git program that works in them. Independent of projects. */
export interface Repositories {
  readonly git: GitProgram;
  readonly listings: Listings;
  /** Cache of tree ids by commit and path, which are immutable; used for the next pages of a listing. */
  readonly trees: Map<string, string>;
  /** Returns a unique name for a new repository. */
  newName(): string;
  /** Returns the path of a repository by name. */
  folderOf(name: string): string;
  /** Creates an empty bare repository with this default branch, unless it exists. */
  create(name: string, branch: string): void;
  /** Removes the folder of a repository that is not in use yet. */
  discard(name: string): void;
  /** Removes the folders of repositories not in `known`, and incomplete leftovers of killed servers. */
  sweep(known: ReadonlySet<string>): void;
  /** Runs tasks on one repository one after the other. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Stops git, and removes the files of a server without a data folder. */
  stop(): void;
}

const STORAGE = 'default';
/** Maximum size of cached tree listings, in bytes. */
const MAX_LISTED = 32 * 1024 * 1024;

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** Creates the repositories. Without a `dataFolder` they are in a temporary folder, which is removed on exit. */
export function createRepositories(dataFolder: string | undefined, metadata: GitMetadata): Repositories {
  const git = createGitProgram(metadata);
  const queues = new Map<string, Promise<unknown>>();
  let temporary: string | undefined;

  /** Created on first use. */
  const root = (): string => {
    if (dataFolder !== undefined) return path.join(dataFolder, 'repositories', STORAGE);
    if (temporary === undefined) {
      removeAbandoned();
      temporary = mkdtempSync(path.join(tmpdir(), `${temporaryPrefix()}${process.pid}-`));
    }
    return path.join(temporary, STORAGE);
  };
  const folderOf = (name: string): string => path.join(root(), '@hashed', name.slice(0, 2), name.slice(2, 4), `${name}.git`);

  return {
    git,
    listings: createListings(MAX_LISTED),
    trees: new Map(),
    newName: () => randomBytes(32).toString('hex'),
    folderOf,
    create: (name, branch) => {
      const folder = folderOf(name);
      if (existsSync(folder)) return;
      const draft = `${folder}.part`;
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true, mode: 0o700 });
      // Creates the layout of `git init --bare` (gitrepository-layout(5)), independent of the defaults of the installed git.
      for (const inner of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
        mkdirSync(path.join(draft, inner), { recursive: true });
      writeFileSync(path.join(draft, 'config'), CONFIG);
      writeFileSync(path.join(draft, 'HEAD'), `ref: refs/heads/${branch}\n`);
      renameSync(draft, folder);
    },
    discard: (name) => rmSync(folderOf(name), { recursive: true, force: true }),
    sweep: (known) => {
      const hashed = path.join(root(), '@hashed');
      for (const entry of entriesOf(hashed, 3)) {
        if (!known.has(path.basename(entry).replace(/\.git$/, ''))) rmSync(entry, { recursive: true, force: true });
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
    stop: () => {
      git.stop();
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      temporary = undefined;
    },
  };
}

/** Returns all entries at a depth of folders. */
function entriesOf(folder: string, depth: number): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const entry = path.join(folder, name);
    return depth === 1 ? [entry] : entriesOf(entry, depth - 1);
  });
}

/** Process ids are valid on one machine only, and machines can share a temporary folder. */
function temporaryPrefix(): string {
  return `signalbox-repositories-${hostname().replaceAll(/[^A-Za-z0-9]/g, '')}-`;
}

/** Removes the temporary folders of killed servers. */
function removeAbandoned(): void {
  const prefix = temporaryPrefix();
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
