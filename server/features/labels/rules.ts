import { isLongerThan } from '../../support/textLength.ts';

/** Maximum length of a label title, in characters. */
const MAX_LENGTH = 255;

/** Maximum number of labels of an issue, merge request or epic. */
export const MAX_LABELS = 1000;

/** Returns the validation errors of a label title, with the messages of the API. */
export function labelErrors(title: string): string[] {
  if (title === '') return ["can't be blank", 'is invalid'];
  if (title.includes(',')) return ['is invalid'];
  return isLongerThan(title, MAX_LENGTH) ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : [];
}

/** A change to the labels of a resource; `labels` replaces all of them. */
export interface LabelInput {
  readonly labels?: readonly string[] | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** Returns the distinct titles after a change, in alphabetical order. */
export function changedLabels(before: readonly string[], input: LabelInput): string[] {
  const removed = new Set(input.remove ?? []);
  const labels = [...(input.labels ?? before), ...(input.add ?? [])].map((label) => label.trim());
  return [...new Set(labels)].filter((label) => label !== '' && !removed.has(label)).sort();
}

/** Label filter of a list: `None`, `Any` (both case-insensitive) or titles that must all match; undefined for no filter. */
export type RequestedLabels = readonly string[] | 'None' | 'Any' | undefined;

export function requestedLabels(labels: readonly string[] | undefined): RequestedLabels {
  if (labels === undefined || labels.length === 0) return undefined;
  const [only = ''] = labels;
  if (labels.length === 1 && /^none$/i.test(only)) return 'None';
  return labels.length === 1 && /^any$/i.test(only) ? 'Any' : [...new Set(labels)];
}

/** Escapes a text for HTML. */
export function asHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
