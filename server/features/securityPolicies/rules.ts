import * as z from 'zod';
import { lazy } from '../../support/lazy.ts';

// Policies as they are written in a policy file. Members that have no effect here are allowed, because definitions are shown as they are.

/** Maximum number of scan execution policies of a policy project that count. */
export const MAX_POLICIES = 5;

/** Maximum number of jobs that policies add to a pipeline, in releases without limits too. */
const MAX_JOBS = 500;

const SCANS = ['container_scanning', 'dast', 'dependency_scanning', 'sast', 'sast_iac', 'secret_detection'];

const policySchema = lazy(() =>
  z.looseObject({ name: z.string().min(1), description: z.string().optional(), enabled: z.boolean() }),
);

const scanPolicySchema = lazy(() =>
  policySchema().extend({
    rules: z.array(
      z.looseObject({
        type: z.string(),
        branches: z.array(z.string()).optional(),
        branch_type: z.string().optional(),
        branch_exceptions: z.array(z.union([z.string(), z.looseObject({ name: z.string() })])).optional(),
      }),
    ),
    actions: z.array(z.looseObject({ scan: z.string() })),
  }),
);

const fileSchema = lazy(() =>
  z.looseObject({
    scan_execution_policy: z.array(scanPolicySchema()).nullish(),
    // Name of approval policies in older files.
    scan_result_policy: z.array(policySchema()).nullish(),
    approval_policy: z.array(policySchema()).nullish(),
  }),
);

export interface Policy {
  readonly name: string;
  readonly description?: string | undefined;
  readonly enabled: boolean;
}

export type ScanPolicy = z.output<ReturnType<typeof scanPolicySchema>>;

export interface Policies {
  readonly scanExecution: readonly ScanPolicy[];
  readonly approval: readonly Policy[];
}

/** A policy with its definition. */
export interface Defined {
  readonly yaml: string;
}

/** Policies of a file, or the reason why it cannot be read. */
export type PolicyReading =
  | { readonly scanExecution: readonly (ScanPolicy & Defined)[]; readonly approval: readonly (Policy & Defined)[] }
  | { readonly problem: string };

/** Returns the policies of a parsed file, or what is wrong with it. */
export function policiesIn(value: unknown): Policies | { readonly path: readonly (string | number)[]; readonly problem: string } {
  const read = fileSchema().safeParse(value);
  if (read.success) {
    const { scan_execution_policy: scans, scan_result_policy: older, approval_policy: approvals } = read.data;
    return { scanExecution: scans ?? [], approval: [...(older ?? []), ...(approvals ?? [])] };
  }
  const [issue] = read.error.issues;
  const path = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  return { path, problem: issue?.message ?? 'Invalid input' };
}

/** Limits of scan execution policies. Infinity stands for no limit. */
export interface PolicyLimits {
  /** For each policy project. */
  readonly policies: number;
  /** For each policy. */
  readonly actions: number;
}

/** Returns the enabled policies that count, each with the actions that count. */
export function countedPolicies(policies: readonly ScanPolicy[], limits: PolicyLimits): ScanPolicy[] {
  return policies
    .filter(({ enabled }) => enabled)
    .slice(0, limits.policies)
    .map((policy) => ({ ...policy, actions: policy.actions.slice(0, limits.actions) }));
}

/** Returns true if some enabled policies or some of their actions do not count under these limits. */
export function exceeds(policies: readonly ScanPolicy[], limits: PolicyLimits): boolean {
  const enabled = policies.filter((policy) => policy.enabled);
  return enabled.length > limits.policies || enabled.some(({ actions }) => actions.length > limits.actions);
}

export interface Branch {
  readonly name: string;
  readonly isDefault: boolean;
  readonly isProtected: boolean;
}

/** Returns true if a rule of a policy says that it runs in the pipelines of a branch. `matches` compares a pattern with a name. */
export function runsFor(policy: ScanPolicy, branch: Branch, matches: (pattern: string, name: string) => boolean): boolean {
  return policy.rules.some((rule) => {
    if (rule.type !== 'pipeline') return false;
    const exceptions = (rule.branch_exceptions ?? []).map((one) => (typeof one === 'string' ? one : one.name));
    if (exceptions.includes(branch.name)) return false;
    if (rule.branches !== undefined) return rule.branches.some((pattern) => matches(pattern, branch.name));
    if (rule.branch_type === 'default') return branch.isDefault;
    return rule.branch_type === 'protected' ? branch.isProtected : rule.branch_type === 'all';
  });
}

/** Returns the names of the jobs of policies, numbered in the order of their actions. Unknown scans have no job. */
export function jobNames(policies: readonly ScanPolicy[]): string[] {
  return policies
    .flatMap(({ actions }) => actions)
    .flatMap(({ scan }, index) => (SCANS.includes(scan) ? [`${scan.replaceAll('_', '-')}-${index}`] : []))
    .slice(0, MAX_JOBS);
}
