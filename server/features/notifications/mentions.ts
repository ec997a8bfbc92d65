import { findUserByName } from '../../identity/identity.ts';
import type { Platform } from '../../platform.ts';

/** Maximum number of different usernames that are looked up per text. */
const MAX_NAMES = 500;

/** Code, where nobody is mentioned. */
const CODE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\2(?!`)/gm;

/** A username outside of words, email addresses, URLs and paths. It does not end with punctuation. */
const MENTION = /(?<![\w&/#!@.~-])@(\w(?:[\w.-]*\w)?)(?![\w-])/g;

/** Returns the usernames that a Markdown text mentions, in lower case, without checking that they exist. */
export function mentionedNames(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const names = new Set<string>();
  for (const [, name = ''] of text.replaceAll(CODE, ' ').matchAll(MENTION)) {
    names.add(name.toLowerCase());
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

/** Returns the IDs of the users whom some texts mention. */
export function mentionedIds(platform: Platform, texts: readonly (string | null)[]): readonly number[] {
  const names = new Set(texts.flatMap((text) => mentionedNames(text ?? '')));
  return [...names].flatMap((name) => findUserByName(platform, name)?.id ?? []);
}
