import * as vscode from 'vscode';
import type { ErrorDetail } from '../contract/errorDetail.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ErrorList, ErrorListState } from '../errorTracking/model.ts';
import { type ErrorProject, keyOfProject } from '../errorTracking/source.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import type { ErrorOfProject } from '../errorTracking/target.ts';
import type { TrackedErrors } from '../errorTracking/view.ts';
import type { Connection } from '../instances/connection.ts';
import { type ErrorChange, isAbout } from '../stream/errorChanges.ts';
import { createRequestQueue } from '../workspaceProjects/requestQueue.ts';
import { createErrorDetails, type ErrorDetails, errorsToMark, MAX_ERRORS } from './details.ts';

/** Error with its latest event. */
export interface DetailedError extends ErrorOfProject {
  readonly detail: ErrorDetail;
}

/** Projects whose errors are marked, with their lists and what was requested of each error. */
export interface MarkedProjects extends vscode.Disposable {
  /** Sets the projects, forgets others, and loads what is missing of those that `isWanted` returns true for. */
  readonly update: (projects: readonly ErrorProject[], isWanted: (project: ErrorProject) => boolean) => void;
  /** Returns the errors to mark whose latest event is known, in the order of the projects and lists. */
  readonly errors: () => readonly DetailedError[];
  /** Loads the lists again that changes are about and the Tracked Errors view does not load. */
  readonly refresh: (changes: readonly ErrorChange[]) => void;
}

export interface MarkedProjectSettings {
  readonly connection: Connection;
  readonly trackedErrors: TrackedErrors;
  readonly changed: () => void;
  readonly warn: (failure: unknown) => void;
}

interface MarkedProject {
  readonly project: ErrorProject;
  readonly list: ErrorList;
  readonly details: ErrorDetails;
  readonly load: () => void;
  readonly following: vscode.Disposable;
  isWanted: boolean;
}

/** Age after which a list of errors is loaded again when the user turns to an editor, in milliseconds. */
const MAX_AGE = 300_000;
/** Maximum number of errors of all projects that get marks. */
const MAX_ALL_ERRORS = 120;
/** Maximum number of requests at a time. */
const MAX_REQUESTS = 4;

export function createMarkedProjects({ connection, trackedErrors, changed, warn }: MarkedProjectSettings): MarkedProjects {
  const choice = createResourceChoice();
  const queue = createRequestQueue(MAX_REQUESTS);
  let marked: readonly MarkedProject[] = [];

  function mark(project: ErrorProject, list: ErrorList): MarkedProject {
    const load = async (errorId: string, signal: AbortSignal): Promise<ErrorDetail> => {
      const { client } = connection.bound(project.account);
      return queue(async () => {
        if (signal.aborted) throw new vscode.CancellationError();
        return (await createDetailSource(client, project, errorId, choice).detail(signal)).detail;
      });
    };
    const details = createErrorDetails({ load, changed, warn });
    return { project, list, details, load: createListLoad(list), following: list.onDidChange(changed), isWanted: false };
  }

  function end({ details, following }: MarkedProject): void {
    details.clear();
    following.dispose();
  }

  function errorsOf({ list }: MarkedProject): ReturnType<typeof errorsToMark> {
    const state = list.state();
    if (state.kind !== 'ready' || state.isDisabled) return [];
    // With many projects, each has fewer marks.
    const sharing = marked.filter((one) => !isFinal(one.list.state())).length;
    return errorsToMark(state.errors).slice(0, Math.min(MAX_ERRORS, Math.max(1, Math.floor(MAX_ALL_ERRORS / sharing))));
  }

  return {
    update: (projects, isWanted) => {
      trackedErrors.setMarked(projects);
      const next = projects.map((project) => {
        const list = trackedErrors.ofMarked(project);
        return marked.find((one) => one.list === list && isSame(one.project, project)) ?? mark(project, list);
      });
      for (const one of marked) if (!next.includes(one)) end(one);
      marked = next;
      for (const one of marked) {
        one.isWanted = isWanted(one.project);
        if (!one.isWanted) {
          one.details.pause();
          continue;
        }
        one.load();
        const state = one.list.state();
        if (state.kind === 'ready') one.details.want(errorsOf(one), state.at);
      }
    },
    errors: () =>
      marked.flatMap((one) =>
        errorsOf(one).flatMap((error) => {
          const detail = one.details.get(error.id);
          return detail === undefined ? [] : [{ project: one.project, error, detail }];
        }),
      ),
    refresh: (changes) => {
      const loaded = new Set(trackedErrors.isVisible() ? trackedErrors.shown().map(({ list }) => list) : []);
      const isOutdated = (project: ErrorProject): boolean =>
        changes.some((change) => change.kind !== 'key' && isAbout(change, project));
      for (const { project, list, isWanted } of marked)
        if (isWanted && isOutdated(project) && !loaded.has(list) && list.state().kind === 'ready' && !isFinal(list.state()))
          void list.refreshAfterChange();
    },
    dispose: () => {
      marked.forEach(end);
      marked = [];
      trackedErrors.setMarked([]);
    },
  };
}

function isSame(one: ErrorProject, other: ErrorProject): boolean {
  return keyOfProject(one) === keyOfProject(other) && one.id === other.id;
}

/** Returns true if an instance has said that there are no errors to see, so that it is not asked again. */
function isFinal(state: ErrorListState): boolean {
  if (state.kind === 'ready') return state.isDisabled;
  return state.kind === 'failed' && (state.failure.kind === 'notFound' || state.failure.kind === 'forbidden');
}

/** Returns a function that loads the list if it was not loaded for its current source yet, or long ago. Failures are not shown. */
function createListLoad(list: ErrorList): () => void {
  let asked: { readonly key: string | undefined; readonly at: number } = { key: undefined, at: 0 };
  return () => {
    const key = list.sourceKey();
    const isOld = Date.now() - asked.at > MAX_AGE && vscode.window.state.focused && !isFinal(list.state());
    if (key === undefined || (asked.key === key && !isOld)) return;
    asked = { key, at: Date.now() };
    const state = list.state();
    if (state.kind !== 'ready' || Date.now() - state.at > MAX_AGE) void list.refresh();
  };
}
