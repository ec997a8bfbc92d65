import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { failureOfAny } from '../api/failures.ts';
import type { NotificationApi } from './api.ts';
import { itemOfScope } from './pickScope.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';

/** Milliseconds after a keystroke before the search starts. */
const TYPING_DELAY = 250;

interface TargetItem extends vscode.QuickPickItem {
  readonly scope: NotificationScope | undefined;
}

/** Lets the user select several groups and projects; resolves to undefined if canceled. Selected ones stay while others are searched. */
export function pickTargets(
  api: NotificationApi,
  source: NotificationScope,
  pinned: readonly NotificationScope[],
): Promise<readonly NotificationScope[] | undefined> {
  const pick = vscode.window.createQuickPick<TargetItem>();
  pick.title = l10n.t('Copy Notification Settings');
  pick.placeholder = l10n.t('Select the groups and projects to copy to, and type to search for more');
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  let abort = new AbortController();
  let delay: NodeJS.Timeout | undefined;
  let found: readonly NotificationScope[] = pinned;

  function paint(failure?: string): void {
    const selected = pick.selectedItems;
    const selectedKeys = new Set(selected.map(({ scope }) => scope && keyOfScope(scope)));
    const others = found.filter((scope) => !selectedKeys.has(keyOfScope(scope)) && keyOfScope(scope) !== keyOfScope(source));
    pick.items = [
      ...selected,
      ...others.map((scope): TargetItem => ({ ...itemOfScope(scope), scope })),
      ...(failure === undefined ? [] : [{ label: failure, kind: vscode.QuickPickItemKind.Separator, scope: undefined }]),
    ];
    pick.selectedItems = selected;
  }

  async function load(search: string): Promise<void> {
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    pick.busy = true;
    const pages = await Promise.all((['groups', 'projects'] as const).map((kind) => api.list({ kind, search }, signal))).catch(
      (error: unknown) => failureOfAny(error),
    );
    if (signal.aborted) return;
    pick.busy = false;
    if (pages instanceof Error) return paint(pages.message);
    const all = [...(search === '' ? pinned : []), ...pages.flatMap(({ items }) => items)];
    found = [...new Map(all.map((scope) => [keyOfScope(scope), scope])).values()];
    paint();
  }

  return new Promise((resolve) => {
    pick.onDidChangeValue((text) => {
      clearTimeout(delay);
      delay = setTimeout(() => void load(text.trim()), TYPING_DELAY);
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems.map(({ scope }) => scope).filter((scope) => scope !== undefined));
      pick.hide();
    });
    pick.onDidHide(() => {
      clearTimeout(delay);
      abort.abort();
      resolve(undefined);
      pick.dispose();
    });
    paint();
    pick.show();
    void load('');
  });
}
