/** Not within a word; also right behind an escaped character, such as `%20` or `\n`. */
const start = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[nrt]))`;
/** The same, and not within a run of base64url: so that such a run is read once, however long it is. */
const tokenStart = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2}|\\[nrt]))`;

/**
 * Secrets that are known by their form, wherever they stand. Each pattern is a literal with one run of characters behind it, or a few that
 * cannot match the same characters, so that no text takes more than linear time.
 */
const forms = new RegExp(
  [
    'gh[pousr]_[A-Za-z0-9]{16,255}',
    'github_pat_[A-Za-z0-9_]{20,255}',
    'glpat-[A-Za-z0-9_-]{8,255}(?:\\.[A-Za-z0-9_-]{1,64}){0,3}',
    'gl(?:oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_-]{16,255}(?:\\.[A-Za-z0-9_-]{1,64}){0,3}',
    'glet_[A-Za-z0-9]{8,64}',
    `${start}(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
    'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
    'xapp-[0-9]-[A-Za-z0-9-]{10,255}',
    `${start}[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}`,
    `${start}sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255}`,
    'AIza[A-Za-z0-9_-]{30,64}',
    // A JSON object in base64url, and at least one more part.
    `${tokenStart}eyJ[A-Za-z0-9_-]{10,4000}\\.(?:eyJ[A-Za-z0-9_-]{2,8000}|[A-Za-z0-9_-]{16,8000})(?:\\.[A-Za-z0-9_-]{0,8000}){0,3}`,
  ].join('|'),
  'g',
);
/** What each of them begins with, and the marks of those below. */
const beginnings =
  /gh[pousr]_|github_pat_|gl[a-z]{2,5}-|glet_|A[KS]IA|xox[a-z]-|xapp-|[sr]k_|sk-|AIza|eyJ|-----BEGIN|[Bb](?:earer|asic)|B(?:EARER|ASIC)/;
/** The shortest text in which one of them fits. */
const SHORTEST = 12;

/** A private key; where its end is cut off, the lines of base64 behind its beginning. */
const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]{0,8000}-----END [A-Z ]{0,40}PRIVATE KEY-----|(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{20,200}){0,100}(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/]{0,100}={1,2})?)/g;
const schemes = /\b(bearer|basic)( {1,4}|%20)([A-Za-z0-9._~+/=-]{6,4000})/gi;
/** An access key id of AWS makes 40 letters beside it its secret. */
const awsId = /(?:AKIA|ASIA)[A-Z0-9]{16}/;
const awsSecret = /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

/** Whether a text may hold a secret that is known by its form; true also of some that hold none. */
export function mayHoldSecretForm(text: string): boolean {
  return text.length >= SHORTEST && beginnings.test(text);
}

/** A text without the secrets that are known by their form; the same text when there are none. */
export function withoutSecretForms(text: string, filtered: string): string {
  if (!mayHoldSecretForm(text)) return text;
  let scrubbed = text;
  if (text.includes('-----BEGIN')) scrubbed = scrubbed.replace(privateKey, filtered);
  if (awsId.test(scrubbed)) scrubbed = scrubbed.replace(awsSecret, filtered);
  scrubbed = scrubbed.replace(forms, filtered);
  return scrubbed.replace(schemes, (whole, scheme: string, space: string, value: string) =>
    isCredential(scheme, value) ? `${scheme}${space}${filtered}` : whole,
  );
}

/** Whether what follows `Bearer` or `Basic` is no English word, as in `Bearer token expired` or `Basic authentication`. */
function isCredential(scheme: string, value: string): boolean {
  if (scheme.toLowerCase() === 'basic') return /^[A-Za-z0-9+/]{6,}={0,2}$/.test(value) && isUserAndPassword(value);
  return /[0-9_~+/=]/.test(value) || /[a-z][A-Z]/.test(value) || value.length >= 24;
}

function isUserAndPassword(value: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value.slice(0, 400), 'base64').toString('latin1'));
}
