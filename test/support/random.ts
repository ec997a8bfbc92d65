/** Random values that are the same for the same seed on every machine. */
export interface Random {
  next(): number;
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Printable ASCII with some characters beyond it. */
  text(length: number): string;
}

/** mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(items: readonly T[]): T => {
    const item = items[integer(0, items.length - 1)];
    if (item === undefined && items.length === 0) throw new Error('nothing to pick from');
    return item as T;
  };
  const letters = [
    'a',
    'Z',
    '0',
    ' ',
    '/',
    '%',
    '&',
    '=',
    '?',
    '#',
    '[',
    ']',
    '{',
    '"',
    "'",
    '\\',
    '<',
    '.',
    '-',
    'ß',
    '漢',
    '🚦',
  ];
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick,
    text: (length) => Array.from({ length }, () => pick(letters)).join(''),
  };
}
