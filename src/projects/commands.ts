import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { browserUrl } from '../support/markdown.ts';
import type { Pages } from '../ui/openPage.ts';
import type { ProjectOrGroupKind } from './lists.ts';
import { pickProjectOrGroup } from './pick.ts';

/** Creates the commands that search projects and groups of the current instance and open them in the browser. */
export function projectCommands(connection: Connection, pages: Pages) {
  async function openInBrowser(kind: ProjectOrGroupKind): Promise<void> {
    const account = connection.current();
    if (account === undefined) {
      await vscode.commands.executeCommand(commands.signIn);
      return;
    }
    const { label } = connection.state().instance;
    const [title, placeholder] =
      kind === 'project'
        ? [l10n.t('Open Project in Browser'), l10n.t('Search the projects of {0}', label)]
        : [l10n.t('Open Group in Browser'), l10n.t('Search the groups of {0}', label)];
    const selected = await pickProjectOrGroup({ client: account.client(), kind, title, placeholder });
    if (selected === undefined) return;
    const page = browserUrl(selected.page);
    if (page !== undefined) await pages.open(page, account);
    else void vscode.window.showInformationMessage(l10n.t('No web page is available for {0}.', selected.path));
  }

  return {
    [commands.projectsOpenInBrowser]: () => openInBrowser('project'),
    [commands.groupsOpenInBrowser]: () => openInBrowser('group'),
  };
}
