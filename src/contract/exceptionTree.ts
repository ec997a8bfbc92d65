/** Members of an exception that say how it relates to the others of its event. */
export interface RelatedException {
  readonly exceptionId: number | null;
  readonly parentId: number | null;
  /** True for an exception that holds several others, such as an ExceptionGroup of Python or an AggregateError of JavaScript. */
  readonly isGroup: boolean;
  /** Member of its parent that has it, such as `__cause__` or `errors[0]`. */
  readonly source: string | null;
  /** Mechanism by which it was found, such as `suppressed`. */
  readonly mechanism: string | null;
}

export type ExceptionRelation = 'caught' | 'cause' | 'member' | 'suppressed';

export interface ExceptionNode<T> {
  readonly exception: T;
  /** Index in the list. */
  readonly index: number;
  readonly relation: ExceptionRelation;
  readonly children: readonly ExceptionNode<T>[];
}

/**
 * Returns the tree of the exceptions of an event. The list begins with the one that was caught. An exception that names no parent
 * is the cause of the one before it, as in a chain.
 */
export function exceptionTree<T extends RelatedException>(list: readonly T[]): ExceptionNode<T> | undefined {
  const children = childIndexes(list);
  const seen = new Set<number>();
  const nodeAt = (index: number, relation: ExceptionRelation): ExceptionNode<T>[] => {
    const exception = list[index];
    if (exception === undefined || seen.has(index)) return [];
    seen.add(index);
    const own = children[index] ?? [];
    return [{ exception, index, relation, children: own.flatMap((child) => nodeAt(child, relationOf(list, index, child, own))) }];
  };
  const [root] = nodeAt(0, 'caught');
  // Exceptions that name each other as parents.
  const others = list.flatMap((_, index) => nodeAt(index, root?.exception.isGroup === true ? 'member' : 'cause'));
  return root === undefined || others.length === 0 ? root : { ...root, children: [...root.children, ...others] };
}

/** An exception with its place in the tree. */
export interface PlacedException<T> {
  readonly exception: T;
  readonly relation: ExceptionRelation;
  /** Number of exceptions above it. */
  readonly depth: number;
}

/** Returns the exceptions of a tree, each before those below it. */
export function placedExceptions<T>(
  { exception, relation, children }: ExceptionNode<T>,
  depth = 0,
): readonly PlacedException<T>[] {
  return [{ exception, relation, depth }, ...children.flatMap((child) => placedExceptions(child, depth + 1))];
}

/** Returns true unless each exception is the cause of the one before it. */
export function hasBranches<T>({ children }: ExceptionNode<T>): boolean {
  return children.length > 1 || children.some((child) => child.relation !== 'cause' || hasBranches(child));
}

function childIndexes(list: readonly RelatedException[]): number[][] {
  const byId = new Map<number, number>();
  for (const [index, { exceptionId }] of list.entries()) {
    if (exceptionId !== null && !byId.has(exceptionId)) byId.set(exceptionId, index);
  }
  // Former SDKs mark groups without numbering exceptions.
  const isFlat = byId.size === 0 && list[0]?.isGroup === true;
  const children: number[][] = list.map(() => []);
  for (const [index, { parentId }] of list.entries()) {
    if (index === 0) continue;
    const named = parentId === null ? undefined : byId.get(parentId);
    children[named === undefined || named === index ? (isFlat ? 0 : index - 1) : named]?.push(index);
  }
  return children;
}

const CAUSE = /^(?:__cause__|__context__|cause|innerexception)$/i;

function relationOf(
  list: readonly RelatedException[],
  parent: number,
  child: number,
  siblings: readonly number[],
): ExceptionRelation {
  const exception = list[child];
  if (exception?.mechanism === 'suppressed') return 'suppressed';
  if (list[parent]?.isGroup !== true || (exception?.source !== null && CAUSE.test(exception?.source ?? ''))) return 'cause';
  // Java marks exceptions as groups because of those that they suppressed.
  const hasSuppressed = siblings.some((index) => list[index]?.mechanism === 'suppressed');
  return hasSuppressed && exception?.source === null ? 'cause' : 'member';
}
