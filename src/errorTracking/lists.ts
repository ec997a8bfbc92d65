import type * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { Connection } from '../instances/connection.ts';
import { shownAccountKey } from '../instances/currentAccount.ts';
import { sleep } from '../support/sleep.ts';
import { queryOfFilter } from './filter.ts';
import { createErrorList, type ErrorList, type ErrorListSource } from './model.ts';
import type { ErrorSelection } from './selection.ts';
import type { ShownProjects } from './shownProjects.ts';
import type { ErrorProject, ErrorSource } from './source.ts';
import { createErrorSources, createResourceChoice } from './sources.ts';
import { type ErrorLink, type ErrorOfProject, linkTo } from './target.ts';

export interface ListOfProject {
  /** The account is empty while nobody is signed in. */
  readonly project: ErrorProject;
  readonly list: ErrorList;
}

export interface ErrorListsSettings {
  readonly connection: Connection;
  readonly projects: ShownProjects;
  readonly selection: ErrorSelection;
  /** Called after each change of a list. */
  readonly changed: (list: ErrorList) => void;
}

/** Lists of the errors of the shown projects. */
export interface ErrorLists extends vscode.Disposable {
  /** List of the current project. */
  readonly current: ErrorList;
  /** That of the current project first. */
  readonly shown: () => readonly ListOfProject[];
  /** Returns the list that is shown of a project. */
  readonly of: (project: ErrorProject) => ErrorList | undefined;
  /** Creates the source of the errors of a project; undefined while nobody is signed in. */
  readonly source: (project: ErrorProject) => ErrorListSource | undefined;
  /** Sets the sources of all lists. Returns true if any has another one. */
  readonly update: () => boolean;
  /** Returns an error that a link names, also if another account is current since. */
  readonly find: (link: ErrorLink) => ErrorOfProject | undefined;
  readonly canChange: (project: ErrorProject) => boolean;
}

export function createErrorLists({ connection, projects, selection, changed }: ErrorListsSettings): ErrorLists {
  const current = createErrorList(Date.now);
  const others = createOtherLists((created) => created.onDidChange(() => follow(created)));
  const sourcesOf = createErrorSources(createResourceChoice(), sleep);
  const shown = (): readonly ListOfProject[] => {
    const account = shownAccountKey(connection.state()) ?? '';
    return projects.get().map(({ id, path }, index) => ({
      project: { account, id: id ?? path, path },
      list: index === 0 ? current : others.of(path),
    }));
  };
  const of = ({ account, path }: ErrorProject): ErrorList | undefined =>
    shown().find(({ project }) => project.path === path && project.account === account)?.list;
  const seen = createSeenErrors();
  /** True for each account key whose instance can change errors, false for the others. */
  const changeable = new Map<string, boolean>();
  const follow = (list: ErrorList): void => {
    const project = shown().find((one) => one.list === list)?.project;
    const state = list.state();
    if (project !== undefined && list.sourceKey()?.startsWith(`${keyOfProject(project)}/`) === true && state.kind === 'ready') {
      seen.add(project, state.errors);
      changeable.set(project.account, state.abilities.changesStatus);
    }
    changed(list);
  };
  const source = (project: ErrorProject): ErrorListSource | undefined => sourceOf(connection, project, selection, sourcesOf);
  current.onDidChange(() => follow(current));
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
    find: seen.find,
    canChange: ({ account }) => changeable.get(account) === true,
    dispose: () => {
      current.setSource(undefined);
      others.keep([]);
    },
  };
}

/** Lists of projects besides the current one, which are created when they are first needed. */
function createOtherLists(follow: (created: ErrorList) => vscode.Disposable) {
  const lists = new Map<string, { readonly list: ErrorList; readonly following: vscode.Disposable }>();
  return {
    of: (path: string): ErrorList => {
      const known = lists.get(path);
      if (known !== undefined) return known.list;
      const list = createErrorList(Date.now);
      lists.set(path, { list, following: follow(list) });
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

/** Maximum number of errors that links can name. */
const MAX_SEEN = 1_000;

/** Errors that were listed, the latest last. */
function createSeenErrors() {
  const errors = new Map<string, ErrorOfProject>();
  const keyOf = ({ errorId, account, path }: ErrorLink): string => JSON.stringify([account, path, errorId]);
  return {
    add: (project: ErrorProject, listed: readonly TrackedError[]): void => {
      for (const error of listed) {
        const key = keyOf(linkTo({ project, error }));
        errors.delete(key);
        errors.set(key, { project, error });
      }
      for (const oldest of [...errors.keys()].slice(0, -MAX_SEEN)) errors.delete(oldest);
    },
    find: (link: ErrorLink): ErrorOfProject | undefined => errors.get(keyOf(link)),
  };
}

/** Returns the key of the lists of a project. */
export function keyOfProject({ account, path }: Pick<ErrorProject, 'account' | 'path'>): string {
  return `${account}/${path}`;
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
  if (project.account === '') return undefined;
  const account = connection.bound(project.account);
  const query = { order: selection.order(), ...queryOfFilter(selection.filter(), account.userId) };
  return {
    key: `${keyOfProject(project)}/${JSON.stringify(query)}`,
    query,
    source: (): ErrorSource => sourcesOf(account.client(), project),
  };
}
