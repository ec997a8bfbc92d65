import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { PageLinks } from '../local/pageLinks.ts';
import { browserUrl } from '../support/markdown.ts';

/** Opens web pages of the current instance in the browser. */
export interface Pages {
  /** Opens a page, on a local server as the account. Does nothing if the address is not one of a web page. */
  readonly open: (address: string | undefined, account: BoundAccount | undefined) => Promise<void>;
  /** Opens a page for administrators and says as whom. Rejects with an `ApiFailure` or a `TransportFailure`. */
  readonly openAsAdministrator: (path: string) => Promise<void>;
}

export function createPages(links: PageLinks): Pages {
  return {
    open: async (address, account) => {
      const page = browserUrl(address);
      if (page === undefined) return;
      const link = account === undefined ? page : await links.signedIn(page, account);
      await vscode.env.openExternal(vscode.Uri.parse(link, true));
    },
    openAsAdministrator: async (path) => {
      const link = await links.asAdministrator(path);
      if (link === undefined) return;
      const wasOpened = await vscode.env.openExternal(vscode.Uri.parse(link.address, true));
      if (!wasOpened || link.username === undefined) return;
      const text = l10n.t('Opened in the browser as the administrator @{0}.', link.username);
      void vscode.window.showInformationMessage(text);
    },
  };
}
