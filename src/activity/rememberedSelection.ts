import type { TreeView } from 'vscode';
import { type Log, messageOf } from '../support/log.ts';
import type { LazyTree } from '../ui/lazyTree.ts';
import type { ClosedDays } from './closedDays.ts';
import type { ActivityRow } from './rows.ts';

/** Selected row of each list, because VS Code loses the selection when the list changes. */
export interface RememberedSelection {
  /** Remembers the row for the shown list. */
  readonly set: (row: ActivityRow) => void;
  /** Must be called when another list is shown. */
  readonly switchTo: (list: string | undefined) => void;
  /** Selects the row of the list again if its row exists now, unless its day is collapsed. */
  readonly restore: () => Promise<void>;
}

export interface RememberedSelectionSettings {
  readonly viewId: string;
  readonly view: TreeView<ActivityRow>;
  readonly tree: LazyTree<ActivityRow>;
  readonly closedDays: ClosedDays;
  readonly log: Log;
}

export function createRememberedSelection(settings: RememberedSelectionSettings): RememberedSelection {
  const { viewId, view, tree, closedDays, log } = settings;
  const rows = new Map<string, string>();
  let shown: string | undefined;
  let isPending = false;
  return {
    set: (row) => {
      if (shown !== undefined) rows.set(shown, row.id);
    },
    switchTo: (list) => {
      shown = list;
      isPending = list !== undefined && rows.has(list);
    },
    restore: async () => {
      const found = isPending ? tree.find(rows.get(shown ?? '') ?? '') : undefined;
      if (found === undefined || !view.visible) return;
      isPending = false;
      if (found.parent !== undefined && closedDays.has(found.parent.id)) return;
      try {
        await view.reveal(found.row, { select: true, focus: false });
      } catch (error) {
        // The rows have changed meanwhile.
        log.debug(`${viewId}: ${messageOf(error)}`);
      }
    },
  };
}
