import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import type { Remedy } from '../contract/notificationDecisions.ts';
import type { Connection } from '../instances/connection.ts';
import type { Notifications } from '../notifications/view.ts';
import { offerUndo, showingFailures, writeChanges } from '../notifications/write.ts';
import type { Explanations } from './explanations.ts';
import type { Explanation } from './load.ts';
import { changeSubscription, isApplicable, planRemedy } from './requests.ts';

export interface ChangeSettings {
  readonly explanations: Explanations;
  readonly connection: Connection;
  /** Returns the Notifications view, which makes changes of settings and undoes them. */
  readonly notifications: () => Notifications;
}

/** Applies a remedy of the explanation that a document shows. Without an index, the user selects one. */
export async function changeDecision(
  { explanations, connection, notifications }: ChangeSettings,
  uri: vscode.Uri | undefined,
  index: number | undefined,
): Promise<void> {
  const explanation = uri && explanations.get(uri);
  const client = connection.client();
  if (uri === undefined || explanation === undefined || client === undefined) {
    void vscode.window.showInformationMessage(l10n.t('Open an explanation with “Why Would I Be Mailed?” first.'));
    return;
  }
  const possible = explanation.remedies.filter(({ remedy }) => isApplicable(remedy, explanation.thread));
  if (possible.length === 0) {
    void vscode.window.showInformationMessage(l10n.t('Nothing that would change this can be done here.'));
    return;
  }
  const chosen = index === undefined ? await pickRemedy(possible) : explanation.remedies[index];
  if (chosen === undefined) return;
  await showingFailures(async () => {
    const isDone = await apply(client, notifications, chosen.remedy, explanation);
    explanations.refresh(uri);
    const text = l10n.t('Done: {0}', chosen.sentence);
    if (isDone === 'undoable') await offerUndo(text);
    else if (isDone === 'done') void vscode.window.showInformationMessage(text);
  });
}

async function pickRemedy(possible: Explanation['remedies']): Promise<Explanation['remedies'][number] | undefined> {
  const items = possible.map((one) => ({ ...one, label: one.sentence }));
  const title = l10n.t('Change Whether I Am Mailed');
  return vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select a change') });
}

/** Applies a remedy. Failures of settings are shown; others reject with an `ApiFailure`. */
async function apply(
  client: Client,
  notifications: () => Notifications,
  remedy: Remedy,
  { project, thread }: Explanation,
): Promise<'undoable' | 'done' | 'failed'> {
  if (remedy.kind === 'set_level' || remedy.kind === 'set_event') {
    const view = notifications();
    const signedIn = await view.signedIn();
    if (signedIn === undefined) return 'failed';
    const planned = await planRemedy(client, signedIn.api, remedy);
    return (await writeChanges(view, signedIn, [planned])) ? 'undoable' : 'failed';
  }
  const isSubscription = remedy.kind === 'subscribe' || remedy.kind === 'unsubscribe';
  if (!isSubscription || project === undefined || thread === undefined) return 'failed';
  await changeSubscription(client, remedy.kind, project, thread);
  return 'done';
}
