import * as vscode from 'vscode';
import { browserUrl } from '../support/markdown.ts';

/** Opens a web page in the browser. Does nothing if the address is not one of a web page. */
export async function openPage(address: string | undefined): Promise<void> {
  const page = browserUrl(address);
  if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page, true));
}
