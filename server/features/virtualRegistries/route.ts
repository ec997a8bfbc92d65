import { findGroup, type FoundGroup } from '../groups/groups.ts';
import { forbidden, recordNotFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole, type ProjectRole } from '../abilities/abilities.ts';
import { findRegistry, findUpstream, type Upstream, type VirtualRegistry } from './manageUpstreams.ts';

/** Availability of the Maven virtual registry API: paid tiers, since the release that enabled it. */
export const virtual = { addedIn: '18.2', tiers: ['premium', 'ultimate'], specRef: 'Maven virtual registries' } as const;

export const API = '/api/v4/virtual_registries/packages/maven';

/**
 * Returns a resource of a group, looked up by its own id, with the group. Throws 404 if it does not exist or its group is not
 * visible to the caller, and 403 without the role: members can read, maintainers can change.
 */
export function ofGroup<Row extends { readonly group_id: number }>(
  core: Core,
  row: Row | undefined,
  caller: Caller,
  role: ProjectRole,
): Row & { readonly found: FoundGroup } {
  const found = row === undefined ? undefined : findGroup(core, row.group_id, caller);
  if (row === undefined || found === undefined)
    throw recordNotFound('no such resource, or its group is not visible to the caller');
  if (!holdsRole(found.access, role)) {
    throw forbidden(undefined, `requires at least the ${role} role in the group`, `role.group.${role}`);
  }
  return { ...row, found };
}

/** Finds a registry like `ofGroup`. */
export function mustFindRegistry(core: Core, id: number, caller: Caller, role: ProjectRole): VirtualRegistry {
  return ofGroup(core, findRegistry(core, id), caller, role);
}

/** Finds an upstream like `ofGroup`. */
export function mustFindUpstream(core: Core, id: number, caller: Caller, role: ProjectRole): Upstream {
  return ofGroup(core, findUpstream(core, id), caller, role);
}
