// A merge request of the demo user, with what surrounds it in the activity.
import assert from 'node:assert/strict';
import { readCommit } from '../../../src/contract/changes.ts';
import { readMergeRequest } from '../../../src/contract/mergeRequests.ts';
import { ask, DEMO_USER, type RunningPlatform } from './platform.ts';

/** Title of the merge request and of its commit. */
export const TITLE = 'Amber lamps at the pier';

/**
 * As the demo user, creates a branch with a commit, a merge request for it and comments on both in amara/berth-api. Returns the number of the
 * merge request.
 */
export async function openMergeRequest(platform: RunningPlatform, description: string): Promise<number> {
  const send = (resource: string, body: object): Promise<unknown> =>
    ask(platform, 'POST', `/api/v4/projects/${encodeURIComponent('amara/berth-api')}/${resource}`, body, DEMO_USER.username);
  const actions = [{ action: 'create', file_path: 'pier.txt', content: 'amber\n' }];
  const branch = 'amber-lamps';
  const commit = readCommit(await send('repository/commits', { branch, start_branch: 'main', commit_message: TITLE, actions }));
  assert.ok(commit !== undefined);
  await send(`repository/commits/${commit.id}/comments`, { note: 'Brighter than before.' });
  const input = { source_branch: branch, target_branch: 'main', title: TITLE, description };
  const opened = readMergeRequest(await send('merge_requests', input));
  assert.ok(opened !== undefined);
  await send(`merge_requests/${opened.iid}/discussions`, { body: 'Seen from the ferry.' });
  return opened.iid;
}
