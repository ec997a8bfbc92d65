import { commands } from '../ids.ts';
import { selectInstance } from './selectInstance.ts';
import { openTerminal, type TerminalSettings } from './terminal.ts';

export function instanceCommands(settings: TerminalSettings) {
  return {
    [commands.instanceSelect]: () => selectInstance(settings.instances, settings.sessions),
    [commands.instanceOpenTerminal]: () => openTerminal(settings),
  };
}
