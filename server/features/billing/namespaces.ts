import { findNamespace, isNamespaceSeen } from '../groups/groups.ts';
import { notFound } from '../../http/failures.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';

type Namespace = NonNullable<ReturnType<typeof findNamespace>>;

/** @throws 404 if there is no such namespace, or the caller cannot see it. */
export function mustFindNamespace(platform: Platform, idOrPath: string, caller: Caller, noun = 'Namespace'): Namespace {
  const namespace = findNamespace(platform, idOrPath, caller);
  if (namespace === undefined || !isNamespaceSeen(namespace, caller)) throw notFound(noun);
  return namespace;
}
