import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { sleep } from '../support/sleep.ts';
import { offerRetry } from './moves.ts';
import { isConfirmed, pickDestination, pickStorage } from './pick.ts';
import { withProgress } from './progress.ts';
import { countOwners, moveAllRepositories, newestMoves, type OwnerCounts } from './requests.ts';
import { formatCounts, type StorageRow } from './rows.ts';
import type { StoragesOfAccount } from './view.ts';
import { watchMoves, type WatchSettings } from './watch.ts';

/** Moves everything on a storage away from it, to storages that the user selects. */
export async function moveAll(view: StoragesOfAccount, row: StorageRow | undefined): Promise<void> {
  const title = l10n.t('Move All Repositories of a Storage');
  const source =
    row?.kind === 'storage'
      ? row.storage
      : await pickStorage(view, title, l10n.t('Select the storage to move repositories from'));
  if (source === undefined) return;
  const { name } = source;
  const { client, local } = view;
  const kinds = [...(await newestMoves(client)).keys()];
  const counts = await countOwners(client, local, name, kinds);
  const expected = new Map([...counts].filter(([, count]) => count !== 0));
  if (expected.size === 0) {
    void vscode.window.showInformationMessage(l10n.t('There are no repositories on {0}.', name));
    return;
  }
  const destination = await pickDestination(view, title, name);
  if (destination === undefined || !(await isConfirmed(view.account, name, destination.storage?.name, expected))) return;
  const after = await newestMoves(client);
  await view.whileMoving(async () => {
    try {
      for (const kind of expected.keys()) await moveAllRepositories(client, kind, name, destination.storage?.name);
    } finally {
      void view.refresh();
    }
    await watchAll(view, { client, local, storage: name, after, expected });
  });
}

/** Shows the progress until everything on a storage has moved or the user stops watching. */
async function watchAll(
  view: StoragesOfAccount,
  watched: Pick<WatchSettings, 'client' | 'local' | 'storage' | 'after' | 'expected'>,
): Promise<void> {
  const { storage, expected } = watched;
  const locale = vscode.env.language;
  const total = totalOf(expected);
  let shown = 0;
  const result = await withProgress(l10n.t('Moving the repositories of {0}', storage), (report, signal) =>
    watchMoves({
      ...{ ...watched, sleep, signal },
      onProgress: ({ done, failed }) => {
        const ended = Math.min((totalOf(done) ?? 0) + failed, total ?? Number.POSITIVE_INFINITY);
        const increment = total === undefined ? 0 : ((ended - shown) / total) * 100;
        shown = ended;
        const number = ended.toLocaleString(locale);
        const message =
          total === undefined ? l10n.t('{0} so far', number) : l10n.t('{0} of {1}', number, total.toLocaleString(locale));
        report({ message, increment });
      },
    }),
  );
  await view.refresh();
  if (result === undefined) return;
  if (result.failed === 0) {
    void vscode.window.showInformationMessage(
      view.account.named(l10n.t('Moved from {0}: {1}.', storage, formatCounts(result.done, locale))),
    );
    return;
  }
  await offerRetry(view, storage, l10n.t('Moves from {0} that failed: {1}.', storage, result.failed));
}

/** Returns the sum; undefined if a number is unknown. */
function totalOf(counts: OwnerCounts): number | undefined {
  return [...counts.values()].reduce<number | undefined>(
    (total, count) => (total === undefined || count === undefined ? undefined : total + count),
    0,
  );
}
