import { commands } from '../ids.ts';
import type { Deprecations } from './deprecations.ts';

/** Creates the commands of the emulated platform. Their bundle is loaded when the first one runs. */
export function deprecationCommands(load: () => Promise<Deprecations>) {
  return {
    [commands.localShowMenu]: async () => (await load()).menus.showMenu(),
    [commands.localEmulateRelease]: async () => (await load()).menus.emulateRelease(),
    [commands.localEmulateTier]: async () => (await load()).menus.emulateTier(),
    [commands.localEmulateOffering]: async () => (await load()).menus.emulateOffering(),
    [commands.localEmulateDialect]: async () => (await load()).menus.emulateDialect(),
  };
}
