import * as vscode from 'vscode';
import type { Connection } from '../instances/connection.ts';
import { errorBadge } from './appearance.ts';
import { isUsualFilter } from './filter.ts';
import { errorsOf, keyOfProject, type ListOfProject } from './lists.ts';
import type { ErrorList } from './model.ts';
import { createNewErrorNotice, isWorthTelling, newErrorMode } from './newErrorNotice.ts';
import { createNewErrors } from './newErrors.ts';
import type { ErrorSelection } from './selection.ts';
import type { ErrorOfProject } from './target.ts';

export interface ShownNewsSettings {
  readonly view: Pick<vscode.TreeView<unknown>, 'badge'>;
  readonly connection: Connection;
  readonly selection: ErrorSelection;
  readonly shown: () => readonly ListOfProject[];
  readonly memory: vscode.Memento;
}

/** Errors of the view that are new or came back, and how the user learns of them. */
export interface ShownNews {
  readonly isNew: (error: ErrorOfProject) => boolean;
  /** Must be called when a list was loaded. Errors of the first load of a project are not new. */
  readonly begin: (list: ErrorList, path: string) => void;
  readonly markOpened: (opened: ErrorOfProject) => void;
  readonly markAllRead: () => void;
  /** Updates the badge, and shows a message if the user wants that. */
  readonly show: () => void;
  readonly onDidChange: vscode.Event<void>;
}

export function createShownNews({ view, connection, selection, shown, memory }: ShownNewsSettings): ShownNews {
  const news = createNewErrors(memory);
  const isNew = ({ project: { path }, error }: ErrorOfProject): boolean => {
    const key = keyOfProject(connection, path);
    return key !== undefined && error.status === 'unresolved' && news.isNew(key, error);
  };
  const notice = createNewErrorNotice(isNew);
  const newErrors = (): readonly ErrorOfProject[] =>
    shown().flatMap(({ project, list }) =>
      errorsOf(list)
        .map((error) => ({ project, error }))
        .filter((one) => isNew(one) && isWorthTelling(one)),
    );
  return {
    isNew,
    begin: (list, path) => {
      const [state, key] = [list.state(), keyOfProject(connection, path)];
      // A filtered list can lack errors that have occurred before.
      if (key !== undefined && state.kind === 'ready' && !state.isDisabled && isUsualFilter(selection.filter()))
        news.begin(key, state.errors);
    },
    markOpened: ({ project: { path }, error }) => {
      const key = keyOfProject(connection, path);
      if (key !== undefined) news.markOpened(key, error);
    },
    markAllRead: () => {
      for (const { project, list } of shown()) {
        const key = keyOfProject(connection, project.path);
        if (key !== undefined) news.markAllRead(key, errorsOf(list));
      }
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
