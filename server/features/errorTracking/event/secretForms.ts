/** Start of a token that is not inside a word. An escaped character such as `%20` or `\n` may precede it. */
const start = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[nrt]))`;

/**
 * Secrets that are recognised by their form anywhere in a text. Each pattern is a literal followed by one run of characters, or
 * by a few runs that cannot match the same characters, so that matching takes linear time.
 */
const forms = new RegExp(
  [
    'gh[pousr]_[A-Za-z0-9]{16,255}',
    'github_pat_[A-Za-z0-9_]{20,255}',
    'glpat-[A-Za-z0-9_-]{8,255}(?:\\.[A-Za-z0-9_-]{1,64}){0,3}',
    'gl(?:oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_-]{16,255}(?:\\.[A-Za-z0-9_-]{1,64}){0,3}',
    'glet_[A-Za-z0-9]{8,64}',
    'GR1348941[A-Za-z0-9_-]{16,255}',
    `${start}(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
    'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
    'xapp-[0-9]-[A-Za-z0-9-]{10,255}',
    `${start}[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}`,
    `${start}sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255}`,
    'AIza[A-Za-z0-9_-]{30,64}',
  ].join('|'),
  'g',
);
/** Prefixes of these secrets, and the markers of the patterns below. */
const prefixes =
  /gh[pousr]_|github_pat_|gl[a-z]{2,5}-|glet_|GR1348941|A[KS]IA|xox[a-z]-|xapp-|[sr]k_|sk-|AIza|eyJ|-----BEGIN|[Bb](?:earer|asic)|B(?:EARER|ASIC)|-----END/;
/** Length of the shortest text that can match. */
const MIN_LENGTH = 12;

/** A private key. If its end is missing, the base64 lines after its beginning. */
const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]{0,8000}-----END [A-Z ]{0,40}PRIVATE KEY-----|(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{20,200}){0,100}(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/]{0,100}={1,2})?)/g;
const schemes = /\b(bearer|basic)( {1,4}|%20)([A-Za-z0-9._~+/=-]{6,4000})/gi;
/** An AWS access key ID. Next to it, 40 characters of base64 are its secret key. */
const awsId = /(?:AKIA|ASIA)[A-Z0-9]{16}/;
const awsSecret = /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

/** Returns true if a text may hold a secret that is recognised by its form. May also return true for texts without one. */
export function mayHoldSecretForm(text: string): boolean {
  return text.length >= MIN_LENGTH && prefixes.test(text);
}

/** Returns true if a text holds a secret that is recognised by its form. */
export function holdsSecretForm(text: string): boolean {
  return withoutSecretForms(text, '') !== text;
}

/** Returns a text without the secrets that are recognised by their form, or the same text if there are none. */
export function withoutSecretForms(text: string, filtered: string): string {
  if (!mayHoldSecretForm(text)) return text;
  let scrubbed = text;
  if (text.includes('-----BEGIN')) scrubbed = scrubbed.replace(privateKey, filtered);
  if (awsId.test(scrubbed)) scrubbed = scrubbed.replace(awsSecret, filtered);
  scrubbed = scrubbed.replace(forms, filtered);
  if (text.includes('eyJ'))
    scrubbed = scrubbed.replace(tokenRun, (run, offset: number, whole: string) => withoutWebTokens(whole, run, offset, filtered));
  return scrubbed.replace(schemes, (whole, scheme: string, space: string, value: string) =>
    isCredential(scheme, value) ? `${scheme}${space}${filtered}` : whole,
  );
}

/** Characters of JSON Web Tokens. A single class, so that a run is read only once, however long it is. */
const tokenRun = /[A-Za-z0-9_.-]{20,}/g;
/** Start of a JSON object in base64url (RFC 7519). */
const OBJECT = 'eyJ';
const HEADER_LENGTH = 13;
/** Number of parts of an encrypted token (RFC 7516, section 3.1). */
const TOKEN_PARTS = 5;

/** Returns a run of token characters without the JSON Web Tokens in it. The run is at `offset` of the text. */
function withoutWebTokens(text: string, run: string, offset: number, filtered: string): string {
  const parts = run.split('.');
  const stored: string[] = [];
  let begin = offset;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const header = isTokenPart(parts[index + 1]) ? headerIn(text, part, begin) : -1;
    begin += part.length + 1;
    if (header < 0) {
      stored.push(part);
      continue;
    }
    stored.push(part.slice(0, header) + filtered);
    const end = Math.min(index + TOKEN_PARTS, parts.length);
    for (index += 1; index < end; index += 1) begin += (parts[index] ?? '').length + 1;
    index -= 1;
  }
  return stored.join('.');
}

/** Returns true if a part can follow the header of a token. */
function isTokenPart(part: string | undefined): boolean {
  return part !== undefined && (part.length >= 16 || (part.length >= 5 && part.startsWith(OBJECT)));
}

/** Returns where the header of a token begins in a part of a run, or -1. The part is at `offset` of the text. */
function headerIn(text: string, part: string, offset: number): number {
  for (let at = part.indexOf(OBJECT); at >= 0 && part.length - at >= HEADER_LENGTH; at = part.indexOf(OBJECT, at + 1)) {
    if (tokenBefore.test(text.slice(Math.max(offset + at - 3, 0), offset + at))) return at;
  }
  return -1;
}

/** Text that may precede a token: nothing, neither a letter nor a digit, or an escaped character such as `%20` or `\n`. */
const tokenBefore = /(?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2}|\\[nrt])$/;

const keyBegins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const keyEnds = /-----END [A-Z ]{0,40}PRIVATE KEY-----/;
/** A line of base64, in a file or in a string of source code, or a line between them that is empty or a header. */
const keyLine = /^[\s"'`+.]{0,200}[A-Za-z0-9+/=]{4,200}(?:\\[nr]){0,4}[\s"'`+;,.)\\]{0,20}$|^\s{0,200}$|^[A-Z][A-Za-z-]{1,30}: /;

/** Returns lines without private keys that span several lines, or the same lines if there are none. */
export function withoutKeyLines(lines: readonly string[], filtered: string): readonly string[] {
  if (!lines.some((line) => keyBegins.test(line) || keyEnds.test(line))) return lines;
  const stored = [...lines];
  lines.forEach((line, index) => {
    const begins = keyBegins.test(line);
    const ends = keyEnds.test(line);
    if (begins && !ends) {
      for (let at = index + 1; at < lines.length && isKeyLine(lines[at]); at += 1) stored[at] = filtered;
    } else if (ends && !begins) {
      for (let at = index - 1; at >= 0 && isKeyLine(lines[at]); at -= 1) stored[at] = filtered;
    }
  });
  return stored;
}

function isKeyLine(line: string | undefined): boolean {
  return line !== undefined && keyLine.test(line);
}

/**
 * Returns true if the value after `Bearer` or `Basic` is not a word, as it is in `Bearer token expired` or `Basic
 * authentication`.
 */
function isCredential(scheme: string, value: string): boolean {
  if (scheme.toLowerCase() === 'basic') return /^[A-Za-z0-9+/]{6,}={0,2}$/.test(value) && isUserAndPassword(value);
  return /[0-9_~+/=]/.test(value) || /[a-z][A-Z]/.test(value) || value.length >= 24;
}

function isUserAndPassword(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value.slice(0, 400), 'base64').toString('latin1'));
}
