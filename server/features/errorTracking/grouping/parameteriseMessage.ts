/** Limits of the text that is compared: number of lines, and length of each. Applied before any pattern. */
const MAX_LINES = 2;
const MAX_LINE_LENGTH = 2_000;
/** Only this many UTF-16 units are searched for the first lines. */
const MAX_TEXT_LENGTH = 16_384;

// Boundaries: not inside a word or a number of another kind.
const start = '(?<![A-Za-z0-9])';
const end = '(?![A-Za-z0-9])';
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M)?(?:Z| ?UTC| ?GMT| ?[+-]\d{2}:?\d{2})?`;
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';

/**
 * Variable parts of texts, in the order in which they are matched: addresses contain numbers, and dates consist of them. All
 * repetitions are bounded, so that matching takes linear time.
 */
const kinds = {
  url: String.raw`${start}[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]{1,1500}`,
  email: String.raw`(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6}`,
  trace: `${start}[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}${end}`,
  uuid: `${start}[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}${end}`,
  date: String.raw`${start}(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:${[
    String.raw`\d{4}[-/]\d{1,2}[-/]\d{1,2}`,
    String.raw`\d{1,2}[-/.]\d{1,2}[-/.]\d{4}`,
    String.raw`\d{1,2}[ -]${month},?[ -]\d{4}`,
    String.raw`${month} \d{1,2},? \d{4}`,
    String.raw`${month} {1,2}\d{1,2}(?= \d{1,2}:)`,
  ].join('|')})(?:(?:T|,? )${clock}(?: \d{4})?)?${end}`,
  time: `${start}${clock}${end}`,
  // `::1` does not start with a digit.
  ip: String.raw`(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}(?:\/\d{1,2})?|(?=[A-Fa-f:]{0,40}[0-9])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{1,4})(?::\d{1,5})?(?![\w.]\w)`,
  host: String.raw`(?<![\w.-])(?:localhost|(?:[A-Za-z0-9-]{1,63}\.){1,6}(?:com|net|org|io|dev|cloud|local|internal|example|test))(?::\d{1,5})?(?![\w-])`,
  hex: String.raw`${start}0x[0-9A-Fa-f]{1,64}${end}`,
  hash: `${start}(?=[0-9]{0,39}[A-Fa-f])(?=[A-Fa-f]{0,39}[0-9])[0-9A-Fa-f]{7,128}${end}`,
  // IDs of services: many letters and digits that are not a word.
  id: `${start}(?=[A-Za-z]{0,60}[0-9])(?=[0-9]{0,60}[A-Za-z])[A-Za-z0-9]{20,128}${end}`,
  duration: String.raw`${start}[+-]?\d{1,20}(?:\.\d{1,20})? ?(?:ns|us|\u00b5s|ms|s|sec|secs|seconds?|min|minutes?|h|hours?|days?)${end}`,
  float: String.raw`${start}[+-]?\d{1,40}\.\d{1,40}(?:[eE][+-]?\d{1,4})?${end}`,
  int: String.raw`${start}(?<!\w)-?\d{1,400}${end}|${start}\d{1,400}${end}`,
  quoted: String.raw`(?<==)(?:'[^'\n]{0,400}'|"[^"\n]{0,400}")`,
  bool: `(?<==)(?:true|false|True|False|TRUE|FALSE)${end}`,
};

const names = Object.keys(kinds);
const varying = new RegExp(
  Object.values(kinds)
    .map((pattern) => `(${pattern})`)
    .join('|'),
  'g',
);

/** Returns the first lines of a text that are not blank, with variable parts replaced by their kind: `user 17` → `user <int>`. */
export function parameterise(text: string): string {
  return firstLines(text, MAX_LINES)
    .map((line) => line.replace(varying, replaced))
    .join('\n');
}

function replaced(match: string, ...groups: unknown[]): string {
  const kind = names[groups.findIndex((group, index) => index < names.length && group !== undefined)];
  return kind === undefined ? match : `<${kind}>`;
}

/** Returns up to `most` lines that are not blank, trimmed and truncated. */
export function firstLines(text: string, most: number): string[] {
  const lines: string[] = [];
  const whole = text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
  for (let from = 0; from <= whole.length && lines.length < most; ) {
    const newline = whole.indexOf('\n', from);
    const to = newline < 0 ? whole.length : newline;
    const line = whole.slice(from, to).replaceAll('\0', '').trim().slice(0, MAX_LINE_LENGTH);
    if (line !== '') lines.push(line);
    from = to + 1;
  }
  return lines;
}
