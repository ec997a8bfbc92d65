import type { GitCore } from '../../repositories/repositories.ts';
import { stateIn } from '../../../src/contract/deprecations.ts';
import { findCommit, lastCommitOf, openRepository, resolveRef } from '../git/git.ts';
import { isProtected } from '../pushes/pushes.ts';
import { entriesAt, readBlob } from '../../repositories/objects.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { settingNumber } from '../settings/settings.ts';
import { matches } from '../protectedRefs/protectedRefs.ts';
import {
  countedPolicies,
  exceeds,
  jobNames,
  MAX_POLICIES,
  type Policies,
  type PolicyLimits,
  type PolicyReading,
  runsFor,
} from './rules.ts';
import { readPolicyFile } from './policyThread.ts';
import {
  type ConfigurationRow,
  configurationOf,
  deleteConfiguration,
  inheritedConfigurations,
  type PolicyContainer,
  writeConfiguration,
} from './store.ts';

const POLICY_FILE = '.gitlab/security-policies/policy.yml';
/** Maximum size of a policy file, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Says why a policy file has no policies. */
export class PolicyFileRefused extends Error {}

/** Returns true if the emulated tier has security policies. */
export function hasPolicies({ profile }: Core): boolean {
  return profile.tier === 'ultimate';
}

export function policyConfiguration({ store }: Core, container: PolicyContainer): ConfigurationRow | undefined {
  return configurationOf(store, container);
}

/** Relation of policies to a container: defined for it, for its ancestors too, or for these only. */
export type PolicyRelation = 'DIRECT' | 'INHERITED' | 'INHERITED_ONLY';

export function policyConfigurations(
  { store }: Core,
  container: PolicyContainer,
  relation: PolicyRelation,
): readonly ConfigurationRow[] {
  const own = relation === 'INHERITED_ONLY' ? undefined : configurationOf(store, container);
  const inherited = relation === 'DIRECT' ? [] : inheritedConfigurations(store, container);
  return own === undefined ? inherited : [...inherited, own];
}

/** Makes a project the one that has the policies of a container. */
export function assignPolicyProject({ store, clock }: Core, container: PolicyContainer, policyProjectId: number): void {
  store.transaction(() => writeConfiguration(store, container, policyProjectId, clock.now()));
}

/** Returns false if the container has no policy project. */
export function unassignPolicyProject({ store }: Core, container: PolicyContainer): boolean {
  return deleteConfiguration(store, container);
}

export type PolicyFile = Exclude<PolicyReading, { readonly problem: string }> & {
  /** Time of the last commit that changed the file, in milliseconds. */
  readonly updatedAt: number;
};

/**
 * Reads the policies on the default branch of a policy project. Returns none without a file.
 *
 * @throws {PolicyFileRefused} For a file that is too large, is no YAML, or has other members.
 */
export async function readPolicies(core: GitCore, configuration: ConfigurationRow): Promise<PolicyFile> {
  const project = { id: configuration.policy_project_id, default_branch: configuration.default_branch };
  const repository = await openRepository(core, project);
  const commit = await resolveRef(core, repository, project, 'HEAD');
  const none = { scanExecution: [], approval: [], updatedAt: 0 };
  if (repository === undefined || commit === undefined) return none;
  const entry = (await entriesAt(repository, commit, [POLICY_FILE])).get(POLICY_FILE);
  const content = entry?.type === 'blob' ? await readBlob(repository, entry.id) : undefined;
  if (entry === undefined || content === undefined) return none;
  const refuse = (reason: string): PolicyFileRefused =>
    new PolicyFileRefused(`${POLICY_FILE} of ${configuration.policy_project_path} is invalid: ${reason}`);
  if (content.length > MAX_FILE_BYTES) throw refuse(`it is larger than ${MAX_FILE_BYTES} bytes`);
  const reading = await readPolicyFile(entry.id, content.toString('utf8'));
  if ('problem' in reading) throw refuse(reading.problem);
  const changed = await findCommit(core, project, (await lastCommitOf(repository, commit, POLICY_FILE)) ?? commit);
  return { ...reading, updatedAt: (changed?.committer.seconds ?? 0) * 1000 };
}

/** Returns the limits of scan execution policies that the emulated release announces, and applies from 18.0 on. */
function announcedLimits(core: Core): PolicyLimits {
  const actions = settingNumber(core, 'scan_execution_policies_action_limit');
  return { policies: MAX_POLICIES, actions: actions === 0 ? Infinity : actions };
}

/** Returns true if policies of a file exceed the limits, whether or not the emulated release applies them. */
export function exceedsLimits(core: Core, { scanExecution }: Policies): boolean {
  return exceeds(scanExecution, announcedLimits(core));
}

/** Scans that the policies of a project and its groups require in a pipeline. */
export interface RequiredScans {
  /** Names of the jobs. */
  readonly jobs: readonly string[];
  /** True if there are more policies or actions than the limits. */
  readonly exceedsLimits: boolean;
}

/** Returns the jobs that policies add to the pipelines of a branch. Invalid policy files add none, and are logged. */
export async function requiredScans(core: GitCore, project: Project, branch: string): Promise<RequiredScans> {
  const configurations = hasPolicies(core) ? policyConfigurations(core, { projectId: project.id }, 'INHERITED') : [];
  const files = await Promise.all(configurations.map((configuration) => readOrLog(core, configuration)));
  const isLimited = stateIn('scan-execution-policy-limits', core.profile.release) === 'removed';
  const limits = isLimited ? announcedLimits(core) : { policies: Infinity, actions: Infinity };
  const at = {
    name: branch,
    isDefault: branch === project.default_branch,
    isProtected: isProtected(core, project, branch),
  };
  const policies = files.flatMap(({ scanExecution }) =>
    countedPolicies(scanExecution, limits).filter((policy) => runsFor(policy, at, matches)),
  );
  return { jobs: jobNames(policies), exceedsLimits: files.some((file) => exceedsLimits(core, file)) };
}

async function readOrLog(core: GitCore, configuration: ConfigurationRow): Promise<Policies> {
  try {
    return await readPolicies(core, configuration);
  } catch (error) {
    if (!(error instanceof PolicyFileRefused)) throw error;
    core.log.warn(error.message);
    return { scanExecution: [], approval: [] };
  }
}
