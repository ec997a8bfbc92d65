// The panels that show one error each. A separate bundle, loaded on first use.
import { useTranslations } from '../support/translations.ts';
import { createErrorPanels, type ErrorPanels, type ErrorPanelSettings } from './panel.ts';

/** Creates the owner of the panels. */
export function createErrorPanel(settings: ErrorPanelSettings): ErrorPanels {
  useTranslations();
  return createErrorPanels(settings);
}
