import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import { type ErrorChange, isAbout } from '../stream/errorChanges.ts';
import { createClientKeyList, type ClientKeyList } from './list.ts';

export interface ShownKeysSettings {
  readonly view: Pick<
    vscode.TreeView<{ readonly kind: string }>,
    'onDidChangeVisibility' | 'onDidCollapseElement' | 'onDidExpandElement' | 'visible'
  >;
  readonly project: () => ChosenProject | undefined;
  /** Called with the reason when the keys cannot be loaded, else without one, after each change. */
  readonly changed: (failure: string | undefined) => void;
}

/** Client keys in a view, which are kept up to date while their row is expanded and the view is visible. */
export interface ShownKeys extends Pick<ClientKeyList, 'expire' | 'refresh' | 'setSource' | 'state'>, vscode.Disposable {
  /** Must be called when VS Code asks for the rows below that of the keys. */
  readonly open: () => void;
  /** Loads the keys that changes are about once they are visible. */
  readonly expireAfter: (changes: readonly ErrorChange[]) => void;
}

export function createShownKeys({ view, project, changed }: ShownKeysSettings): ShownKeys {
  const list = createClientKeyList();
  let isExpanded = false;
  const watch = (): void => list.watch(view.visible && isExpanded);
  const expand = (expanded: boolean): void => {
    isExpanded = expanded;
    watch();
  };
  list.onDidChange(() => {
    const state = list.state();
    changed(state?.kind === 'failed' ? state.failure.message : undefined);
  });
  const following = vscode.Disposable.from(
    view.onDidExpandElement(({ element }) => {
      if (element.kind === 'clientKeys') expand(true);
    }),
    view.onDidCollapseElement(({ element }) => {
      if (element.kind === 'clientKeys') expand(false);
    }),
    view.onDidChangeVisibility(watch),
  );
  return {
    ...list,
    open: () => {
      list.open();
      expand(true);
    },
    expireAfter: (changes) => {
      const current = project();
      for (const change of changes)
        if (change.kind === 'key' && current !== undefined && isAbout(change, current)) void list.expire(change.id);
    },
    dispose: () => {
      following.dispose();
      list.setSource(undefined);
    },
  };
}
