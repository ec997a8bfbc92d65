import { trimmed } from '../../support/trim.ts';

/** Maximum length of the name and path of a project. */
const MAX_LENGTH = 255;
const NAME_MESSAGE =
  "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.";
const PATH_MESSAGE = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'";

/** Returns the validation errors of a project name, as sent in the API. */
export function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  if (name.length > MAX_LENGTH) return [`is too long (maximum is ${MAX_LENGTH} characters)`];
  return /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{Pd}\p{M}\p{Extended_Pictographic}\u200d_.+ -]*$/u.test(name)
    ? []
    : [NAME_MESSAGE];
}

export function pathErrors(path: string): string[] {
  if (path === '') return ["can't be blank"];
  if (path.length > MAX_LENGTH) return [`is too long (maximum is ${MAX_LENGTH} characters)`];
  const isPlain = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) && !/^\.{1,2}$/.test(path);
  return isPlain && !/\.(?:git|atom)$/i.test(path) ? [] : [PATH_MESSAGE];
}

export function topicErrors(topics: readonly string[]): string[] {
  return [
    ...(topics.some((topic) => topic.length > MAX_LENGTH) ? ['must be 1 to 255 characters long'] : []),
    ...(topics.some((topic) => /[\r\n]/.test(topic)) ? ['must not contain line breaks'] : []),
  ];
}

/** Normalizes topics: trimmed, without empty ones and without duplicates, ignoring case. */
export function tidyTopics(topics: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const topic of topics.map((text) => text.trim()).filter((text) => text !== '')) {
    if (!known.has(topic.toLowerCase())) known.set(topic.toLowerCase(), topic);
  }
  return [...known.values()];
}

/** Derives a path from a name: lower-case ASCII letters and digits separated by dashes. */
export function pathFromName(name: string): string {
  const dashed = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.]+/g, '-');
  return trimmed(dashed, '-.');
}
