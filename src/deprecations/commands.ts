import { commands } from '../ids.ts';
import type { CallRow } from './rows.ts';
import type { DeprecationsView } from './view.ts';

/** Commands of the view Deprecations, whose bundle is loaded when the first one runs. */
export function deprecationCommands(view: () => Promise<DeprecationsView>) {
  return {
    [commands.deprecationsRefresh]: async () => (await view()).refresh(),
    [commands.deprecationsSelectRelease]: async () => (await view()).selectRelease(),
    [commands.deprecationsOpenInBrowser]: async (row?: CallRow) => (await view()).openInBrowser(row),
    [commands.deprecationsCopyReplacement]: async (row?: CallRow) => (await view()).copyReplacement(row),
  };
}
