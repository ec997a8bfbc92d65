import * as vscode from 'vscode';
import { errorBadge } from './appearance.ts';
import { isUsualFilter } from './filter.ts';
import { errorsOf, type ListOfProject } from './lists.ts';
import { createNewErrorNotice, isWorthTelling, newErrorMode } from './newErrorNotice.ts';
import { createNewErrors } from './newErrors.ts';
import type { ErrorSelection } from './selection.ts';
import { keyOfProject } from './source.ts';
import type { ErrorOfProject } from './target.ts';

export interface ShownNewsSettings {
  readonly view: Pick<vscode.TreeView<unknown>, 'badge'>;
  readonly selection: ErrorSelection;
  readonly shown: () => readonly ListOfProject[];
  readonly memory: vscode.Memento;
}

/** Errors of the view that are new or came back, and how the user learns of them. */
export interface ShownNews {
  readonly isNew: (error: ErrorOfProject) => boolean;
  /** Must be called when a list was loaded. Errors of the first load of a project are not new. */
  readonly begin: (list: ListOfProject) => void;
  readonly markOpened: (opened: ErrorOfProject) => void;
  readonly markAllRead: () => void;
  /** Updates the badge, and shows a message if the user wants that. */
  readonly show: () => void;
  readonly onDidChange: vscode.Event<void>;
}

export function createShownNews({ view, selection, shown, memory }: ShownNewsSettings): ShownNews {
  const news = createNewErrors(memory);
  const isNew = ({ project, error }: ErrorOfProject): boolean =>
    error.status === 'unresolved' && news.isNew(keyOfProject(project), error);
  const notice = createNewErrorNotice(isNew);
  const newErrors = (): readonly ErrorOfProject[] =>
    shown().flatMap(({ project, list }) =>
      errorsOf(list)
        .map((error) => ({ project, error }))
        .filter((one) => isNew(one) && isWorthTelling(one)),
    );
  return {
    isNew,
    begin: ({ list, project }) => {
      const state = list.state();
      // A filtered list can lack errors that have occurred before.
      if (project.account !== '' && state.kind === 'ready' && !state.isDisabled && isUsualFilter(selection.filter()))
        news.begin(keyOfProject(project), state.errors);
    },
    markOpened: ({ project, error }) => news.markOpened(keyOfProject(project), error),
    markAllRead: () => {
      for (const { project, list } of shown())
        if (project.account !== '') news.markAllRead(keyOfProject(project), errorsOf(list));
    },
    show: () => {
      const mode = newErrorMode();
      const fresh = mode === 'off' ? [] : newErrors();
      view.badge = errorBadge(fresh.length);
      if (mode === 'notify' && vscode.window.state.focused) notice.tell(fresh);
    },
    onDidChange: news.onDidChange,
  };
}
