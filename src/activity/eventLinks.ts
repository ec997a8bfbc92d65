import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { commands } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { isLocalKey } from '../instances/accountKey.ts';
import { type Instances, isSameInstance } from '../instances/instances.ts';
import type { Uris } from '../ui/uris.ts';
import { type EventLink, readEventLink } from './documentAddress.ts';
import { findEvent } from './findEvent.ts';
import { createPendingLink } from './pendingLink.ts';
import { showFailure } from '../ui/showFailure.ts';

export interface EventLinkSettings {
  readonly uris: Uris;
  readonly connection: Connection;
  readonly instances: Instances;
  readonly memory: vscode.Memento;
  readonly loaded: (account: string, id: number) => ActivityEvent | undefined;
  readonly open: (event: ActivityEvent, account: BoundAccount) => Promise<void>;
}

/** Handles links such as `vscode://signalbox.signalbox/event/12?instance=…`. */
export function registerEventLinks(settings: EventLinkSettings): vscode.Disposable {
  const { uris, connection, instances, memory, loaded, open } = settings;
  const pending = createPendingLink(memory, Date.now);

  async function follow(link: EventLink): Promise<void> {
    const instance = instances.all().find(({ key }) => isSameInstance(key, link.instance));
    if (instance === undefined) {
      void vscode.window.showInformationMessage(
        isLocalKey(link.instance)
          ? l10n.t('This link belongs to another data profile of the local server. Select that data profile first.')
          : l10n.t('This link belongs to {0}. Add that instance first.', link.instance),
      );
      return;
    }
    await pending.set(link);
    if (instances.current().key !== instance.key) {
      const question = l10n.t('This link belongs to {0}. Switch to that instance?', instance.label);
      const show = l10n.t('Switch');
      if ((await vscode.window.showInformationMessage(question, { modal: true }, show)) !== show) {
        await pending.set(undefined);
        return;
      }
      await instances.select(instance.key);
    }
    const { kind } = connection.state();
    if (kind === 'serverStopped' || kind === 'serverFailed') {
      const start = l10n.t('Start Local Server');
      const text = l10n.t('Start the local server to open this link.');
      if ((await vscode.window.showInformationMessage(text, start)) === start)
        await vscode.commands.executeCommand(commands.localStart);
    }
    if (connection.state().kind === 'signedOut') {
      const signIn = l10n.t('Sign In');
      const text = l10n.t('Sign in to {0} to open this link.', instance.label);
      if ((await vscode.window.showInformationMessage(text, signIn)) === signIn)
        await vscode.commands.executeCommand(commands.signIn);
    }
    await resume();
  }

  /** Opens the pending link once an account is signed in to its instance. */
  async function resume(): Promise<void> {
    const link = pending.get();
    const account = connection.current();
    if (link === undefined || account?.instance !== link.instance) return;
    await pending.set(undefined);
    try {
      const event = loaded(account.key, link.event) ?? (await findEvent(account.client(), link.event));
      if (event !== undefined) await open(event, account);
      else
        void vscode.window.showInformationMessage(
          l10n.t("Event not found. It may be too old or deleted, or this account doesn't have access to it."),
        );
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      void showFailure(failure);
    }
  }

  const route = uris.register('event', async (uri) => {
    const link = readEventLink(uri);
    if (link === undefined) uris.unknown();
    else await follow(link);
  });
  void resume();
  return vscode.Disposable.from(
    route,
    connection.onDidChange(() => void resume()),
  );
}
