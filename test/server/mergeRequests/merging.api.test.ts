import assert from 'node:assert/strict';
import type { Actor } from '../projects/cast.ts';
import { type TestServer } from '../../support/server.ts';
import { REQUESTS, type Stage, startStage, type Wire } from './stage.ts';

interface Commit {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  readonly parent_ids: readonly string[];
  readonly author_name: string;
  readonly committer_name: string;
}

interface Event {
  readonly action_name: string;
  readonly target_type: string | null;
  readonly target_title: string | null;
}

describe('merging', () => {
  let server: TestServer;
  let stage: Stage;
  beforeEach(async () => {
    stage = await startStage();
    ({ server } = stage);
  });
  afterEach(() => server.close());

  const merge = (who: Actor, json: object = {}, iid = 1) => stage.send('PUT', `${REQUESTS}/${iid}/merge`, who, json);
  const head = async (branch: string): Promise<Commit> =>
    (await stage.send('GET', `/api/v4/projects/1/repository/commits/${branch}`, stage.ada)).json() as Commit;
  const hasBranch = async (branch: string): Promise<boolean> =>
    (await stage.send('GET', `/api/v4/projects/1/repository/branches/${branch}`, stage.ada)).status === 200;
  const events = async (query = ''): Promise<string[]> =>
    ((await stage.send('GET', `/api/v4/projects/1/events${query}`, stage.ada)).json() as Event[]).map(
      (event) => `${event.action_name} ${event.target_type ?? 'ref'}`,
    );

  it('merging creates a merge commit on the target branch', async () => {
    const { dev, mia, open } = stage;
    const opened = await open(dev, { title: 'Green lamps' });
    const before = await head('main');
    const response = await merge(mia);
    assert.equal(response.status, 200, response.text);
    const merged = response.json() as Wire;
    assert.partialDeepStrictEqual(merged, {
      state: 'merged',
      merged_by: { username: 'mia' },
      merge_user: { username: 'mia' },
      merged_at: '2026-05-10T09:00:00.000Z',
      squash_commit_sha: null,
      detailed_merge_status: 'not_open',
      sha: opened.sha,
      changes_count: '1',
    });
    const after = await head('main');
    assert.equal(after.id, merged.merge_commit_sha);
    assert.deepEqual(after.parent_ids, [before.id, opened.sha]);
    assert.equal(after.message, "Merge branch 'topic' into 'main'\n\nGreen lamps\n\nSee merge request ada/lamps!1\n");
    assert.deepEqual([after.author_name, after.committer_name], ['mia Example', 'mia Example']);
    assert.ok(await hasBranch('topic'));
    const file = await stage.send('GET', '/api/v4/projects/1/repository/files/green.txt/raw?ref=main', mia);
    assert.equal(file.text, 'green\n');
    assert.deepEqual((await events()).slice(0, 3), ['accepted MergeRequest', 'pushed ref', 'opened MergeRequest']);
    const again = await merge(mia);
    assert.deepEqual([again.status, again.json()], [405, { message: '405 Method Not Allowed' }]);
  });

  it('merging squashes several commits into one by the author, and removes the source branch', async () => {
    const { dev, mia, open, commit } = stage;
    await commit('topic', 'blue.txt', 'blue\n');
    const opened = await open(dev, { squash: true });
    const before = await head('main');
    const response = await merge(mia, {
      should_remove_source_branch: true,
      squash_commit_message: 'All lamps',
      merge_commit_message: 'Take them',
    });
    const merged = response.json() as Wire;
    assert.equal(response.status, 200, response.text);
    const squash = await head(String(merged['squash_commit_sha']));
    assert.deepEqual(
      [squash.message, squash.author_name, squash.committer_name, squash.parent_ids],
      ['All lamps\n', 'dev Example', 'mia Example', [before.id]],
    );
    const after = await head('main');
    assert.deepEqual([after.message, after.parent_ids], ['Take them\n', [before.id, squash.id]]);
    assert.equal(await hasBranch('topic'), false);
    assert.partialDeepStrictEqual(await stage.get(), { state: 'merged', sha: opened.sha, changes_count: '2' });
  });

  it('merging squashes a single commit only for a different message, and stores the options', async () => {
    const { dev, mia, open } = stage;
    const opened = await open(dev, { title: 'Green lamps' });
    const { message } = await head(opened.sha);
    const same = (await merge(mia, { squash: true, squash_commit_message: message.trim() })).json() as Wire;
    assert.deepEqual([same['squash'], same['squash_commit_sha']], [true, null]);
    await stage.branch('other');
    await stage.commit('other', 'blue.txt', 'blue\n');
    const second = await open(dev, { title: 'Blue lamps', source_branch: 'other' });
    const other = (await merge(mia, { squash: true }, second.iid)).json() as Wire;
    const squash = await head(String(other['squash_commit_sha']));
    assert.deepEqual([other['squash'], squash.message], [true, 'Blue lamps\n']);
  });

  it('merging is refused without permission, for drafts, conflicts, outdated heads and without changes', async () => {
    const { dev, mia, open, send, commit, branch, get } = stage;
    const opened = await open(dev, { title: 'Draft: Green' });
    const refused = async (who: Actor, json: object, status: number, message: string): Promise<void> => {
      const response = await merge(who, json);
      assert.deepEqual([response.status, response.json()], [status, { message }]);
    };
    await refused(dev, {}, 401, '401 Unauthorized');
    await refused(mia, {}, 405, '405 Method Not Allowed');
    await send('PUT', `${REQUESTS}/1`, dev, { title: 'Green' });
    await refused(mia, { sha: '0'.repeat(40) }, 409, `SHA does not match HEAD of source branch: ${opened.sha}`);
    await commit('main', 'green.txt', 'another green\n');
    await refused(mia, { sha: opened.sha }, 422, 'Branch cannot be merged');
    assert.partialDeepStrictEqual(await get(), {
      has_conflicts: true,
      merge_status: 'cannot_be_merged',
      detailed_merge_status: 'conflict',
      state: 'opened',
    });
    await branch('same');
    await open(dev, { source_branch: 'same' });
    assert.equal((await merge(mia, {}, 2)).status, 405);
    assert.partialDeepStrictEqual(await get(2), { detailed_merge_status: 'commits_status', changes_count: '0' });
  });

  it('merging waits for a draft to become ready with auto-merge, unless it is canceled', async () => {
    const { dev, mia, otto, open, send, get } = stage;
    await open(dev, { title: 'Draft: Green' });
    for (const name of ['auto_merge', 'merge_when_pipeline_succeeds']) {
      const set = await merge(mia, { [name]: true, merge_commit_message: 'At last' });
      assert.equal(set.status, 200, set.text);
      assert.partialDeepStrictEqual(set.json(), {
        state: 'opened',
        merge_when_pipeline_succeeds: true,
        merge_user: { username: 'mia' },
      });
      const cancel = `${REQUESTS}/1/cancel_merge_when_pipeline_succeeds`;
      assert.equal((await send('POST', cancel, otto)).status, 401);
      assert.partialDeepStrictEqual((await send('POST', cancel, dev)).json(), { merge_when_pipeline_succeeds: false });
      assert.equal((await send('POST', cancel, dev)).status, 405);
    }
    await merge(mia, { auto_merge: true, merge_commit_message: 'At last' });
    const ready = (await send('PUT', `${REQUESTS}/1`, dev, { title: 'Green' })).json();
    assert.partialDeepStrictEqual(ready, { state: 'merged', merged_by: { username: 'mia' } });
    assert.equal((await head('main')).title, 'At last');
    assert.partialDeepStrictEqual(await get(), { merge_when_pipeline_succeeds: false });
  });

  it('merging happens automatically when a comment marks it as ready, but not after a push', async () => {
    const { dev, mia, open, send, get, commit } = stage;
    await open(dev, { title: 'Draft: Green' });
    const say = (body: string) => send('POST', `${REQUESTS}/1/notes`, dev, { body });
    await merge(mia, { auto_merge: true });
    await commit('topic', 'blue.txt', 'blue\n');
    assert.partialDeepStrictEqual(await get(), { merge_when_pipeline_succeeds: false, merge_user: null });
    await say('/ready');
    assert.partialDeepStrictEqual(await get(), { state: 'opened', draft: false });
    await say('/draft');
    await merge(mia, { auto_merge: true, merge_commit_message: 'At last' });
    assert.equal((await say('Now.\n/ready')).status, 201);
    assert.partialDeepStrictEqual(await get(), { state: 'merged', merged_by: { username: 'mia' } });
    assert.equal((await head('main')).title, 'At last');
  });

  it('merging is detected when a push brings its commits to the target branch', async () => {
    const { ada, dev, mia, open, send, branch, commit, get } = stage;
    await send('POST', '/api/v4/projects/1/issues', ada, { title: 'one' });
    await branch('upper', 'topic');
    await commit('upper', 'blue.txt', 'blue\n');
    await branch('release');
    await open(dev, { title: 'Closes #1' });
    await open(dev, { source_branch: 'upper' });
    await open(dev, { target_branch: 'release' });
    const merged = (await merge(mia, {}, 2)).json() as Wire;
    assert.partialDeepStrictEqual(await get(1), {
      state: 'merged',
      merged_by: { username: 'mia' },
      merge_commit_sha: merged.merge_commit_sha,
    });
    assert.partialDeepStrictEqual((await send('GET', '/api/v4/projects/1/issues/1', ada)).json(), { state: 'closed' });
    assert.deepEqual((await events()).slice(0, 4), [
      'closed Issue',
      'accepted MergeRequest',
      'accepted MergeRequest',
      'pushed ref',
    ]);
    assert.equal((await get(3)).state, 'opened');
    const actions = [{ action: 'create', file_path: 'new.txt', content: 'new' }];
    const forced = { branch: 'release', start_branch: 'topic', force: true, commit_message: 'On top', actions };
    const pushed = await send('POST', '/api/v4/projects/1/repository/commits', ada, forced);
    assert.equal(pushed.status, 201, pushed.text);
    const tip = (pushed.json() as Commit).id;
    assert.partialDeepStrictEqual(await get(3), { state: 'merged', merged_by: { username: 'ada' }, merge_commit_sha: tip });
  });

  it('merging into the default branch closes the referenced issues', async () => {
    const { ada, mia, dev, open, send, branch } = stage;
    for (const title of ['one', 'two', 'three']) await send('POST', '/api/v4/projects/1/issues', ada, { title });
    await open(dev, { title: 'Fixes #1', description: 'Closes ada/lamps#2, mentions #3' });
    const requests = async (issue: number, name: string): Promise<number[]> =>
      ((await send('GET', `/api/v4/projects/1/issues/${issue}/${name}`, ada)).json() as Wire[]).map(({ iid }) => iid);
    assert.deepEqual(await Promise.all([1, 2, 3].map((issue) => requests(issue, 'closed_by'))), [[1], [1], []]);
    assert.deepEqual(await Promise.all([1, 2, 3].map((issue) => requests(issue, 'related_merge_requests'))), [[1], [1], [1]]);
    const closes = async (who: Actor, iid = 1): Promise<number[]> =>
      ((await send('GET', `${REQUESTS}/${iid}/closes_issues`, who)).json() as Wire[]).map((issue) => issue.iid);
    assert.deepEqual(await closes(ada), [1, 2]);
    await send('PUT', '/api/v4/projects/1/issues/2', ada, { confidential: true });
    assert.deepEqual(await closes(stage.otto), [1]);
    const counts = ((await send('GET', '/api/v4/projects/1/issues?sort=asc', ada)).json() as Wire[]).map(
      (issue) => issue['merge_requests_count'],
    );
    assert.deepEqual(counts, [1, 1, 0]);
    await merge(mia);
    const states = ((await send('GET', '/api/v4/projects/1/issues?sort=asc', ada)).json() as Wire[]).map(({ state }) => state);
    assert.deepEqual(states, ['closed', 'closed', 'opened']);
    await branch('release');
    await stage.commit('topic', 'blue.txt', 'blue\n');
    await open(dev, { title: 'Closes #3', target_branch: 'release' });
    assert.deepEqual([await closes(ada, 2), await requests(3, 'closed_by')], [[], []]);
    assert.partialDeepStrictEqual((await send('GET', '/api/v4/projects/1/issues/3', ada)).json(), { merge_requests_count: 0 });
    assert.equal((await merge(dev, {}, 2)).status, 200);
    assert.partialDeepStrictEqual((await send('GET', '/api/v4/projects/1/issues/3', ada)).json(), { state: 'opened' });
  });

  it('merging retargets merge requests when their target branch is merged and removed', async () => {
    const { dev, mia, open, branch, commit, get } = stage;
    await branch('upper', 'topic');
    await commit('upper', 'blue.txt', 'blue\n');
    await open(dev);
    await open(dev, { source_branch: 'upper', target_branch: 'topic' });
    await merge(mia, { should_remove_source_branch: true });
    assert.partialDeepStrictEqual(await get(2), { target_branch: 'main', state: 'opened', detailed_merge_status: 'mergeable' });
  });

  it('merging appears in the feed of the project, and in feeds of users only in the observed dialect', async () => {
    const { dev, mia, otto, open, send } = stage;
    await open(dev);
    await send('POST', `${REQUESTS}/1/notes`, otto, { body: 'Nice.' });
    await send('POST', `${REQUESTS}/1/discussions`, otto, { body: 'Why green?' });
    await send('POST', `${REQUESTS}/1/approve`, mia);
    await send('PUT', `${REQUESTS}/1`, dev, { state_event: 'close' });
    await send('PUT', `${REQUESTS}/1`, dev, { state_event: 'reopen' });
    await merge(mia);
    assert.deepEqual(await events('?sort=asc&after=2026-05-09'), [
      'created ref',
      'joined ref',
      'joined ref',
      'joined ref',
      'pushed ref',
      'pushed ref',
      'opened MergeRequest',
      'commented on Note',
      'commented on DiscussionNote',
      'approved MergeRequest',
      'closed MergeRequest',
      'opened MergeRequest',
      'pushed ref',
      'accepted MergeRequest',
    ]);
    assert.deepEqual(await events('?target_type=merge_request&action=merged'), ['accepted MergeRequest']);
    assert.deepEqual((await send('GET', '/api/v4/users/otto/events', otto)).json(), []);
    const own = (await send('GET', '/api/v4/events', dev)).json() as Event[];
    assert.ok(own.every((event) => event.target_type === null));
  });
});

describe('approvals and threads of a merge request', () => {
  let server: TestServer;
  let stage: Stage;
  beforeEach(async () => {
    stage = await startStage();
    ({ server } = stage);
    await stage.open(stage.dev, { reviewer_ids: [stage.mia.user.id] });
  });
  afterEach(() => server.close());

  it('developers approve merge requests of others once, and can revoke the approval', async () => {
    const { dev, mia, rita, ada, send, get } = stage;
    const { sha } = await get();
    const approve = (who: Actor, json: object = {}) => send('POST', `${REQUESTS}/1/approve`, who, json);
    assert.equal((await approve(dev)).status, 401);
    assert.equal((await approve(rita)).status, 401);
    const stale = await approve(mia, { sha: '1'.repeat(40) });
    assert.deepEqual([stale.status, stale.json()], [409, { message: `SHA does not match HEAD of source branch: ${sha}` }]);
    const approved = await approve(mia, { sha });
    assert.equal(approved.status, 201, approved.text);
    assert.partialDeepStrictEqual(approved.json(), {
      approved_by: [{ user: { username: 'mia' }, approved_at: '2026-05-10T09:00:00.000Z' }],
      user_has_approved: true,
      user_can_approve: false,
    });
    assert.equal((await approve(mia)).status, 401);
    assert.partialDeepStrictEqual((await send('GET', `${REQUESTS}/1/approvals`, ada)).json(), {
      user_has_approved: false,
      user_can_approve: true,
    });
    assert.partialDeepStrictEqual((await send('GET', `${REQUESTS}/1/reviewers`, ada)).json(), [
      { user: { username: 'mia' }, state: 'approved' },
    ]);
    assert.equal((await send('POST', `${REQUESTS}/1/unapprove`, mia)).status, 201);
    assert.deepEqual((await send('POST', `${REQUESTS}/1/unapprove`, mia)).json(), { message: '404 Not Found' });
    assert.partialDeepStrictEqual((await send('GET', `${REQUESTS}/1/reviewers`, ada)).json(), [{ state: 'unapproved' }]);
  });

  it('participants of a merge request are the author, reviewers and assignees', async () => {
    const { otto, rita, send, ada } = stage;
    await send('POST', `${REQUESTS}/1/notes`, otto, { body: 'Nice.' });
    await send('PUT', `${REQUESTS}/1`, ada, { assignee_ids: [rita.user.id] });
    const people = (await send('GET', `${REQUESTS}/1/participants`, otto)).json() as { username: string }[];
    assert.deepEqual(
      people.map(({ username }) => username),
      ['dev', 'rita', 'mia', 'otto'],
    );
  });

  it('a note on a changed line has a position, and is refused on unchanged files', async () => {
    const { dev, otto, send, get } = stage;
    const { diff_refs } = await get();
    const refs = diff_refs as { base_sha: string; start_sha: string; head_sha: string };
    const position = { ...refs, position_type: 'text', new_path: 'green.txt', old_path: 'green.txt', new_line: 1 };
    const begin = (json: object) => send('POST', `${REQUESTS}/1/discussions`, otto, { body: 'Why?', position: json });
    const thread = (await begin(position)).json() as { id: string; notes: { id: number }[] };
    assert.partialDeepStrictEqual(thread.notes, [
      {
        type: 'DiffNote',
        resolvable: true,
        resolved: false,
        commit_id: null,
        position: { ...position, old_line: null, line_range: null },
      },
    ]);
    const response = (await send('POST', `${REQUESTS}/1/discussions/${thread.id}/notes`, dev, { body: 'So.' })).json();
    assert.partialDeepStrictEqual(response, { type: 'DiffNote', position: { new_line: 1 } });
    const text = '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}';
    for (const bad of [
      { ...position, new_path: 'red.txt', old_path: 'red.txt' },
      { ...position, head_sha: refs.base_sha },
      { ...refs, position_type: 'text', new_path: 'green.txt', old_path: 'green.txt' },
    ]) {
      const refused = await begin(bad);
      assert.deepEqual([refused.status, refused.json()], [400, { message: text }]);
    }
    const missing = await begin({ position_type: 'text' });
    assert.deepEqual(missing.json(), {
      error: 'position[base_sha] is missing, position[start_sha] is missing, position[head_sha] is missing',
    });
  });

  it('threads of a merge request are resolved by developers and the author, as a whole or by note', async () => {
    const { dev, rita, mia, send } = stage;
    const thread = (await send('POST', `${REQUESTS}/1/discussions`, rita, { body: 'Why?' })).json() as {
      id: string;
      notes: { id: number }[];
    };
    const path = `${REQUESTS}/1/discussions/${thread.id}`;
    assert.equal((await send('PUT', path, rita, { resolved: true })).status, 403);
    const resolved = (await send('PUT', path, dev, { resolved: true })).json() as { notes: object[] };
    assert.partialDeepStrictEqual(resolved.notes, [
      { resolved: true, resolved_by: { username: 'dev' }, resolved_at: '2026-05-10T09:00:00.000Z' },
    ]);
    const note = `${path}/notes/${thread.notes[0]?.id}`;
    assert.partialDeepStrictEqual((await send('PUT', note, mia, { resolved: false })).json(), {
      resolved: false,
      resolved_by: null,
    });
    const both = await send('PUT', note, mia, { resolved: true, body: 'x' });
    assert.deepEqual(both.json(), { error: 'body, resolved are mutually exclusive' });
    const none = await send('PUT', note, mia, {});
    assert.deepEqual(none.json(), { error: 'body, resolved are missing, exactly one parameter must be provided' });
    const plain = (await send('POST', `${REQUESTS}/1/notes`, rita, { body: 'Plain' })).json();
    assert.partialDeepStrictEqual(plain, { type: null, resolvable: false });
    const notes = (await send('GET', `${REQUESTS}/1/notes?activity_filter=only_activity`, rita)).json() as { body: string }[];
    assert.deepEqual(
      notes.map(({ body }) => body),
      ['resolved all threads'],
    );
  });

  it('quick actions are applied to a merge request', async () => {
    const { dev, mia, rita, send, get } = stage;
    const say = async (who: Actor, body: string): Promise<unknown> => {
      const response = await send('POST', `${REQUESTS}/1/notes`, who, { body });
      return response.status === 202 ? (response.json() as { summary: string[] }).summary : response.status;
    };
    assert.deepEqual(await say(dev, '/draft'), ['Marked this merge request as a draft.']);
    assert.partialDeepStrictEqual(await get(), { title: 'Draft: Green lamps', draft: true });
    assert.deepEqual(await say(dev, '/ready\n/assign @rita'), ['Marked this merge request as ready.', 'Assigned @rita.']);
    assert.partialDeepStrictEqual(await get(), { title: 'Green lamps', assignee: { username: 'rita' } });
    assert.deepEqual(await say(dev, '/approve'), ['Could not apply approve command.']);
    assert.deepEqual(await say(mia, '/approve\n/close'), ['Approved the current merge request.', 'Closed this merge request.']);
    assert.deepEqual(await say(rita, '/unapprove'), ['Could not apply unapprove command.']);
    assert.partialDeepStrictEqual(await get(), { state: 'closed' });
  });
});
