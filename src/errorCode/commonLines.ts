/**
 * Words that say nothing about which line has them: keywords of control flow, and values and names that many functions have. Lowercase.
 */
const WORDS: ReadonlySet<string> = new Set([
  ...['return', 'yield', 'await', 'async', 'throw', 'throws', 'raise', 'rethrow', 'panic', 'break', 'continue', 'pass', 'goto'],
  ...[
    'if',
    'elif',
    'elsif',
    'elseif',
    'else',
    'unless',
    'then',
    'endif',
    'fi',
    'switch',
    'match',
    'case',
    'default',
    'when',
    'select',
  ],
  ...['for', 'foreach', 'in', 'of', 'while', 'until', 'loop', 'do', 'done', 'begin', 'end'],
  ...['try', 'catch', 'except', 'finally', 'ensure', 'rescue', 'defer', 'with', 'using', 'synchronized', 'unsafe'],
  ...[
    'and',
    'or',
    'not',
    'is',
    'as',
    'new',
    'let',
    'var',
    'val',
    'const',
    'mut',
    'final',
    'auto',
    'fn',
    'func',
    'function',
    'lambda',
  ],
  ...['none', 'null', 'nil', 'nullptr', 'undefined', 'void', 'true', 'false', 'nan', 'self', 'this', 'super', 'cls'],
  ...[
    'err',
    'error',
    'errors',
    'e',
    'ex',
    'exc',
    'exception',
    'ok',
    'some',
    'res',
    'ret',
    'rv',
    'result',
    'results',
    'value',
    'val',
  ],
]);

/** Texts of a line whose words are not code. */
const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

/** Returns true for a line that many functions have, such as `return None` or `}`. It does not show where code has gone. */
export function isCommonLine(code: string): boolean {
  const texts = code.match(TEXTS)?.some((text) => /[\p{L}\p{N}]/u.test(text)) ?? false;
  if (texts) return false;
  const words = code.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
  return words.every((word) => WORDS.has(word.toLowerCase()));
}
