/**
 * Maximum lengths of what is read from commits. Git accepts names and messages of any length, and everybody who opens a list of commits
 * would wait for them.
 */
const MAX_NAME = 255;
const MAX_TITLE_BYTES = 1024;
export const MAX_LISTED_MESSAGE_BYTES = 64 * 1024;
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Length of all messages of a list, after which only `MAX_TITLE_BYTES` of each further message are read. */
const MAX_MESSAGES_BYTES = 8 * 1024 * 1024;
/** Maximum number of bytes of a character in UTF-8. */
const CHARACTER = 4;

/** Number of bytes to read of a name or email address. */
export const NAME_BYTES = CHARACTER * MAX_NAME + CHARACTER;

/** Returns the beginning of a name or email address of an author, without half a character at its end. */
export function shortName(name: string): string {
  return name.length <= MAX_NAME ? name : name.slice(0, MAX_NAME).replace(/[\uD800-\uDBFF]$/, '');
}

export function shortTitle(title: string): string {
  return textOfBytes(title, MAX_TITLE_BYTES);
}

/** Returns the beginning of a text with at most `most` bytes of UTF-8, without half a character at its end. */
export function textOfBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.from(text.slice(0, most));
  return text.length <= most && bytes.length <= most ? text : decoded(bytes, most);
}

/** Decodes at most `most` bytes of a text in UTF-8, from `start` on. */
export function decoded(bytes: Buffer, most: number, start = 0): string {
  let end = Math.min(start + most, bytes.length);
  // Bytes inside of a character begin with the bits 10.
  if (end < bytes.length) while (end > start && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', start, end);
}

/** Returns messages of at most `most` bytes, and at most `MAX_TITLE_BYTES` of each after all together have become too long. */
export function createMessageLimit(most: number): (message: string) => string {
  let left = MAX_MESSAGES_BYTES;
  return (message) => {
    const short = textOfBytes(message, left > 0 ? most : MAX_TITLE_BYTES);
    left -= short.length;
    return short;
  };
}

/**
 * Returns a function that takes the output of git piece by piece, and leaves out what exceeds the lengths of fields. Fields end with NUL;
 * `limits` are the numbers of bytes of the fields of each record.
 */
export function createFieldLimit(limits: readonly number[]): (chunk: Buffer) => Buffer {
  let field = 0;
  let left = limits[0] ?? 0;
  return (chunk) => {
    const pieces: Buffer[] = [];
    // First byte that is not in `pieces` yet.
    let from = 0;
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(0, at);
      const end = found < 0 ? chunk.length : found;
      if (end - at > left) {
        pieces.push(chunk.subarray(from, at + left));
        from = end;
      }
      left = Math.max(left - (end - at), 0);
      at = end;
      if (found < 0) break;
      field = (field + 1) % limits.length;
      left = limits[field] ?? 0;
      at += 1;
    }
    if (from === 0 && pieces.length === 0) return chunk;
    return Buffer.concat([...pieces, chunk.subarray(from)]);
  };
}
