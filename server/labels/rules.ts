import { isLongerThan } from '../textLength.ts';

/** Longest title of a label. */
const MAX_LENGTH = 255;

/** One issue, merge request or epic carries at most this many labels. */
export const MAX_LABELS = 1000;

/** What is wrong with a label's title, in the words of the wire. */
export function labelErrors(title: string): string[] {
  if (title === '') return ["can't be blank", 'is invalid'];
  if (title.includes(',')) return ['is invalid'];
  return isLongerThan(title, MAX_LENGTH) ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : [];
}

/** What is to become of the labels of something; `labels` takes the place of those that it has. */
export interface LabelInput {
  readonly labels?: readonly string[] | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** The titles after a change, without repetitions, in alphabetical order. */
export function changedLabels(before: readonly string[], input: LabelInput): string[] {
  const removed = new Set(input.remove ?? []);
  const labels = [...(input.labels ?? before), ...(input.add ?? [])].map((label) => label.trim());
  return [...new Set(labels)].filter((label) => label !== '' && !removed.has(label)).sort();
}

/** What a list asks of labels: `None` and `Any` stand alone, in any case; otherwise all of these are wanted. Undefined: anything. */
export type RequestedLabels = readonly string[] | 'None' | 'Any' | undefined;

export function requestedLabels(labels: readonly string[] | undefined): RequestedLabels {
  if (labels === undefined || labels.length === 0) return undefined;
  const [only = ''] = labels;
  if (labels.length === 1 && /^none$/i.test(only)) return 'None';
  return labels.length === 1 && /^any$/i.test(only) ? 'Any' : [...new Set(labels)];
}

/** A text as HTML that shows it. */
export function asHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
