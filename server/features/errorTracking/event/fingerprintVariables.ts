/** A text of a fingerprint, or a variable in it: `{{ default }}`, `{{ transaction }}`, `{{ tags.tenant }}`. */
export interface FingerprintPiece {
  /** `text`, the name of a variable, `tag`, or `unknown` for a variable that does not exist. */
  readonly kind: 'text' | FingerprintVariable | 'tag' | 'unknown';
  /** The text, or the name of the tag, or the unknown variable as sent. */
  readonly text: string;
}

/** Variables and their other names. */
const variables = [
  ['default'],
  ['type', 'error.type'],
  ['message'],
  ['value', 'error.value'],
  ['transaction'],
  ['function', 'stack.function'],
  ['module', 'stack.module'],
  ['package', 'stack.package'],
  ['level'],
  ['logger'],
] as const;

export type FingerprintVariable = (typeof variables)[number][0];

const kindByName: ReadonlyMap<string, FingerprintVariable> = new Map(
  variables.flatMap(([kind, ...others]) => [kind, ...others].map((name) => [name, kind] as const)),
);
const VARIABLE = /\{\{([^{}]*)\}\}/g;
const TAG = 'tags.';

/** Returns the texts and variables of a token of a fingerprint. */
export function fingerprintPieces(token: string): readonly FingerprintPiece[] {
  if (!token.includes('{{')) return [{ kind: 'text', text: token }];
  const pieces: FingerprintPiece[] = [];
  let end = 0;
  for (const match of token.matchAll(VARIABLE)) {
    if (match.index > end) pieces.push({ kind: 'text', text: token.slice(end, match.index) });
    pieces.push(variableOf(match[1]?.trim() ?? '', match[0]));
    end = match.index + match[0].length;
  }
  if (end < token.length) pieces.push({ kind: 'text', text: token.slice(end) });
  return pieces;
}

function variableOf(name: string, sent: string): FingerprintPiece {
  const kind = kindByName.get(name);
  if (kind !== undefined) return { kind, text: '' };
  return name.startsWith(TAG) && name.length > TAG.length
    ? { kind: 'tag', text: name.slice(TAG.length) }
    : { kind: 'unknown', text: sent };
}

/** Returns true if tags count for a fingerprint. */
export function namesTags(fingerprint: readonly string[]): boolean {
  return fingerprint.some((token) => token.includes(TAG) && fingerprintPieces(token).some(({ kind }) => kind === 'tag'));
}
