/**
 * Returns true if a text is valid after the project path of a repository: lower case, with `.`, `_`, `-` and `/` as separators.
 */
export function isRepositoryName(name: string): boolean {
  const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
  return name === '' || (name.length <= 255 && new RegExp(`^${part}(?:/${part})*$`).test(name));
}

export function isTagName(name: string): boolean {
  return /^\w[\w.-]{0,127}$/.test(name);
}

export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

const units: readonly (readonly [pattern: RegExp, milliseconds: number])[] = [
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|dys?|days?)$/, 86_400_000],
  [/^(?:w|wks?|weeks?)$/, 604_800_000],
  [/^(?:mo|mos|mons?|months?)$/, 2_592_000_000],
  [/^(?:y|yrs?|years?)$/, 31_557_600_000],
];

/** Parses a duration such as `1h`, `2d` or `1 month 3 days` into milliseconds; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.toLowerCase().matchAll(/(\d{1,6})\s*([a-z]+)/g)];
  const rest = text.toLowerCase().replaceAll(/\d{1,6}\s*[a-z]+/g, '');
  if (parts.length === 0 || /[^\s,]/.test(rest)) return undefined;
  let total = 0;
  for (const [, number = '', unit = ''] of parts) {
    const [, milliseconds] = units.find(([pattern]) => pattern.test(unit)) ?? [];
    if (milliseconds === undefined) return undefined;
    total += Number(number) * milliseconds;
  }
  return total;
}
