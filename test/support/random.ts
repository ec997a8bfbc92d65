import { type Random as Numbers, randomFrom as numbersFrom } from '../../server/seeds/random.ts';

/** Random values that are reproducible from a seed on every machine. */
export interface Random extends Omit<Numbers, 'pick'> {
  pick<T>(items: readonly T[]): T;
  /** Returns printable ASCII with some other characters. */
  text(length: number): string;
}

export function randomFrom(seed: number): Random {
  const numbers = numbersFrom(seed);
  const { integer } = numbers;
  const pick = <T>(items: readonly T[]): T => {
    const item = items[integer(0, items.length - 1)];
    if (item === undefined && items.length === 0) throw new Error('the list to pick from is empty');
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
    ...numbers,
    pick,
    text: (length) => Array.from({ length }, () => pick(letters)).join(''),
  };
}
