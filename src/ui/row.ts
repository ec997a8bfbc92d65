import { visible } from '../contract/visibleText.ts';
import type { ApiFailure } from '../api/failures.ts';
import type { IdentifiedRow } from './changedRows.ts';

/** Texts and icon of a row in a tree. */
export interface RowLook extends IdentifiedRow {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** Text for screen readers. */
  readonly spoken: string;
  /** Theme icon id; `color` is a theme color id. */
  readonly icon: string;
  readonly color: string | undefined;
  /** Scope that the sign-in of an account lacks for what the row would show. A click signs in again. */
  readonly missing?: { readonly account: string; readonly scope: string };
}

/** Returns the row with invisible characters in its texts replaced by their code points. */
export function visibleRow<R extends Pick<RowLook, 'label' | 'description' | 'tooltip' | 'spoken'>>(row: R): R {
  const { label, description, tooltip, spoken } = row;
  return {
    ...row,
    label: visible(label),
    description: visible(description),
    tooltip: visible(tooltip),
    spoken: visible(spoken),
  };
}

/** Returns a row with a message, for a tree without other rows. */
export function messageLook(id: string, label: string, icon: string): RowLook {
  return { id, label, description: '', tooltip: label, spoken: label, icon, color: undefined };
}

/** Returns a row that shows a failure. */
export function failureLook(id: string, failure: ApiFailure, text: string = failure.message): RowLook {
  const { account, scope } = failure;
  const look = messageLook(id, text, 'warning');
  return account === undefined || scope === undefined ? look : { ...look, missing: { account, scope } };
}
