import { stateIn } from '../../../src/contract/deprecations.ts';
import type { Core } from '../../core/core.ts';
import { scopeOfProject, writeScope } from './store.ts';

export { outboundLimitSql } from './store.ts';

// Settings of projects about job tokens (docs/interface.md#job-tokens).

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
