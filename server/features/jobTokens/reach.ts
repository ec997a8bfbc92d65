import { compareReleases } from '../../../src/contract/releases.ts';
import type { Core } from '../../core/core.ts';
import { jobTokenScope } from '../jobTokenScope/jobTokenScope.ts';
import { hasTarget, isInAllowedGroup } from './store.ts';

/** Returns true if the settings of two projects allow the job tokens of the first one to reach the second one. */
export function isReachable(core: Pick<Core, 'store' | 'profile'>, fromId: number, toId: number): boolean {
  if (fromId === toId) return true;
  const { store, profile } = core;
  const hasInboundLimits = compareReleases(profile.release, '15.9') >= 0;
  const isAccepted =
    !hasInboundLimits ||
    !jobTokenScope(core, toId).inbound ||
    hasTarget(store, toId, 'inbound', { projectId: fromId }) ||
    isInAllowedGroup(store, toId, fromId);
  return isAccepted && (!jobTokenScope(core, fromId).outbound || hasTarget(store, fromId, 'outbound', { projectId: toId }));
}
