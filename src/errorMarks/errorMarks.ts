// Marks at the lines of errors in editors. A separate bundle, loaded when there is an editor to mark.
import { useTranslations } from '../support/translations.ts';
import { createMarks, type ErrorMarks, type ErrorMarkSettings } from './view.ts';

/** Marks lines until it is disposed. */
export function createErrorMarks(settings: ErrorMarkSettings): ErrorMarks {
  useTranslations();
  return createMarks(settings);
}
