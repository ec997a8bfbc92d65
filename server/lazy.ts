/** Returns a function that makes a value when it is first called, and returns the same one from then on. */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
