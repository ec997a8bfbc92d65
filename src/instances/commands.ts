import { commands } from '../ids.ts';
import type { InstanceActionSettings } from './instanceActions.ts';

export function instanceCommands(settings: InstanceActionSettings) {
  const actions = async () => (await import('./instanceActions.ts')).instanceActions();
  return {
    [commands.instanceSelect]: async () => (await actions()).select(settings),
    [commands.instanceRemove]: async () => (await actions()).remove(settings),
    [commands.instanceOpenTerminal]: async () => (await actions()).openTerminal(settings),
  };
}
