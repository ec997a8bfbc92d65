/**
 * Returns a text without some characters at both ends. A regular expression such as `/[.]+$/` takes quadratic time, because it is tried
 * from each of these characters, wherever they occur.
 */
export function trimmed(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start), characters);
}

/** Returns a text without some characters at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
