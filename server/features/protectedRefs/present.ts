import type { ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { granteeName, type ProtectionRule } from './manageProtectedRefs.ts';
import type { protectedBranch, protectedTag } from './responses.ts';
import { grantsOf, type NamedGrantRow, type ProtectedAction } from './store.ts';

/** Tiers in which rules name users and groups. */
export const granularTiers = ['premium', 'ultimate'] as const;

function levels(grants: readonly NamedGrantRow[], action: ProtectedAction, isGranular: boolean) {
  return grants
    .filter((grant) => grant.action === action)
    .map((grant) => ({
      id: grant.id,
      access_level: grant.access_level,
      access_level_description: granteeName(grant),
      ...(grant.deploy_key_id === null ? {} : { deploy_key_id: grant.deploy_key_id }),
      ...(isGranular ? { user_id: grant.user_id, group_id: grant.group_id } : {}),
    }));
}

export function presentProtectedBranch({ store, profile }: Core, rule: ProtectionRule): ResponseOf<typeof protectedBranch> {
  const grants = grantsOf(store, rule.id);
  const isGranular = isAvailable({ tiers: granularTiers }, profile);
  return {
    id: rule.id,
    name: rule.name,
    push_access_levels: levels(grants, 'push', isGranular),
    merge_access_levels: levels(grants, 'merge', isGranular),
    unprotect_access_levels: levels(grants, 'unprotect', isGranular),
    allow_force_push: rule.allow_force_push === 1,
    code_owner_approval_required: rule.code_owner_approval_required === 1,
    ...(isGranular ? { inherited: false } : {}),
  };
}

export function presentProtectedTag({ store, profile }: Core, rule: ProtectionRule): ResponseOf<typeof protectedTag> {
  const isGranular = isAvailable({ tiers: granularTiers }, profile);
  return { name: rule.name, create_access_levels: levels(grantsOf(store, rule.id), 'create', isGranular) };
}
