import { commands } from '../ids.ts';
import { removeInstance, type RemoveInstanceSettings } from './removeInstance.ts';
import { selectInstance, type SelectInstanceSettings } from './selectInstance.ts';
import { openTerminal, type TerminalSettings } from './terminal.ts';

export function instanceCommands(settings: SelectInstanceSettings & TerminalSettings & Pick<RemoveInstanceSettings, 'forget'>) {
  return {
    [commands.instanceSelect]: () => selectInstance(settings),
    [commands.instanceRemove]: () => removeInstance({ ...settings, signOut: settings.signIn.signOut }),
    [commands.instanceOpenTerminal]: () => openTerminal(settings),
  };
}
