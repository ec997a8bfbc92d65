// The code that errors happened in, and the marks at its lines. A separate bundle, loaded when an editor can be marked or a frame is opened.
import { createErrorCode, type ErrorCode, type ErrorCodeSettings } from '../errorCode/code.ts';
import { useTranslations } from '../support/translations.ts';
import { createMarks, type ErrorMarks, type ErrorMarkSettings } from './view.ts';

/** Marks lines until it is disposed. */
export function createErrorMarks(settings: ErrorMarkSettings): ErrorMarks {
  useTranslations();
  return createMarks(settings);
}

/** Finds code until it is disposed. */
export function createCode(settings: ErrorCodeSettings): ErrorCode {
  useTranslations();
  return createErrorCode(settings);
}
