// Actions of users on tracked errors. They are a separate bundle, which is loaded on first use.
import { useTranslations } from '../support/translations.ts';
import { createActions, type ErrorActions, type ErrorActionSettings } from './actions.ts';

/** Creates the owner of the actions. */
export function createErrorActions(settings: ErrorActionSettings): ErrorActions {
  useTranslations();
  return createActions(settings);
}
