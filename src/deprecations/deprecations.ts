// The menus of the emulated platform. A separate bundle, loaded on first use.
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../instances/connection.ts';
import type { Emulation } from '../local/emulation.ts';
import { createEmulationMenus } from '../local/emulationMenus.ts';

export interface DeprecationsSettings {
  readonly emulation: Emulation;
  readonly connection: Connection;
}

export type Deprecations = ReturnType<typeof createDeprecations>;

export function createDeprecations({ emulation, connection }: DeprecationsSettings) {
  // Each bundle has its own copy of @vscode/l10n.
  if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
  return { menus: createEmulationMenus(emulation, connection) };
}
