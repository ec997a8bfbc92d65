import * as vscode from 'vscode';
import type { SearchList, SearchRow } from './searchList.ts';

export interface SearchPickSettings<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly list: SearchList<T>;
  readonly keyOf: (item: T) => string;
  readonly toItem: (item: T) => vscode.QuickPickItem;
}

interface RowItem<T> extends vscode.QuickPickItem {
  readonly row: SearchRow<T>;
  /** Key that stays the same when the rows are updated. */
  readonly key: string;
}

/** Lets the user select from a searchable list; resolves to undefined if canceled. */
export function pickFromSearch<T>({ title, placeholder, list, keyOf, toItem }: SearchPickSettings<T>): Promise<T | undefined> {
  const pick = vscode.window.createQuickPick<RowItem<T>>();
  pick.title = title;
  pick.placeholder = placeholder;
  pick.keepScrollPosition = true;
  /** Index of the selected "Load more" row, where the new rows begin. */
  let continueAt: number | undefined;

  // The instance searches more than names, so all of its results are shown (`alwaysShow`).
  function itemOf(row: SearchRow<T>): RowItem<T> {
    switch (row.kind) {
      case 'heading':
        return { row, key: '', label: row.text, kind: vscode.QuickPickItemKind.Separator };
      case 'item':
        return { ...toItem(row.item), row, key: `item/${keyOf(row.item)}`, alwaysShow: true };
      case 'more':
        return { row, key: 'more', label: row.text, iconPath: new vscode.ThemeIcon('ellipsis'), alwaysShow: true };
      case 'text':
        return { row, key: 'text', label: row.text, iconPath: new vscode.ThemeIcon('info'), alwaysShow: true };
    }
  }

  function paint(): void {
    const before = pick.activeItems[0]?.key;
    const items = list.rows().map(itemOf);
    pick.items = items;
    pick.busy = list.isBusy();
    const fresh = continueAt === undefined ? undefined : items.slice(continueAt).find(({ row }) => row.kind === 'item');
    const active = fresh ?? items.find(({ key }) => key !== '' && key === before);
    if (active !== undefined) pick.activeItems = [active];
    if (!list.isBusy()) continueAt = undefined;
  }

  return new Promise((resolve) => {
    const changing = list.onDidChange(paint);
    pick.onDidChangeValue(list.search);
    pick.onDidAccept(() => {
      const [selected] = pick.selectedItems;
      if (selected?.row.kind === 'more') {
        continueAt = pick.items.indexOf(selected);
        list.loadMore();
      }
      if (selected?.row.kind !== 'item') return;
      resolve(selected.row.item);
      pick.hide();
    });
    pick.onDidHide(() => {
      changing.dispose();
      list.dispose();
      resolve(undefined);
      pick.dispose();
    });
    list.start();
    pick.show();
  });
}
