// Commands of notification settings with longer dialogs. A separate bundle, loaded by the first of them.
import { useTranslations } from '../support/translations.ts';
import { copySettings } from './copySettings.ts';
import { deleteProfile, saveProfile } from './profileCommands.ts';
import { setEmail } from './setEmail.ts';
import { endProfile, startProfile } from './startProfile.ts';

export function notificationDialogs() {
  useTranslations();
  return { copySettings, setEmail, startProfile, endProfile, saveProfile, deleteProfile };
}
