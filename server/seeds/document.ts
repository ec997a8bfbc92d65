import type { Placed } from '../support/yaml.ts';

/** Path of a value in a seed file: `['projects', 2, 'issues', 0, 'title']`. */
export type Path = readonly (string | number)[];

/** Maximum size of a file, in bytes. */
export const MAX_SEED_BYTES = 2 * 1024 * 1024;

/** A validation error in a seed file. */
export interface Problem {
  readonly path: Path;
  /** Message that follows the name of the field: `is missing`. */
  readonly text: string;
}

/**
 * A refused seed file. Nothing of it was written. Each validation error is a line such as `seed.yaml:14: projects[2].issues[0].title is
 * missing`.
 */
export class SeedRefused extends Error {
  readonly validationErrors: readonly string[];
  constructor(validationErrors: readonly string[]) {
    super(validationErrors.join('\n'));
    this.validationErrors = validationErrors;
  }
}

/** Maximum number of reported validation errors, followed by the number of the others. */
const MAX_REPORTED = 200;

export function refusedAt(name: string, problems: readonly { readonly line: number; readonly text: string }[]): SeedRefused {
  const lines = problems.toSorted((one, other) => one.line - other.line).map(({ line, text }) => `${name}:${line}: ${text}`);
  const reported = [...new Set(lines)];
  const others = reported.length - MAX_REPORTED;
  return new SeedRefused(others > 0 ? [...reported.slice(0, MAX_REPORTED), `${name}: and ${others} more`] : reported);
}

/** Returns the refusal for problems of fields, with their lines. */
export function refusal(name: string, root: Placed, problems: readonly Problem[]): SeedRefused {
  return refusedAt(
    name,
    problems.map(({ path, text }) => ({
      line: lineOf(root, path),
      text: path.length === 0 ? `the file ${text}` : `${fieldName(path)} ${text}`,
    })),
  );
}

/** Returns the line of a field, or of its nearest existing parent. */
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

/** Returns a path as text, such as `projects[2].issues[0].title`. A name that is not an identifier is quoted. */
export function fieldName(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\w$]+$/.test(part)) return `[${JSON.stringify(part.slice(0, 200))}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** Returns the text of a file. Throws SeedRefused if it is too large or not UTF-8. */
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
    throw refusedAt(name, [{ line, text: 'the text is not valid UTF-8' }]);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Parses a file into values with line numbers. Throws SeedRefused. The YAML library is loaded with the first file. */
export async function readDocument(name: string, text: string): Promise<Placed> {
  const { readYaml } = await import('../support/yaml.ts');
  const reading = readYaml(text);
  if ('problems' in reading) throw refusedAt(name, reading.problems);
  return reading.root;
}
