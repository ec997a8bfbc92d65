/** Row with an id that stays the same as long as the row represents the same object. */
export interface IdentifiedRow {
  readonly id: string;
}

/**
 * Returns the top-level rows that need a repaint together with their children, or `all` if the ids or their order have changed. The result
 * is empty if nothing has changed.
 */
export function changedRows<Row extends IdentifiedRow>(before: readonly Row[], after: readonly Row[]): 'all' | readonly Row[] {
  if (before.length !== after.length || before.some(({ id }, at) => id !== after[at]?.id)) return 'all';
  return before.filter((row, at) => !isSame(row, after[at]));
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return entries.length === others.size && entries.every(([name, value]) => others.has(name) && isSame(value, others.get(name)));
}
