import { visible } from '../contract/visibleText.ts';
import type { IdentifiedRow } from './changedRows.ts';

/** How a row of a tree looks and sounds. */
export interface RowLook extends IdentifiedRow {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** For the ear. */
  readonly spoken: string;
  /** Id of a theme icon, and of a theme color. */
  readonly icon: string;
  readonly color: string | undefined;
}

/** The same row with every invisible character of its texts as its code point. */
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

/** Something to be read in place of rows. */
export function messageLook(id: string, label: string, icon: string): RowLook {
  return { id, label, description: '', tooltip: label, spoken: label, icon, color: undefined };
}
