import type { Placed } from './yaml.ts';

/** Where in a seed file something stands: `['projects', 2, 'issues', 0, 'title']`. */
export type Path = readonly (string | number)[];

/** Bytes of a file. */
export const MAX_SEED_BYTES = 2 * 1024 * 1024;

/** Something that is wrong with a seed file. */
export interface Problem {
  readonly path: Path;
  /** What follows the name of the field: `is missing`. */
  readonly text: string;
}

/** A seed file of which nothing was written. Every complaint is a line such as `seed.yaml:14: projects[2].issues[0].title is missing`. */
export class SeedRefused extends Error {
  readonly validationErrors: readonly string[];
  constructor(validationErrors: readonly string[]) {
    super(validationErrors.join('\n'));
    this.validationErrors = validationErrors;
  }
}

/** Complaints that are told; behind them it is said how many more there are. */
const MAX_REPORTED = 200;

export function refusedAt(name: string, problems: readonly { readonly line: number; readonly text: string }[]): SeedRefused {
  const lines = problems.toSorted((one, other) => one.line - other.line).map(({ line, text }) => `${name}:${line}: ${text}`);
  const reported = [...new Set(lines)];
  const left = reported.length - MAX_REPORTED;
  return new SeedRefused(left > 0 ? [...reported.slice(0, MAX_REPORTED), `${name}: and ${left} more`] : reported);
}

/** Problems of fields, with their lines. */
export function refusal(name: string, root: Placed, problems: readonly Problem[]): SeedRefused {
  return refusedAt(
    name,
    problems.map(({ path, text }) => ({
      line: lineOf(root, path),
      text: path.length === 0 ? `the file ${text}` : `${fieldName(path)} ${text}`,
    })),
  );
}

/** The line of a field, or of what it is missing in. */
export function lineOf(root: Placed, path: Path): number {
  let placed = root;
  for (const part of path) {
    const next = placed.members?.get(part);
    if (next === undefined) break;
    placed = next;
  }
  return placed.line;
}

export function valueAt(root: Placed, path: Path): unknown {
  let placed: Placed | undefined = root;
  for (const part of path) placed = placed?.members?.get(part);
  return placed?.value;
}

/** `projects[2].issues[0].title`; a name that is no word stands in quotes. */
export function fieldName(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\w$]+$/.test(part)) return `[${JSON.stringify(part.slice(0, 200))}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** The text of a file. Throws SeedRefused for one that is too large or no UTF-8. */
export function textOf(name: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_SEED_BYTES) {
    throw new SeedRefused([`${name}: the file is larger than ${MAX_SEED_BYTES / 1024 / 1024} MiB`]);
  }
  try {
    return decode(bytes);
  } catch {
    let line = 1;
    for (let begin = 0; begin <= bytes.length; line += 1) {
      const end = bytes.indexOf(0x0a, begin);
      const part = bytes.subarray(begin, end < 0 ? bytes.length : end);
      try {
        decode(part);
      } catch {
        break;
      }
      if (end < 0) break;
      begin = end + 1;
    }
    throw refusedAt(name, [{ line, text: 'the text is no UTF-8' }]);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Reads a file into values that know their lines. Throws SeedRefused. The library is loaded with the first one. */
export async function readDocument(name: string, text: string): Promise<Placed> {
  const { readYaml } = await import('./yaml.ts');
  const reading = readYaml(text);
  if ('problems' in reading) throw refusedAt(name, reading.problems);
  return reading.root;
}
