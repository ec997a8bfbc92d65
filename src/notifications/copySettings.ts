import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { failureOfAny } from '../api/failures.ts';
import type { NotificationApi } from './api.ts';
import { type ChangeOutcome, type FailedChange, makeChanges, type PlannedChange } from './changes.ts';
import { showFailedChanges } from './failedChanges.ts';
import { scopeFor } from './pickScope.ts';
import { pickTargets } from './pickTargets.ts';
import { createRequestQueue } from './requestQueue.ts';
import type { NotificationRow } from './rows.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';
import { changeTo, differenceOf, isReported, type KnownSetting } from './settings.ts';
import { formatDifference, formatLevel, nameOfScope } from './texts.ts';
import type { Notifications } from './view.ts';
import { loadedScope, offerUndo, showingFailures } from './write.ts';

/** Requests at once while the settings of the targets are read. */
const MAX_PARALLEL = 4;

/** Copies the settings of a scope to groups and projects, after showing the differences. */
export async function copySettings(notifications: Notifications, row: NotificationRow | undefined): Promise<void> {
  const signedIn = await notifications.signedInToWrite(row);
  if (signedIn === undefined) return;
  const { account, api } = signedIn;
  const title = l10n.t('Copy Notification Settings');
  const source = await scopeFor(signedIn, row, title);
  if (source === undefined) return;
  await showingFailures(async () => {
    const { own } = await loadedScope(signedIn, source);
    if (!isReported(own)) {
      const text = l10n.t('The instance does not report which events your global setting has, so they cannot be copied.');
      void vscode.window.showWarningMessage(text);
      return;
    }
    const targets = await pickTargets(api, source, signedIn.model().pins());
    if (targets === undefined || targets.length === 0) return;
    const { planned, same, failed } = await withProgress(
      l10n.t('Comparing notification settings…'),
      targets.length,
      (onProgress, signal) => compare(api, own, targets, onProgress, signal),
    );
    showFailedChanges({ made: [], failed, skipped: [] });
    if (planned.length === 0) {
      if (failed.length === 0)
        void vscode.window.showInformationMessage(l10n.t('The selected groups and projects already have these settings.'));
      return;
    }
    const confirmed = await confirm(source, own, planned, same);
    if (confirmed === undefined || confirmed.length === 0) return;
    const outcome = await withProgress<ChangeOutcome>(
      l10n.t('Copying notification settings…'),
      confirmed.length,
      (onProgress, signal) => makeChanges(api, confirmed, { onProgress, signal }),
    );
    notifications.changed(account.key, outcome.made);
    showFailedChanges(outcome);
    if (outcome.made.length > 0)
      void offerUndo(
        notifications,
        account,
        outcome.made.length === 1
          ? l10n.t('Notification settings copied to {0}.', nameOfScope(confirmed[0]?.scope ?? source))
          : l10n.t('Notification settings copied to {0} groups and projects.', outcome.made.length),
      );
  });
}

interface Comparison {
  readonly planned: readonly PlannedChange[];
  /** Number of targets that have the settings already. */
  readonly same: number;
  readonly failed: readonly FailedChange[];
}

async function compare(
  api: NotificationApi,
  own: KnownSetting,
  targets: readonly NotificationScope[],
  onProgress: () => void,
  signal: AbortSignal,
): Promise<Comparison> {
  const queue = createRequestQueue(MAX_PARALLEL);
  const planned = new Map<string, PlannedChange>();
  const failed: FailedChange[] = [];
  let same = 0;
  await Promise.all(
    targets.map((scope) =>
      queue.add(async () => {
        try {
          const before = await api.read(scope, signal);
          const change = changeTo(own);
          if (differenceOf(before, change) === undefined) same += 1;
          else planned.set(keyOfScope(scope), { scope, before, change });
        } catch (error) {
          if (!signal.aborted) failed.push({ scope, failure: failureOfAny(error) });
        }
        onProgress();
      }),
    ),
  );
  const inOrder = targets.map((scope) => planned.get(keyOfScope(scope))).filter((one) => one !== undefined);
  return { planned: signal.aborted ? [] : inOrder, same, failed };
}

/** Shows what would change in each target, and returns the changes that the user confirms. */
async function confirm(
  source: NotificationScope,
  own: KnownSetting,
  planned: readonly PlannedChange[],
  same: number,
): Promise<readonly PlannedChange[] | undefined> {
  const items = planned.map((one) => {
    const difference = differenceOf(one.before, one.change);
    return {
      one,
      label: one.scope.path,
      detail: difference === undefined ? '' : formatDifference(difference),
      iconPath: new vscode.ThemeIcon(one.scope.kind === 'group' ? 'organization' : 'repo'),
      picked: true,
    };
  });
  const title = l10n.t('Copy {0} from {1}', formatLevel(own.level), nameOfScope(source));
  const placeHolder =
    same === 0
      ? l10n.t('Check the differences and confirm what to change')
      : l10n.t('Check the differences and confirm what to change. {0} already have these settings.', same);
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true, matchOnDetail: true });
  return picked?.map(({ one }) => one);
}

/** Runs the work with a notification that shows its progress and can cancel it. */
async function withProgress<T>(
  title: string,
  total: number,
  work: (onProgress: () => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return work(() => progress.report({ increment: 100 / total }), abort.signal);
    },
  );
}
