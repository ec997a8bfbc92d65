/** Returns an object with the same names and mapped values. */
export function mapValues<Name extends string, From, To>(
  from: Readonly<Record<Name, From>>,
  map: (value: From, name: Name) => To,
): Readonly<Record<Name, To>>;
export function mapValues<From, To>(
  from: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value, name)]));
}
