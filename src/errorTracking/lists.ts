import type * as vscode from 'vscode';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { Connection } from '../instances/connection.ts';
import { shownAccountKey } from '../instances/currentAccount.ts';
import { sleep } from '../support/sleep.ts';
import { queryOfFilter, USUAL_FILTER } from './filter.ts';
import { createErrorList, type ErrorList, type ErrorListSource } from './model.ts';
import type { ErrorSelection } from './selection.ts';
import type { ShownProjects } from './shownProjects.ts';
import { type ErrorProject, type ErrorSource, keyOfProject } from './source.ts';
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
  /** Sets the projects whose lines are marked. */
  readonly setMarked: (projects: readonly ErrorProject[]) => void;
  /** Returns the list of a project whose lines are marked: the shown one, or one of its unresolved errors. */
  readonly ofMarked: (project: ErrorProject) => ErrorList;
  /** Creates the source of the errors of a project; undefined while nobody is signed in. */
  readonly source: (project: ErrorProject) => ErrorListSource | undefined;
  /** Sets the sources of all lists. Returns true if any has another one. */
  readonly update: () => boolean;
  /** Returns an error that a link names, also if another account is current since. */
  readonly find: (link: ErrorLink) => ErrorOfProject | undefined;
  readonly canChange: (project: ErrorProject) => boolean;
  /** Returns true if the instance has no error tracking, which is requested again after `retry` only, or after a while. */
  readonly isMissing: () => boolean;
  readonly retry: () => void;
}

export function createErrorLists({ connection, projects, selection, changed }: ErrorListsSettings): ErrorLists {
  const current = createErrorList(Date.now);
  let marked: readonly ErrorProject[] = [];
  const others = createOtherLists((created, project) => created.onDidChange(() => follow(created, project)));
  const choice = createResourceChoice();
  const sourcesOf = createErrorSources(choice, sleep);
  const shown = (): readonly ListOfProject[] => {
    const account = shownAccountKey(connection.state()) ?? '';
    return projects.get().map(({ id, path }, index) => {
      const project = { account, id: id ?? path, path };
      return { project, list: index === 0 ? current : others.of(project) };
    });
  };
  const of = ({ account, path }: ErrorProject): ErrorList | undefined =>
    shown().find(({ project }) => project.path === path && project.account === account)?.list;
  const seen = createSeenErrors();
  /** True for each account key whose instance can change errors, false for the others. */
  const changeable = new Map<string, boolean>();
  const follow = (list: ErrorList, project: ErrorProject | undefined): void => {
    const state = list.state();
    if (project !== undefined && list.sourceKey()?.startsWith(`${keyOfProject(project)}/`) === true && state.kind === 'ready') {
      seen.add(project, state.errors);
      changeable.set(project.account, state.abilities.changesStatus);
    }
    changed(list);
  };
  const source = (project: ErrorProject, isShown = true): ErrorListSource | undefined =>
    sourceOf(connection, project, isShown ? selection : USUAL_SELECTION, sourcesOf);
  current.onDidChange(() => follow(current, shown()[0]?.project));
  const setHiddenSources = (): void => {
    const hidden = marked.filter((project) => of(project) === undefined);
    others.keep([...shown().slice(1), ...hidden.map((project) => ({ project }))].map(({ project }) => project));
    for (const project of hidden) others.of(project).setSource(source(project, false));
  };
  const setSources = (): void => {
    setHiddenSources();
    const all = shown();
    for (const { project, list } of all) list.setSource(source(project));
    if (all.length === 0) current.setSource(undefined);
  };
  return {
    ...{ current, shown, of, source },
    update: () => {
      const keys = (): string => JSON.stringify(shown().map(({ list }) => list.sourceKey() ?? null));
      const before = keys();
      setSources();
      return keys() !== before;
    },
    setMarked: (next) => {
      marked = next;
      // `update` has to notice when a shown list gets another source.
      setHiddenSources();
    },
    ofMarked: (project) => of(project) ?? others.of(project),
    isMissing: () => isMissingIn(current),
    retry: choice.retry,
    find: seen.find,
    canChange: ({ account }) => changeable.get(account) === true,
    dispose: () => {
      current.setSource(undefined);
      others.keep([]);
    },
  };
}

/** Lists of projects besides the current one, which are created when they are first needed. */
function createOtherLists(follow: (created: ErrorList, project: ErrorProject) => vscode.Disposable) {
  const lists = new Map<string, { readonly list: ErrorList; readonly following: vscode.Disposable }>();
  return {
    of: (project: ErrorProject): ErrorList => {
      const key = keyOfProject(project);
      const known = lists.get(key);
      if (known !== undefined) return known.list;
      const list = createErrorList(Date.now);
      lists.set(key, { list, following: follow(list, project) });
      return list;
    },
    /** Ends the lists of all other projects. */
    keep: (projects: readonly ErrorProject[]): void => {
      const keys = new Set(projects.map(keyOfProject));
      for (const [key, { list, following }] of lists) {
        if (keys.has(key)) continue;
        list.setSource(undefined);
        following.dispose();
        lists.delete(key);
      }
    },
  };
}

/** Errors of projects that are not shown: those that are shown until the user selects others. */
const USUAL_SELECTION: Pick<ErrorSelection, 'order' | 'filter'> = { order: () => 'last_seen', filter: () => USUAL_FILTER };

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

function isMissingIn(list: ErrorList): boolean {
  const state = list.state();
  return state.kind === 'ready' && state.isMissing === true;
}

export function errorsOf(list: ErrorList): readonly TrackedError[] {
  const state = list.state();
  return state.kind === 'ready' ? state.errors : [];
}

function sourceOf(
  connection: Connection,
  project: ErrorProject,
  selection: Pick<ErrorSelection, 'order' | 'filter'>,
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
