import { invalidRecord } from '../../core/errors.ts';
import { MAX_NUMBER } from '../../support/maxNumber.ts';

export interface Range {
  readonly minimum: 0 | 1;
  /** The largest value of integer columns on GitLab if omitted. */
  readonly maximum?: number;
}

/** Returns the validation errors of a number, with the texts of GitLab. */
export function rangeErrors({ minimum, maximum = MAX_NUMBER }: Range, value: number | undefined): readonly string[] {
  if (value === undefined) return [];
  if (value < minimum) return [minimum === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0'];
  return value > maximum ? [`must be less than or equal to ${maximum}`] : [];
}

/**
 * Takes the validation errors of values by name.
 *
 * @throws {Invalid} If there are any.
 */
export function demandNoErrors(errors: Readonly<Record<string, readonly string[]>>): void {
  const found = Object.entries(errors).filter(([, texts]) => texts.length > 0);
  if (found.length > 0) throw invalidRecord(Object.fromEntries(found));
}
