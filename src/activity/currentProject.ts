import type { Disposable, Event, Memento, Uri } from 'vscode';
import type { Addresses, Connection } from '../instances/connection.ts';
import { createEmitter } from '../support/emitter.ts';
import type { WorkspaceRemotes } from '../workspace/gitRemotes.ts';
import { rootOf } from '../workspaceProjects/references.ts';
import { accountKeyOf, shownAccountKey } from '../instances/currentAccount.ts';
import { type ChosenProject, createPins, createProjectChoice } from './chosenProject.ts';

/** Project that the project views show: the selected one, else that of the open folder, else that of its DSN, else the first pinned one. */
export interface CurrentProject extends Disposable {
  readonly get: () => ChosenProject | undefined;
  /** Returns the project of the folder of a file, by default of the open folder, determined from its git remotes. */
  readonly ofWorkspace: (file?: Uri) => ChosenProject | undefined;
  /** Returns true if the user has selected a project of the current instance, or the open folder is a clone of one. */
  readonly isSure: () => boolean;
  /** Sets the project of the current instance that a DSN in the open folders names. */
  readonly setOfDsn: (instance: string, project: ChosenProject | undefined) => void;
  readonly pinned: () => readonly ChosenProject[];
  readonly isPinned: (project: ChosenProject | undefined) => boolean;
  readonly choose: (instance: string, project: ChosenProject) => Promise<void>;
  readonly setPinned: (isToBePinned: boolean) => Promise<void>;
  /** Fires when the project or its pin may have changed, but not for changes of the connection. */
  readonly onDidChange: Event<void>;
}

export interface CurrentProjectSettings {
  readonly connection: Connection;
  readonly addresses: Addresses;
  readonly workspaceState: Memento;
  readonly globalState: Memento;
  readonly remotes: WorkspaceRemotes;
}

export function createCurrentProject(settings: CurrentProjectSettings): CurrentProject {
  const { connection, remotes } = settings;
  const choice = createProjectChoice(settings.workspaceState);
  const pins = createPins(settings.globalState);
  const changes = createEmitter<void>();
  let ofDsn: { readonly instance: string; readonly project: ChosenProject } | undefined;

  function ofWorkspace(file?: Uri): ChosenProject | undefined {
    const address = settings.addresses(connection.state().instance.key);
    const clones = address === undefined ? [] : remotes.projectsOn(address);
    const root =
      file &&
      rootOf(
        clones.map(({ folder }) => folder.toString()),
        file.toString(),
      );
    const clone = clones.find(({ folder }) => file === undefined || folder.toString() === root);
    return clone && { id: undefined, path: clone.path };
  }

  function sure(): ChosenProject | undefined {
    return choice.get(connection.state().instance.key) ?? ofWorkspace();
  }

  function pinned(): readonly ChosenProject[] {
    const key = shownAccountKey(connection.state());
    return key === undefined ? [] : pins.list(key);
  }

  function get(): ChosenProject | undefined {
    return sure() ?? (ofDsn?.instance === connection.state().instance.key ? ofDsn.project : pinned()[0]);
  }

  const following = remotes.onDidChange(() => changes.fire());
  return {
    get,
    ofWorkspace,
    isSure: () => sure() !== undefined,
    setOfDsn: (instance, project) => {
      const before = ofDsn;
      ofDsn = project && { instance, project };
      if (before?.instance !== ofDsn?.instance || before?.project.path !== project?.path) changes.fire();
    },
    pinned,
    isPinned: (project) => pinned().some(({ path: pin }) => pin === project?.path),
    choose: async (instance, project) => {
      await choice.set(instance, project);
      changes.fire();
    },
    setPinned: async (isToBePinned) => {
      const key = accountKeyOf(connection.state());
      const project = get();
      if (key === undefined || project === undefined) return;
      await (isToBePinned ? pins.pin(key, project) : pins.unpin(key, project));
      changes.fire();
    },
    onDidChange: changes.event,
    dispose: () => {
      following.dispose();
      remotes.dispose();
    },
  };
}
