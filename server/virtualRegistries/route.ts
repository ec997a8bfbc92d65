import { findGroup, type FoundGroup } from '../groups/groups.ts';
import { forbidden, recordNotFound } from '../http/failures.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, type ProjectRole } from '../projects/projects.ts';

/** Where the Maven virtual registry API is: since the release that has it switched on, in the paid tiers. */
export const virtual = { addedIn: '18.2', tiers: ['premium', 'ultimate'], specRef: 'Maven virtual registries' } as const;

export const API = '/api/v4/virtual_registries/packages/maven';

/**
 * What belongs to a group that the caller sees, found by its own number. Throws 404 for what is absent or of a group they do not see,
 * and 403 for a role they do not hold: members read, maintainers change.
 */
export function ofGroup<Row extends { readonly group_id: number }>(
  platform: Platform,
  row: Row | undefined,
  caller: Caller,
  role: ProjectRole,
): Row & { readonly found: FoundGroup } {
  const found = row === undefined ? undefined : findGroup(platform, row.group_id, caller);
  if (row === undefined || found === undefined)
    throw recordNotFound('no such resource, or its group is not visible to the caller');
  if (!holdsRole(found.access, role)) {
    throw forbidden(undefined, `requires at least the ${role} role in the group`, `role.group.${role}`);
  }
  return { ...row, found };
}
