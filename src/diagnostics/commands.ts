import type * as vscode from 'vscode';
import { commands } from '../ids.ts';
import { copyDiagnostics, type DiagnosticsSettings } from './diagnostics.ts';

export interface DiagnosticsCommandSettings extends DiagnosticsSettings {
  /** Output channel with the log of the extension. */
  readonly channel: vscode.LogOutputChannel;
}

export function diagnosticsCommands(settings: DiagnosticsCommandSettings) {
  return {
    [commands.diagnosticsCopy]: () => copyDiagnostics(settings),
    [commands.logShow]: () => settings.channel.show(),
  };
}
