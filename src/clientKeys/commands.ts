import type { ClientKeyActions, KeyTarget } from './actions.ts';
import { commands } from '../ids.ts';

/** Commands that create, copy, replace, test and delete client keys, with which SDKs report errors to a project. */
export function clientKeyCommands(actions: () => Promise<ClientKeyActions>) {
  return {
    [commands.clientKeysCreate]: async (target?: KeyTarget) => (await actions()).create(target),
    [commands.clientKeysCopyDsn]: async (target?: KeyTarget) => (await actions()).copyDsn(target),
    [commands.clientKeysDelete]: async (target?: KeyTarget) => (await actions()).remove(target),
    [commands.clientKeysRotate]: async (target?: KeyTarget) => (await actions()).rotate(target),
    [commands.clientKeysSendTestError]: async (target?: KeyTarget) => (await actions()).sendTestError(target),
    [commands.clientKeysOpenTerminal]: async (target?: KeyTarget) => (await actions()).openTerminal(target),
  };
}
