import { recordNotFound } from '../../core/errors.ts';
import { integer, required, string } from '../../http/params.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { findMergeRequest, type MergeRequest } from './manageMergeRequests.ts';

/** Path of one merge request. */
export const PATH = '/api/v4/projects/:id/merge_requests/:merge_request_iid';

export const onePath = () => ({ id: required(string), merge_request_iid: required(integer) });

/** Throws `NotFound` if it does not exist or is not visible to the caller. */
export function mustFind(core: Core, found: FoundProject, iid: number): MergeRequest {
  const mergeRequest = findMergeRequest(core, found, iid);
  if (mergeRequest === undefined) {
    throw recordNotFound('no such merge request, or it is not visible to the caller; the path requires the IID, not the ID');
  }
  return mergeRequest;
}
