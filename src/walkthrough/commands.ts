import * as vscode from 'vscode';
import { commands, walkthroughs } from '../ids.ts';

/** `extensionId`: `publisher.name`. */
export function walkthroughCommands(extensionId: string) {
  return {
    [commands.walkthroughOpen]: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${walkthroughs.start}`),
  };
}
