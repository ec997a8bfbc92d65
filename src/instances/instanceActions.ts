// Commands about instances, and signing out. A separate bundle, loaded by the first of them.
import { signOut, signOutCurrent } from '../auth/signOut.ts';
import { useTranslations } from '../support/translations.ts';
import { addApplicationId } from './addInstance.ts';
import { removeInstance, type RemoveInstanceSettings } from './removeInstance.ts';
import { selectInstance, type SelectInstanceSettings } from './selectInstance.ts';
import { openTerminal, type TerminalSettings } from './terminal.ts';

export type InstanceActionSettings = SelectInstanceSettings & TerminalSettings & Pick<RemoveInstanceSettings, 'forget'>;

export function instanceActions() {
  useTranslations();
  return {
    select: selectInstance,
    remove: (settings: InstanceActionSettings) => removeInstance({ ...settings, signOut: settings.signIn.signOut }),
    openTerminal,
    addApplicationId,
    signOut,
    signOutCurrent,
  };
}
