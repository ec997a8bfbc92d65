import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import type { ApprovalPage } from '../auth/dialogs.ts';
import type { UserBasic } from '../contract/identity.ts';
import { type Log, messageOf } from '../support/log.ts';
import { createLocalControl, type LocalControl } from './control.ts';
import type { Supervisor } from './supervisor.ts';

interface PersonItem extends vscode.QuickPickItem {
  readonly username?: string;
}

/**
 * The page on which somebody approves. Nobody knows a password of the local server's people, so for that server it is a link that
 * signs one of them in first, as the person chooses.
 */
export function createApprovalPage(
  supervisor: Supervisor,
  adminToken: () => Promise<string>,
  send: Send,
  log: Log,
): ApprovalPage {
  async function peopleOf(control: LocalControl): Promise<readonly UserBasic[]> {
    try {
      return await control.people();
    } catch (error) {
      log.warn(`The people of the local server could not be listed: ${messageOf(error)}`);
      return [];
    }
  }

  async function linkFor(control: LocalControl, username: string, plain: string): Promise<string> {
    try {
      const { pathname, search } = new URL(plain);
      return await control.signInLink(username, `${pathname}${search}`);
    } catch (error) {
      log.warn(`No sign-in link for @${username}: ${messageOf(error)}`);
      return plain;
    }
  }

  return async (instance, plain) => {
    const origin = supervisor.origin();
    if (instance.kind !== 'local' || origin === undefined) return plain;
    const control = createLocalControl(origin, await adminToken(), send, Date.now);
    const people = await peopleOf(control);
    if (people.length === 0) return plain;
    const picked = await vscode.window.showQuickPick(itemsOf(people), {
      title: l10n.t('Sign In to Local Server'),
      placeHolder: l10n.t('Select the user who approves in the browser'),
      matchOnDescription: true,
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    return picked.username === undefined ? plain : linkFor(control, picked.username, plain);
  };
}

function itemsOf(people: readonly UserBasic[]): PersonItem[] {
  const persons = people.map(({ name, username }) => ({
    label: name,
    description: `@${username}`,
    iconPath: new vscode.ThemeIcon('account'),
    username,
  }));
  return [
    ...persons,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: l10n.t('Another user (sign in with a password)'), iconPath: new vscode.ThemeIcon('globe') },
  ];
}
