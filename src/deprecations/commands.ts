import { commands } from '../ids.ts';
import type { Deprecations } from './deprecations.ts';
import type { CallRow } from './rows.ts';

/** Creates the commands of the view and of the emulated platform. Their bundle is loaded when the first one runs. */
export function deprecationCommands(load: () => Promise<Deprecations>) {
  return {
    [commands.deprecationsRefresh]: async () => (await load()).view().refresh(),
    [commands.deprecationsSelectRelease]: async () => (await load()).view().selectRelease(),
    [commands.deprecationsOpenInBrowser]: async (row?: CallRow) => (await load()).view().openInBrowser(row),
    [commands.deprecationsCopyReplacement]: async (row?: CallRow) => (await load()).view().copyReplacement(row),
    [commands.localShowMenu]: async () => (await load()).menus.showMenu(),
    [commands.localEmulateRelease]: async () => (await load()).menus.emulateRelease(),
    [commands.localEmulateTier]: async () => (await load()).menus.emulateTier(),
    [commands.localEmulateOffering]: async () => (await load()).menus.emulateOffering(),
    [commands.localEmulateDialect]: async () => (await load()).menus.emulateDialect(),
  };
}
