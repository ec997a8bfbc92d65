import { runInNewContext } from 'node:vm';
import { isRefName } from '../../repositories/names.ts';
import { matches } from '../protectedRefs/protectedRefs.ts';

/** Ways in which the filter of a hook selects the branches whose pushes are delivered. */
export const filterStrategies = ['wildcard', 'regex', 'all_branches'] as const;

export type FilterStrategy = (typeof filterStrategies)[number];

export interface BranchFilter {
  readonly branch_filter: string;
  readonly branch_filter_strategy: FilterStrategy;
}

/** Time that a regular expression may take, in milliseconds. Some take exponential time. */
const REGEX_LIMIT = 50;

/** Returns true if pushes to a branch pass the filter. An empty filter passes all. */
export function passesFilter({ branch_filter: filter, branch_filter_strategy: strategy }: BranchFilter, branch: string): boolean {
  if (filter === '' || strategy === 'all_branches') return true;
  if (strategy === 'wildcard') return matches(filter, branch);
  try {
    return runInNewContext('new RegExp(filter, "u").test(branch)', { filter, branch }, { timeout: REGEX_LIMIT }) === true;
  } catch {
    return false;
  }
}

/** Returns the error of a filter, or undefined. */
export function filterError({ branch_filter: filter, branch_filter_strategy: strategy }: BranchFilter): string | undefined {
  if (filter === '' || strategy === 'all_branches') return undefined;
  if (strategy === 'wildcard') return isRefName(filter.replaceAll('*', 'a')) ? undefined : 'is not a valid branch name';
  try {
    void new RegExp(filter, 'u');
    return undefined;
  } catch {
    return 'is not a valid regular expression';
  }
}
