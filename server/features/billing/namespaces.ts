import { findNamespace, isNamespaceSeen } from '../groups/groups.ts';
import { notFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';

type Namespace = NonNullable<ReturnType<typeof findNamespace>>;

/** @throws 404 if there is no such namespace, or the caller cannot see it. */
export function mustFindNamespace(core: Core, idOrPath: string, caller: Caller, noun = 'Namespace'): Namespace {
  const namespace = findNamespace(core, idOrPath, caller);
  if (namespace === undefined || !isNamespaceSeen(namespace, caller)) throw notFound(noun);
  return namespace;
}
