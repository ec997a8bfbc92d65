import { commands } from '../ids.ts';
import type { FlowRow } from './rows.ts';
import type { OAuthFlows } from './view.ts';

/** Creates the commands of the OAuth flows view, whose bundle is loaded when the first one runs. */
export function oauthFlowCommands(view: () => Promise<OAuthFlows>) {
  return {
    [commands.oauthFlowsRefresh]: async () => (await view()).refresh(),
    [commands.oauthFlowsOpenInBrowser]: async (row?: FlowRow) => (await view()).openInBrowser(row),
    [commands.oauthFlowsCopy]: async (row?: FlowRow) => (await view()).copy(row),
  };
}
