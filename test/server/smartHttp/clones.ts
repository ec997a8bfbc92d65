// A server with projects, and clones of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, type GitClient, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/server.ts';

/** A working folder with its git client. */
export interface Clone {
  readonly git: GitClient;
  readonly dir: string;
}

export interface Clones {
  readonly server: TestServer;
  /** Owner of the projects. */
  readonly ada: Actor;
  /** Folder for clones and other files. */
  readonly folder: string;
  /** Creates a project with one commit. */
  newProject(visibility?: 'private' | 'public'): Promise<FoundProject>;
  /** Clones a repository, by default as the owner. */
  clone(repository: string, as?: Actor, ...options: readonly string[]): Promise<Clone>;
  /** Creates a private project with one commit, and clones it. */
  cloned(): Promise<Clone & { readonly found: FoundProject }>;
  /** Stops the server and removes the folder. */
  close(): Promise<void>;
}

export async function startClones(options: TestServerOptions = {}): Promise<Clones> {
  const server = await startTestServer(options);
  const ada = actor(server.platform, 'ada');
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-clones-'));
  let count = 0;
  const newProject: Clones['newProject'] = async (visibility = 'private') => {
    count += 1;
    const found = projectWith(server.platform, ada, { name: `Lamps ${count}`, visibility }, []);
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    return found;
  };
  const clone: Clones['clone'] = async (repository, as = ada, ...options) => {
    count += 1;
    const dir = path.join(folder, `clone-${count}`);
    await gitClient(folder).succeed('clone', '-q', ...options, addressOf(server, repository, as.token), dir);
    return { git: gitClient(dir), dir };
  };
  return {
    server,
    ada,
    folder,
    newProject,
    clone,
    cloned: async () => {
      const found = await newProject();
      return { found, ...(await clone(found.project.full_path)) };
    },
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    },
  };
}

/** Writes a file, by default with its name as text, and commits it. Returns the ID of the commit. */
export async function commitFile(
  git: GitClient,
  dir: string,
  name: string,
  { text = name, message = `Add ${name}` }: { readonly text?: string; readonly message?: string } = {},
): Promise<string> {
  writeFileSync(path.join(dir, name), text);
  await git.succeed('add', '--', name);
  await git.succeed('commit', '-q', '-m', message);
  return (await git.succeed('rev-parse', 'HEAD')).trim();
}
