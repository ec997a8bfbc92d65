import { recordNotFound } from '../../core/errors.ts';
import { integer, required, string } from '../../http/params.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { findIssue, type Issue } from './manageIssues.ts';

/** Path of one issue. */
export const PATH = '/api/v4/projects/:id/issues/:issue_iid';

export const onePath = () => ({ id: required(string), issue_iid: required(integer) });

/** Throws `NotFound` if the project has no such issue or the user cannot see it. */
export function mustFindIssue(core: Core, found: FoundProject, iid: number, user: User | undefined): Issue {
  const issue = findIssue(core, found, iid, user);
  if (issue === undefined)
    throw recordNotFound('no such issue, or it is not visible to the caller; the path requires the IID, not the ID');
  return issue;
}
