import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { comparableAddress } from '../contract/hosts.ts';
import { isOfInstance } from '../dsn/find.ts';
import type { ErrorProject, ProjectAddress } from '../errorTracking/source.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import type { WorkspaceRemotes } from '../workspace/gitRemotes.ts';
import { createProjectResponses } from './responses.ts';
import { createDsnFiles, type FileWithDsns } from './dsnFiles.ts';
import { createProjectFolders } from './projectFolders.ts';
import { firstReferences, isSameProject, type ProjectReference, rootOf, rootsIn } from './references.ts';

/** Folders that projects belong to, by the git remotes and DSNs in them. */
export interface FolderOwners {
  /** Returns the URIs of the folders of a project; none if no open folder is of it. */
  readonly rootsOf: (project: ErrorProject) => readonly string[];
  /** Returns the URI of the innermost folder with projects of its own that a file is in. */
  readonly rootOf: (file: vscode.Uri) => string | undefined;
}

/** Projects of the open folders, and of the repositories inside of them. */
export interface WorkspaceProjects extends FolderOwners, vscode.Disposable {
  /**
   * Asks the instances for the projects of the folders that files are in, each once. Returns false while the folders are searched;
   * `onDidChange` fires then.
   */
  readonly want: (files: readonly vscode.Uri[]) => boolean;
  /** Returns true if a file is in a folder of a project, false if it is in a folder of another one; undefined if neither is known. */
  readonly isOf: (project: ErrorProject, file: vscode.Uri) => boolean | undefined;
  /** Resolves when the folders and their files have been searched. */
  readonly searched: () => Promise<void>;
  /** Returns the projects that instances have confirmed, each once. */
  readonly all: () => readonly ErrorProject[];
  /** Returns true if two projects are the same one, whichever accounts see them. */
  readonly isSame: (one: ErrorProject, other: ErrorProject) => boolean;
  readonly onDidChange: vscode.Event<void>;
}

export interface WorkspaceProjectSettings {
  readonly connection: Connection;
  readonly remotes: WorkspaceRemotes;
  readonly project: CurrentProject;
}

/** Instance with the accounts that are asked, one after the other, until one sees a project. */
interface Asked {
  readonly address: string;
  readonly accounts: readonly BoundAccount[];
}

export function createProjects({ connection, remotes, project }: WorkspaceProjectSettings): WorkspaceProjects {
  const changes = new vscode.EventEmitter<void>();
  const folders = createProjectFolders(remotes);
  const files = createDsnFiles();
  const responses = createProjectResponses(() => update());
  let wanted: readonly string[] = [];
  let references: readonly ProjectReference[] = [];

  /** Returns the signed-in accounts by instance. Names and addresses of this machine are one instance. */
  function instances(): readonly Asked[] {
    const groups = Map.groupBy(connection.usable(), (account) => comparableAddress(account.address() ?? ''));
    return [...groups].map(([address, accounts]) => ({ address, accounts }));
  }

  function responseTo(reference: ProjectReference, asks: boolean): ErrorProject | 'pending' | undefined {
    const accounts = instances().find(({ address }) => address === reference.address)?.accounts ?? [];
    return responses.of(reference, accounts, asks);
  }

  /** Selects the project that a DSN names, if nothing else says which one it is. */
  function select(): void {
    const account = connection.current();
    const address = account?.address();
    if (account === undefined || address === undefined || !isReady()) return;
    let found: ErrorProject | undefined;
    for (const reference of references) {
      if (reference.address !== comparableAddress(address) || typeof reference.project === 'string') continue;
      const response = responses.of(reference, [account], !project.isSure());
      if (response === 'pending') return;
      if (response === undefined) continue;
      found = response;
      break;
    }
    project.setOfDsn(account.instance, found && { id: Number(found.id), path: found.path });
  }

  function update(): void {
    responses.keepOnly(connection.usable());
    references = readReferences(
      folders.all(),
      instances().map(({ address }) => address),
      remotes,
      files.all(),
    );
    if (isReady()) {
      askWanted();
      select();
    }
    changes.fire();
  }

  function askWanted(): void {
    for (const reference of references) if (wanted.includes(reference.root)) responseTo(reference, true);
  }

  function isReady(): boolean {
    return folders.areSearched() && files.search();
  }

  function all(): readonly ErrorProject[] {
    const found: ErrorProject[] = [];
    for (const reference of references) {
      const response = responseTo(reference, false);
      if (response === undefined || response === 'pending') continue;
      if (!found.some((one) => isSame(one, response))) found.push(response);
    }
    return found;
  }

  function addressOf({ account }: ErrorProject): string | undefined {
    const address = connection.bound(account).address();
    return address === undefined ? undefined : comparableAddress(address);
  }

  function isSame(one: ErrorProject, other: ErrorProject): boolean {
    return addressOf(one) === addressOf(other) && isSameProject(one, other);
  }

  function rootsOf(of: ErrorProject): readonly string[] {
    const address = addressOf(of);
    const own = references.filter((reference) => {
      if (reference.address !== address) return false;
      const response = responseTo(reference, false);
      const named: ProjectAddress =
        response === undefined || response === 'pending' ? { id: reference.project, path: String(reference.project) } : response;
      return isSameProject(named, of);
    });
    return rootsIn(own);
  }

  const subscriptions = [
    changes,
    folders,
    files,
    folders.onDidChange(update),
    files.onDidChange(update),
    remotes.onDidChange(update),
    project.onDidChange(select),
    connection.onDidChangeAccounts(update),
  ];
  return {
    want: (visible) => {
      const roots = folders.all();
      wanted = [...new Set(visible.map((file) => rootOf(roots, file.toString())))].filter((root) => root !== undefined);
      if (!isReady()) return false;
      askWanted();
      return true;
    },
    isOf: (of, file) => isInRoots(rootOf(folders.all(), file.toString()), rootsOf(of), references),
    searched: () => untilTrue(() => isReady() && remotes.areKnown(), changes.event),
    all,
    isSame,
    rootsOf,
    rootOf: (file) => rootOf(folders.all(), file.toString()),
    onDidChange: changes.event,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** `root` is the folder of a file, and `roots` are those of a project. */
function isInRoots(
  root: string | undefined,
  roots: readonly string[],
  references: readonly ProjectReference[],
): boolean | undefined {
  if (root !== undefined && roots.includes(root)) return true;
  const isOfOther = references.some((reference) => reference.root === root);
  return roots.length > 0 || isOfOther ? false : undefined;
}

/** Resolves when a condition is true, which may change with each event. */
async function untilTrue(isTrue: () => boolean, event: vscode.Event<void>): Promise<void> {
  while (!isTrue())
    await new Promise<void>((resolve) => {
      const following = event(() => {
        following.dispose();
        resolve();
      });
    });
}

/** Returns what the remotes and DSNs of folders say about projects of these instances. */
function readReferences(
  roots: readonly string[],
  addresses: readonly string[],
  remotes: WorkspaceRemotes,
  files: readonly FileWithDsns[],
): readonly ProjectReference[] {
  const found = addresses.flatMap((address) => [
    ...remotes.projectsOn(address).map(({ folder, path }, at, clones) => ({
      ...{ root: folder.toString(), address, project: path },
      isFirst: clones[at - 1]?.folder !== folder,
    })),
    ...files.flatMap(({ file, dsns }) => {
      const root = rootOf(roots, file.toString());
      const own = dsns.filter((dsn) => isOfInstance(dsn, address));
      return root === undefined ? [] : own.map(({ projectId }) => ({ root, address, project: projectId, isFirst: true }));
    }),
  ]);
  return firstReferences(roots.map((root) => found.filter((one) => one.root === root)));
}
