// Actions on client keys. A separate bundle, loaded by the first command about a client key.
import { useTranslations } from '../support/translations.ts';
import { type ClientKeyActions, type ClientKeyActionSettings, createActions } from './actions.ts';

export function createClientKeyActions(settings: ClientKeyActionSettings): ClientKeyActions {
  useTranslations();
  return createActions(settings);
}
