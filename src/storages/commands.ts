import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { isRunning, type ProjectStorageMove } from '../contract/storageMoves.ts';
import { commands } from '../ids.ts';
import { pickProjectOrGroup } from '../projects/pick.ts';
import { sleep } from '../support/sleep.ts';
import { movesOf } from './model.ts';
import { loadMove, loadMoves, loadRemaining, moveAllProjects, moveProject, type Storage } from './requests.ts';
import { formatProjects, type StorageRow } from './rows.ts';
import type { Storages } from './view.ts';
import { checkStorage, watchMoves } from './watch.ts';

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
    await follow(client, [await moveProject(client, project.id ?? project.path, destination.storage?.name)]);
  }

  async function moveAll(client: Client, row: StorageRow | undefined): Promise<void> {
    const title = l10n.t('Move All Projects of a Storage');
    const source =
      row?.kind === 'storage' ? row.storage : await pickStorage(title, l10n.t('Select the storage to move projects from'));
    if (source === undefined) return;
    const { name } = source;
    const { count } = await loadRemaining(client, name);
    if (count === 0) {
      void vscode.window.showInformationMessage(l10n.t('There are no projects on {0}.', name));
      return;
    }
    const destination = await pickDestination(title, name);
    if (destination === undefined || !(await isConfirmed(name, destination.storage?.name, count))) return;
    const after = (await loadMoves(client))[0]?.id ?? 0;
    await moveAllProjects(client, name, destination.storage?.name);
    void view().refresh();
    await watchAll(client, name, after, count ?? Number.POSITIVE_INFINITY);
  }

  /** Shows the progress until all projects of a storage have moved or the user stops watching. */
  async function watchAll(client: Client, storage: string, after: number, expected: number): Promise<void> {
    const total = Number.isFinite(expected) ? expected.toLocaleString(vscode.env.language) : '?';
    let shown = 0;
    const result = await withProgress(l10n.t('Moving the projects of {0}', storage), (report, signal) =>
      watchMoves({
        ...{ client, storage, after, expected, sleep, signal },
        onProgress: ({ done, failed }) => {
          const ended = Math.min(done + failed, expected);
          const increment = Number.isFinite(expected) ? ((ended - shown) / expected) * 100 : 0;
          shown = ended;
          report({ message: l10n.t('{0} of {1}', ended.toLocaleString(vscode.env.language), total), increment });
        },
      }),
    );
    await view().refresh();
    if (result === undefined) return;
    if (result.failed === 0) {
      void vscode.window.showInformationMessage(
        l10n.t('Moved from {0}: {1}.', storage, formatProjects(result.done, vscode.env.language)),
      );
      return;
    }
    await offerRetry(client, storage, l10n.t('Moves from {0} that failed: {1}.', storage, result.failed));
  }

  async function offerRetry(client: Client, storage: string, text: string): Promise<void> {
    const retry = l10n.t('Retry');
    if ((await vscode.window.showWarningMessage(text, retry)) === retry) await retryStorage(client, storage);
  }

  async function retryStorage(client: Client, storage: string | undefined): Promise<void> {
    const moves = await loadMoves(client);
    const storages = storage === undefined ? (await view().storages()).map(({ name }) => name) : [storage];
    const failed = storages.flatMap((name) => movesOf(name, moves).failed);
    if (failed.length === 0) void vscode.window.showInformationMessage(l10n.t('No move has failed.'));
    else await schedule(client, failed);
  }

  /** Schedules moves again, to the same destinations. */
  async function schedule(client: Client, failed: readonly ProjectStorageMove[]): Promise<void> {
    const again: ProjectStorageMove[] = [];
    for (const { project, destination_storage_name: destination } of failed)
      again.push(await moveProject(client, project.id, destination));
    await follow(client, again);
  }

  /** Shows the progress of moves until all have ended or the user stops watching. */
  async function follow(client: Client, moves: readonly ProjectStorageMove[]): Promise<void> {
    void view().refresh();
    const [first] = moves;
    if (first === undefined) return;
    const { project, destination_storage_name: destination } = first;
    const title =
      moves.length === 1
        ? l10n.t('Moving {0} to {1}', project.path_with_namespace, destination)
        : l10n.t('Moving projects: {0}', moves.length.toLocaleString(vscode.env.language));
    const ended = await withProgress(title, async (_, signal) => {
      const results: ProjectStorageMove[] = [];
      for (const { id } of moves) results.push(await untilEnded(client, id, signal));
      return results;
    });
    await view().refresh();
    if (ended === undefined) return;
    const failed = ended.filter(({ state }) => state !== 'finished');
    if (failed.length > 0) {
      const text =
        moves.length === 1
          ? l10n.t('The move of {0} to {1} failed. Most failures are temporary.', project.path_with_namespace, destination)
          : l10n.t('Moves that failed: {0}. Most failures are temporary.', failed.length);
      const retry = l10n.t('Retry');
      if ((await vscode.window.showWarningMessage(text, retry)) === retry) await schedule(client, failed);
      return;
    }
    void vscode.window.showInformationMessage(
      moves.length === 1
        ? l10n.t('{0} is now on {1}.', project.path_with_namespace, destination)
        : l10n.t('Moved: {0}.', formatProjects(moves.length, vscode.env.language)),
    );
  }

  async function check(client: Client, row: StorageRow | undefined): Promise<void> {
    const storage =
      row?.kind === 'storage' ? row.storage : await pickStorage(l10n.t('Is the Storage Empty?'), l10n.t('Select a storage'));
    if (storage === undefined) return;
    const { name } = storage;
    const { remaining, running, failed } = await checkStorage(client, name);
    const locale = vscode.env.language;
    if (remaining.count === 0 && running === 0 && failed === 0) {
      void vscode.window.showInformationMessage(l10n.t('No project is left on {0}, and all recent moves have finished.', name));
      return;
    }
    const isMore = remaining.count === undefined || remaining.count > remaining.paths.length;
    const left = `${remaining.paths.join(', ')}${isMore ? ', …' : ''}`;
    const text = [
      remaining.count === 0
        ? l10n.t('No project is left on {0}.', name)
        : l10n.t('Still on {0}: {1} ({2}).', name, formatProjects(remaining.count, locale), left),
      ...(running === 0 ? [] : [l10n.t('Running moves: {0}.', running.toLocaleString(locale))]),
      ...(failed === 0 ? [] : [l10n.t('Failed moves: {0}.', failed.toLocaleString(locale))]),
    ].join(' ');
    if (failed > 0) await offerRetry(client, name, text);
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
    description: formatProjects(storage.projects, vscode.env.language),
    iconPath: new vscode.ThemeIcon('database'),
    storage,
  };
}

async function isConfirmed(source: string, destination: string | undefined, count: number | undefined): Promise<boolean> {
  const projects = formatProjects(count, vscode.env.language);
  const text =
    destination === undefined
      ? l10n.t('Move {0} away from {1}?', projects, source)
      : l10n.t('Move {0} from {1} to {2}?', projects, source, destination);
  const detail = l10n.t('Each project is read-only while its repository moves. Pushes to it are refused until then.');
  const move = l10n.t('Move');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, move)) === move;
}

async function untilEnded(client: Client, id: number, signal: AbortSignal): Promise<ProjectStorageMove> {
  for (;;) {
    const move = await loadMove(client, id, signal);
    if (!isRunning(move)) return move;
    await sleep(INTERVAL, signal);
    signal.throwIfAborted();
  }
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
