import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { isRunning, ownerKinds, type StorageMove } from '../contract/storageMoves.ts';
import { commands } from '../ids.ts';
import { pickProjectOrGroup } from '../projects/pick.ts';
import { sleep } from '../support/sleep.ts';
import { movesOf } from './model.ts';
import {
  countOwners,
  createMoveList,
  moveAllRepositories,
  moveRepository,
  newestMoves,
  type OwnerCounts,
  reloadMove,
  type Storage,
} from './requests.ts';
import { formatCount, formatCounts, formatRemaining, type StorageRow } from './rows.ts';
import type { Storages } from './view.ts';
import { checkStorage, watchMoves, type WatchSettings } from './watch.ts';

/** Milliseconds between two requests for the state of one move. */
const INTERVAL = 1_500;

interface StorageItem extends vscode.QuickPickItem {
  /** Undefined lets the instance select the storage. */
  readonly storage: Storage | undefined;
}

/** Creates the commands of the Storages view, which is created when the first one runs. */
export function storageCommands(view: () => Storages) {
  /** Runs a command for the storages of the current instance and reports failures to the user. */
  function command(run: (client: Client, row: StorageRow | undefined) => Promise<void>) {
    return async (row?: StorageRow): Promise<void> => {
      const client = view().client();
      if (client === undefined) {
        await vscode.commands.executeCommand(commands.signIn);
        return;
      }
      try {
        await run(client, row ?? view().selected());
      } catch (error) {
        const failure = failureOfError(error);
        if (failure === undefined) throw error;
        void vscode.window.showErrorMessage(failure.message);
      }
    };
  }

  async function pickStorage(title: string, placeHolder: string): Promise<Storage | undefined> {
    const items = (await view().storages()).map(storageItem);
    return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.storage;
  }

  /** Lets the user select where repositories move to. Returns undefined if canceled. */
  async function pickDestination(title: string, source: string | undefined): Promise<StorageItem | undefined> {
    const others = (await view().storages()).filter(({ name }) => name !== source);
    const byWeight: StorageItem = {
      label: l10n.t('Select by weight'),
      description: l10n.t('The instance selects the storage of each repository'),
      iconPath: new vscode.ThemeIcon('law'),
      storage: undefined,
    };
    const placeHolder = l10n.t('Select the destination');
    return vscode.window.showQuickPick([...others.map(storageItem), byWeight], { title, placeHolder });
  }

  async function moveOne(client: Client, row: StorageRow | undefined): Promise<void> {
    const source = row?.kind === 'storage' ? row.storage.name : undefined;
    const title = l10n.t('Move Project to Another Storage');
    const project = await pickProjectOrGroup({
      client,
      kind: 'project',
      title,
      placeholder: source === undefined ? l10n.t('Select the project to move') : l10n.t('Select a project on {0}', source),
      ...(source === undefined ? {} : { restriction: { repository_storage: source } }),
    });
    if (project === undefined) return;
    const destination = await pickDestination(title, source);
    if (destination === undefined) return;
    await follow(client, [
      await moveRepository(client, { kind: 'project', id: project.id ?? project.path }, destination.storage?.name),
    ]);
  }

  async function moveAll(client: Client, row: StorageRow | undefined): Promise<void> {
    const title = l10n.t('Move All Repositories of a Storage');
    const source =
      row?.kind === 'storage' ? row.storage : await pickStorage(title, l10n.t('Select the storage to move repositories from'));
    if (source === undefined) return;
    const { name } = source;
    const { local } = view();
    const kinds = [...(await newestMoves(client)).keys()];
    const counts = await countOwners(client, local, name, kinds);
    const expected = new Map([...counts].filter(([, count]) => count !== 0));
    if (expected.size === 0) {
      void vscode.window.showInformationMessage(l10n.t('There are no repositories on {0}.', name));
      return;
    }
    const destination = await pickDestination(title, name);
    if (destination === undefined || !(await isConfirmed(name, destination.storage?.name, expected))) return;
    const after = await newestMoves(client);
    try {
      for (const kind of expected.keys()) await moveAllRepositories(client, kind, name, destination.storage?.name);
    } finally {
      void view().refresh();
    }
    await watchAll({ client, local, storage: name, after, expected });
  }

  /** Shows the progress until everything on a storage has moved or the user stops watching. */
  async function watchAll(watched: Pick<WatchSettings, 'client' | 'local' | 'storage' | 'after' | 'expected'>): Promise<void> {
    const { client, storage, expected } = watched;
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
    await view().refresh();
    if (result === undefined) return;
    if (result.failed === 0) {
      void vscode.window.showInformationMessage(l10n.t('Moved from {0}: {1}.', storage, formatCounts(result.done, locale)));
      return;
    }
    await offerRetry(client, storage, l10n.t('Moves from {0} that failed: {1}.', storage, result.failed));
  }

  async function offerRetry(client: Client, storage: string, text: string): Promise<void> {
    const retry = l10n.t('Retry');
    if ((await vscode.window.showWarningMessage(text, retry)) === retry) await retryStorage(client, storage);
  }

  async function retryStorage(client: Client, storage: string | undefined): Promise<void> {
    const moves = await createMoveList(client)();
    const storages = storage === undefined ? (await view().storages()).map(({ name }) => name) : [storage];
    const failed = storages.flatMap((name) => movesOf(name, moves).failed);
    if (failed.length === 0) void vscode.window.showInformationMessage(l10n.t('No move has failed.'));
    else await schedule(client, failed);
  }

  /** Schedules moves again, to the same destinations. */
  async function schedule(client: Client, failed: readonly StorageMove[]): Promise<void> {
    const again: StorageMove[] = [];
    for (const { owner, destination_storage_name: destination } of failed)
      again.push(await moveRepository(client, owner, destination));
    await follow(client, again);
  }

  /** Shows the progress of moves until all have ended or the user stops watching. */
  async function follow(client: Client, moves: readonly StorageMove[]): Promise<void> {
    void view().refresh();
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
      for (const move of moves) results.push(await untilEnded(client, move, signal));
      return results;
    });
    await view().refresh();
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
      if ((await vscode.window.showWarningMessage(text, retry)) === retry) await schedule(client, failed);
      return;
    }
    void vscode.window.showInformationMessage(
      moves.length === 1
        ? l10n.t('{0} is now on {1}.', owner.name, destination)
        : l10n.t('Moved: {0}.', formatCounts(countsOf(moves), locale)),
    );
  }

  async function check(client: Client, row: StorageRow | undefined): Promise<void> {
    const storage =
      row?.kind === 'storage' ? row.storage : await pickStorage(l10n.t('Is the Storage Empty?'), l10n.t('Select a storage'));
    if (storage === undefined) return;
    const { name } = storage;
    const found = await checkStorage(client, view().local, name);
    const text = formatRemaining(name, found, vscode.env.language);
    if (found.failed > 0) await offerRetry(client, name, text);
    else void vscode.window.showInformationMessage(text);
  }

  return {
    [commands.storagesRefresh]: () => view().refresh(),
    [commands.storagesMoveProject]: command(moveOne),
    [commands.storagesMoveAll]: command(moveAll),
    [commands.storagesRetry]: command((client, row) =>
      row?.kind === 'move' && row.hasFailed
        ? schedule(client, [row.move])
        : retryStorage(client, row?.kind === 'storage' ? row.storage.name : undefined),
    ),
    [commands.storagesCheck]: command(check),
  };
}

function storageItem(storage: Storage): StorageItem {
  return {
    label: storage.name,
    description: formatCount('project', storage.projects, vscode.env.language),
    iconPath: new vscode.ThemeIcon('database'),
    storage,
  };
}

async function isConfirmed(source: string, destination: string | undefined, moved: OwnerCounts): Promise<boolean> {
  const repositories = formatCounts(moved, vscode.env.language);
  const text =
    destination === undefined
      ? l10n.t('Move {0} away from {1}?', repositories, source)
      : l10n.t('Move {0} from {1} to {2}?', repositories, source, destination);
  const detail = l10n.t('Each repository is read-only while it moves. Pushes to it are refused until then.');
  const move = l10n.t('Move');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, move)) === move;
}

async function untilEnded(client: Client, move: StorageMove, signal: AbortSignal): Promise<StorageMove> {
  for (;;) {
    const current = await reloadMove(client, move, signal);
    if (!isRunning(current)) return current;
    await sleep(INTERVAL, signal);
    signal.throwIfAborted();
  }
}

/** Returns the sum; undefined if a number is unknown. */
function totalOf(counts: OwnerCounts): number | undefined {
  return [...counts.values()].reduce<number | undefined>(
    (total, count) => (total === undefined || count === undefined ? undefined : total + count),
    0,
  );
}

function countsOf(moves: readonly StorageMove[]): OwnerCounts {
  return new Map(ownerKinds.map((kind) => [kind, moves.filter(({ owner }) => owner.kind === kind).length]));
}

type Report = (progress: { readonly message: string; readonly increment: number }) => void;

/** Shows the progress of moves. Canceling only stops watching: the result is then undefined, and the moves continue. */
async function withProgress<T>(title: string, run: (report: Report, signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const { Notification: location } = vscode.ProgressLocation;
  const shownTitle = l10n.t('{0} (Cancel only stops watching)', title);
  return vscode.window.withProgress({ location, title: shownTitle, cancellable: true }, async (progress, token) => {
    token.onCancellationRequested(() => stop.abort());
    try {
      return await run((step) => progress.report(step), stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return undefined;
      throw error;
    }
  });
}
