// What users do with tracked errors. A separate bundle, loaded on first use.
import { useTranslations } from '../support/translations.ts';
import { createActions, type ErrorActions, type ErrorActionSettings } from './actions.ts';

/** Creates the owner of the actions. */
export function createErrorActions(settings: ErrorActionSettings): ErrorActions {
  useTranslations();
  return createActions(settings);
}
