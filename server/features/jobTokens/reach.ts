import { stateIn } from '../../../src/contract/deprecations.ts';
import { compareReleases } from '../../../src/contract/releases.ts';
import type { Core } from '../../core/core.ts';
import { hasTarget, isInAllowedGroup, projectsWithOutboundLimit, scopeOfProject, writeScope } from './store.ts';

// Settings that decide which projects a job token reaches (docs/interface.md#job-tokens). Imports no other feature, because projects show them.

export interface JobTokenScope {
  /** True if only job tokens of projects in the allowlist reach the project. */
  readonly inbound: boolean;
  /** True if job tokens of the project reach only the projects in its outbound allowlist. */
  readonly outbound: boolean;
}

export function jobTokenScope(core: Pick<Core, 'store' | 'profile'>, projectId: number): JobTokenScope {
  const row = scopeOfProject(core.store, projectId);
  return {
    inbound: row?.inbound_enabled !== 0,
    outbound: row?.outbound_enabled === 1 && hasOutboundLimits(core),
  };
}

/** Returns true if the emulated release has the attribute `ci_job_token_scope_enabled` of projects. */
export function hasOutboundLimits({ profile }: Pick<Core, 'profile'>): boolean {
  return stateIn('ci-job-token-scope-enabled', profile.release) !== 'removed';
}

/** Returns the values of `ci_job_token_scope_enabled` of projects: the IDs of those for which it is true. */
export function outboundLimited(core: Pick<Core, 'store' | 'profile'>, ids: readonly number[]): ReadonlySet<number> {
  return hasOutboundLimits(core) ? projectsWithOutboundLimit(core.store, ids) : new Set();
}

/** Changes settings of a project. Omitted ones do not change. */
export function setJobTokenScope(
  core: Pick<Core, 'store'>,
  projectId: number,
  { inbound, outbound }: { readonly inbound?: boolean | undefined; readonly outbound?: boolean | undefined },
): void {
  const { store } = core;
  store.transaction(() => {
    const row = scopeOfProject(store, projectId);
    writeScope(store, projectId, {
      inbound_enabled: (inbound ?? row?.inbound_enabled !== 0) ? 1 : 0,
      outbound_enabled: (outbound ?? row?.outbound_enabled === 1) ? 1 : 0,
    });
  });
}

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
