import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { isRunning, ownerKinds, type StorageMove } from '../contract/storageMoves.ts';
import { sleep } from '../support/sleep.ts';
import { movesOf } from './model.ts';
import { withProgress } from './progress.ts';
import { createMoveList, moveRepository, type OwnerCounts, reloadMove } from './requests.ts';
import { formatCounts } from './rows.ts';
import type { StoragesOfAccount } from './view.ts';

/** Milliseconds between two requests for the state of one move. */
const INTERVAL = 1_500;

/** Shows the progress of moves until all have ended or the user stops watching. */
export async function follow(view: StoragesOfAccount, moves: readonly StorageMove[]): Promise<void> {
  void view.refresh();
  const [first] = moves;
  if (first === undefined) return;
  const { owner, destination_storage_name: destination } = first;
  const locale = vscode.env.language;
  const title =
    moves.length === 1
      ? l10n.t('Moving {0} to {1}', owner.name, destination)
      : l10n.t('Moving repositories: {0}', moves.length.toLocaleString(locale));
  const ended = await withProgress(title, async (_, signal) => {
    const results: StorageMove[] = [];
    for (const move of moves) results.push(await untilEnded(view.client, move, signal));
    return results;
  });
  await view.refresh();
  if (ended === undefined) return;
  const failed = ended.filter(({ state }) => state !== 'finished');
  if (failed.length > 0) {
    const reason = failed[0]?.error_message ?? null;
    const text =
      moves.length > 1
        ? l10n.t('Moves that failed: {0}. Most failures are temporary.', failed.length.toLocaleString(locale))
        : reason === null
          ? l10n.t('The move of {0} to {1} failed. Most failures are temporary.', owner.name, destination)
          : l10n.t('The move of {0} to {1} failed: {2}', owner.name, destination, reason);
    const retry = l10n.t('Retry');
    if ((await vscode.window.showWarningMessage(view.account.named(text), retry)) === retry) await schedule(view, failed);
    return;
  }
  const text =
    moves.length === 1
      ? l10n.t('{0} is now on {1}.', owner.name, destination)
      : l10n.t('Moved: {0}.', formatCounts(countsOf(moves), locale));
  void vscode.window.showInformationMessage(view.account.named(text));
}

/** Schedules moves again, to the same destinations. */
export async function schedule(view: StoragesOfAccount, failed: readonly StorageMove[]): Promise<void> {
  const again: StorageMove[] = [];
  for (const { owner, destination_storage_name: destination } of failed)
    again.push(await moveRepository(view.client, owner, destination));
  await follow(view, again);
}

/** Schedules the failed moves of a storage again, or those of all storages. */
export async function retryStorage(view: StoragesOfAccount, storage: string | undefined): Promise<void> {
  const moves = await createMoveList(() => view.client)();
  const storages = storage === undefined ? (await view.storages()).map(({ name }) => name) : [storage];
  const failed = storages.flatMap((name) => movesOf(name, moves).failed);
  if (failed.length === 0) void vscode.window.showInformationMessage(l10n.t('No move has failed.'));
  else await schedule(view, failed);
}

export async function offerRetry(view: StoragesOfAccount, storage: string, text: string): Promise<void> {
  const retry = l10n.t('Retry');
  if ((await vscode.window.showWarningMessage(view.account.named(text), retry)) === retry) await retryStorage(view, storage);
}

async function untilEnded(client: Client, move: StorageMove, signal: AbortSignal): Promise<StorageMove> {
  for (;;) {
    const current = await reloadMove(client, move, signal);
    if (!isRunning(current)) return current;
    await sleep(INTERVAL, signal);
    signal.throwIfAborted();
  }
}

function countsOf(moves: readonly StorageMove[]): OwnerCounts {
  return new Map(ownerKinds.map((kind) => [kind, moves.filter(({ owner }) => owner.kind === kind).length]));
}
