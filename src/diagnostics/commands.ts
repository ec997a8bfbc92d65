import type * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { DiagnosticsSettings } from './diagnostics.ts';

export interface DiagnosticsCommandSettings extends DiagnosticsSettings {
  /** Output channel with the log of the extension. */
  readonly channel: vscode.LogOutputChannel;
}

export function diagnosticsCommands(settings: DiagnosticsCommandSettings) {
  return {
    [commands.diagnosticsCopy]: async () => (await import('./diagnostics.ts')).copyDiagnostics(settings),
    [commands.logShow]: () => settings.channel.show(),
  };
}
