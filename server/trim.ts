/**
 * A text without some characters at its ends. A regular expression such as `/[.]+$/` takes the square of the length for it, because it is
 * tried from each of these characters, wherever they stand.
 */
export function trimmed(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start), characters);
}

/** A text without some characters at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
