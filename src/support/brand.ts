/**
 * Returns true if a value has a member with this symbol, which must be one of `Symbol.for`. Classes of failures use it for `instanceof`,
 * because each bundle has its own copy of a class.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value;
}
