import type * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { clientOfAccount } from '../instances/clientOfAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import { sleep } from '../support/sleep.ts';
import { queryOfFilter } from './filter.ts';
import { createErrorList, type ErrorList, type ErrorListSource } from './model.ts';
import type { ErrorSelection } from './selection.ts';
import type { ShownProjects } from './shownProjects.ts';
import type { ErrorProject, ErrorSource } from './source.ts';
import { createErrorSources, createResourceChoice } from './sources.ts';
import type { ErrorOfProject } from './target.ts';

export interface ListOfProject {
  readonly project: ErrorProject;
  readonly list: ErrorList;
}

export interface ErrorListsSettings {
  readonly connection: Connection;
  readonly projects: ShownProjects;
  readonly selection: ErrorSelection;
  /** Called after each change of the list of a project; the path is undefined if no project is current. */
  readonly changed: (list: ErrorList, path: string | undefined) => void;
}

/** Lists of the errors of the shown projects. */
export interface ErrorLists extends vscode.Disposable {
  /** List of the current project. */
  readonly current: ErrorList;
  /** That of the current project first. */
  readonly shown: () => readonly ListOfProject[];
  readonly of: (path: string) => ErrorList | undefined;
  /** Creates the source of the errors of a project for the current account. */
  readonly source: (project: ErrorProject) => ErrorListSource | undefined;
  /** Sets the sources of all lists. Returns true if any has another one. */
  readonly update: () => boolean;
  /** Returns a listed error of the current project. */
  readonly find: (errorId: string) => ErrorOfProject | undefined;
  readonly canChange: (project: ErrorProject) => boolean;
}

export function createErrorLists({ connection, projects, selection, changed }: ErrorListsSettings): ErrorLists {
  const current = createErrorList(Date.now);
  const others = createOtherLists((created, path) => created.onDidChange(() => changed(created, path)));
  const sourcesOf = createErrorSources(createResourceChoice(), sleep);
  const shown = (): readonly ListOfProject[] =>
    projects
      .get()
      .map(({ id, path }, index) => ({ project: { id: id ?? path, path }, list: index === 0 ? current : others.of(path) }));
  const of = (path: string): ErrorList | undefined => shown().find((one) => one.project.path === path)?.list;
  const source = (project: ErrorProject): ErrorListSource | undefined => sourceOf(connection, project, selection, sourcesOf);
  current.onDidChange(() => changed(current, projects.get()[0]?.path));
  return {
    ...{ current, shown, of, source },
    update: () => {
      const keys = (): string => JSON.stringify(shown().map(({ list }) => list.sourceKey() ?? null));
      const before = keys();
      others.keep(projects.get().slice(1));
      for (const { project, list } of shown()) list.setSource(source(project));
      if (projects.get().length === 0) current.setSource(undefined);
      return keys() !== before;
    },
    find: (errorId) => {
      const [first] = shown();
      const error = first && errorsOf(first.list).find(({ id }) => id === errorId);
      return first && error && { project: first.project, error };
    },
    canChange: ({ path }) => {
      const state = of(path)?.state();
      return state?.kind === 'ready' && state.abilities.changesStatus;
    },
    dispose: () => {
      current.setSource(undefined);
      others.keep([]);
    },
  };
}

/** Lists of projects besides the current one, which are created when they are first needed. */
function createOtherLists(follow: (created: ErrorList, path: string) => vscode.Disposable) {
  const lists = new Map<string, { readonly list: ErrorList; readonly following: vscode.Disposable }>();
  return {
    of: (path: string): ErrorList => {
      const known = lists.get(path);
      if (known !== undefined) return known.list;
      const list = createErrorList(Date.now);
      lists.set(path, { list, following: follow(list, path) });
      return list;
    },
    /** Ends the lists of all other projects. */
    keep: (projects: readonly ChosenProject[]): void => {
      for (const [path, { list, following }] of lists) {
        if (projects.some((one) => one.path === path)) continue;
        list.setSource(undefined);
        following.dispose();
        lists.delete(path);
      }
    },
  };
}

/** Returns the key of the lists of a project, or undefined if the user is signed out. */
export function keyOfProject(connection: Connection, path: string): string | undefined {
  const account = accountKeyOf(connection.state());
  return account === undefined ? undefined : `${account}/${path}`;
}

export function errorsOf(list: ErrorList): readonly TrackedError[] {
  const state = list.state();
  return state.kind === 'ready' ? state.errors : [];
}

function sourceOf(
  connection: Connection,
  project: ErrorProject,
  selection: ErrorSelection,
  sourcesOf: ReturnType<typeof createErrorSources>,
): ErrorListSource | undefined {
  const account = accountKeyOf(connection.state());
  if (account === undefined) return undefined;
  const query = { order: selection.order(), ...queryOfFilter(selection.filter(), currentUser(connection)) };
  return {
    key: `${keyOfProject(connection, project.path)}/${JSON.stringify(query)}`,
    query,
    source: (): ErrorSource => sourcesOf(clientOfAccount(connection, account), project),
  };
}

/** Returns the ID of the current user. */
function currentUser(connection: Connection): number | undefined {
  const state = connection.state();
  return state.kind === 'signedIn' ? state.account.id : undefined;
}
