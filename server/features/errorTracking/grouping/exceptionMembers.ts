import { type ExceptionNode, exceptionTree, type RelatedException } from '../../../../src/contract/exceptionTree.ts';
import type { TrackedException } from '../event/trackedEvent.ts';

/** An exception with its causes: the list that the event of it alone would have. */
export interface Chain {
  /** Causes first, as in events. */
  readonly exceptions: readonly TrackedException[];
  /** Types that are compared, causes first. */
  readonly types: readonly string[];
}

/** Returns the chain of an event, without what its exceptions suppressed, and of a group among its causes only distinct types. */
export function chainOf(exceptions: readonly TrackedException[]): Chain {
  // Few events have more than a chain.
  const root = exceptions.some(isBranched) ? treeOf(exceptions) : undefined;
  return root === undefined ? { exceptions, types: exceptions.map(typeOf) } : chainAt(root);
}

/**
 * Returns the members of the exception group that was caught, and of groups in it, with their causes. Empty if none was caught.
 */
export function membersOf(exceptions: readonly TrackedException[]): readonly Chain[] {
  if (exceptions.at(-1)?.mechanism?.isExceptionGroup !== true) return [];
  const root = treeOf(exceptions);
  return root === undefined ? [] : membersAt(root).map(chainAt);
}

/** Returns the type that is compared. A type that the SDK made up does not count, but the signal does that it stands for. */
export function typeOf(exception: TrackedException): string {
  return exception.mechanism?.synthetic === true ? (signalOf(exception) ?? '') : (exception.type ?? '').trim();
}

/** Signals of POSIX, and exceptions of the kernels of macOS and Windows, that some SDKs send as types. */
const SIGNAL = /^(?:SIG[A-Z0-9]{2,12}|EXC_[A-Z_]{2,40}|EXCEPTION_[A-Z_]{2,60}|STATUS_[A-Z_]{2,60})(?![A-Za-z0-9])/;

/** Returns the signal that a synthetic exception stands for. */
export function signalOf({ type, mechanism }: TrackedException): string | undefined {
  return mechanism?.synthetic === true ? (mechanism.signal ?? SIGNAL.exec(type ?? '')?.[0]) : undefined;
}

function isBranched({ mechanism }: TrackedException): boolean {
  return mechanism?.isExceptionGroup === true || mechanism?.type === 'suppressed';
}

type Node = ExceptionNode<RelatedException & { readonly sent: TrackedException }>;

/** Returns the tree of the exceptions of an event, with the one that was caught as its root. */
export function treeOf(exceptions: readonly TrackedException[]): Node | undefined {
  return exceptionTree(exceptions.toReversed().map((sent) => ({ ...relationsOf(sent), sent })));
}

function relationsOf({ mechanism }: TrackedException): RelatedException {
  return {
    exceptionId: mechanism?.exceptionId ?? null,
    parentId: mechanism?.parentId ?? null,
    isGroup: mechanism?.isExceptionGroup === true,
    source: mechanism?.source ?? null,
    mechanism: mechanism?.type ?? null,
  };
}

function membersAt(node: Node): Node[] {
  return node.children
    .filter(({ relation }) => relation === 'member')
    .flatMap((member) => {
      const inner = membersAt(member);
      return inner.length === 0 ? [member] : inner;
    });
}

function chainAt(node: Node): Chain {
  return { exceptions: exceptionsAt(node), types: typesAt(node) };
}

function exceptionsAt({ exception, children }: Node): TrackedException[] {
  const related = children.filter(({ relation }) => relation !== 'suppressed');
  return [...related.toReversed().flatMap(exceptionsAt), exception.sent];
}

function typesAt({ exception, children }: Node): string[] {
  const causes = children
    .filter(({ relation }) => relation === 'cause')
    .toReversed()
    .flatMap(typesAt);
  const members = children.filter(({ relation }) => relation === 'member').flatMap(typesAt);
  return [...causes, ...new Set(members.toSorted()), typeOf(exception.sent)];
}
