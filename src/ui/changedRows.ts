/** A row with an id that stays the same while it stands for the same thing. */
export interface IdentifiedRow {
  readonly id: string;
}

/**
 * What has to be painted again when the top rows of a tree become others: nothing, some of them with what is below them, or the whole
 * tree because they are not the same things in the same order any more.
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
