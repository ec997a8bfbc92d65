import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Remedy } from '../contract/notificationDecisions.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Notifications } from '../notifications/view.ts';
import { offerUndo, showingFailures, writeChanges } from '../notifications/write.ts';
import type { Explanations } from './explanations.ts';
import type { Explanation } from './load.ts';
import { changeSubscription, isApplicable, planRemedy } from './requests.ts';
import { mayWrite } from '../ui/showFailure.ts';

export interface ChangeSettings {
  readonly explanations: Explanations;
  /** Returns the account of a document. */
  readonly accountOf: (document: vscode.Uri) => BoundAccount;
  /** Returns the Notifications view, which makes changes of settings and undoes them. */
  readonly notifications: () => Notifications;
}

/** Applies a remedy of the explanation that a document shows. Without an index, the user selects one. */
export async function changeDecision(
  { explanations, accountOf, notifications }: ChangeSettings,
  uri: vscode.Uri | undefined,
  index: number | undefined,
): Promise<void> {
  const explanation = uri && explanations.get(uri);
  if (uri === undefined || explanation === undefined) {
    void vscode.window.showInformationMessage(l10n.t('Open an explanation with “Why Would I Be Mailed?” first.'));
    return;
  }
  const possible = explanation.remedies.filter(({ remedy }) => isApplicable(remedy, explanation.thread));
  if (possible.length === 0) {
    void vscode.window.showInformationMessage(l10n.t('Nothing that would change this can be done here.'));
    return;
  }
  const account = accountOf(uri);
  if (!mayWrite(account)) return;
  const chosen = index === undefined ? await pickRemedy(possible) : explanation.remedies[index];
  if (chosen === undefined) return;
  await showingFailures(async () => {
    const isDone = await apply(account, notifications(), chosen.remedy, explanation);
    explanations.refresh(uri);
    const text = l10n.t('Done: {0}', chosen.sentence);
    if (isDone === 'undoable') await offerUndo(notifications(), account, text);
    else if (isDone === 'done') void vscode.window.showInformationMessage(account.named(text));
  });
}

async function pickRemedy(possible: Explanation['remedies']): Promise<Explanation['remedies'][number] | undefined> {
  const items = possible.map((one) => ({ ...one, label: one.sentence }));
  const title = l10n.t('Change Whether I Am Mailed');
  return vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select a change') });
}

/** Applies a remedy. Failures of settings are shown; others reject with an `ApiFailure`. */
async function apply(
  account: BoundAccount,
  notifications: Notifications,
  remedy: Remedy,
  { project, thread }: Explanation,
): Promise<'undoable' | 'done' | 'failed'> {
  if (remedy.kind === 'set_level' || remedy.kind === 'set_event') {
    const signedIn = notifications.signedInAs(account.key);
    if (signedIn === undefined) return 'failed';
    const planned = await planRemedy(account.client(), signedIn.api, remedy);
    return (await writeChanges(notifications, signedIn, [planned])) ? 'undoable' : 'failed';
  }
  const isSubscription = remedy.kind === 'subscribe' || remedy.kind === 'unsubscribe';
  if (!isSubscription || project === undefined || thread === undefined) return 'failed';
  await changeSubscription(account.client(), remedy.kind, project, thread);
  return 'done';
}
