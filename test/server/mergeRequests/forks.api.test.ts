import assert from 'node:assert/strict';
import { type Actor, projectWith } from '../projects/cast.ts';
import { type TestServer } from '../../support/server.ts';
import { REQUESTS, type Stage, startStage, type Wire } from './stage.ts';

interface Event {
  readonly action_name: string;
  readonly target_type: string | null;
  readonly push_data?: { readonly ref: string };
}

describe('a merge request from a fork', () => {
  let server: TestServer;
  let stage: Stage;
  /** The fork of otto, who is not a member of the upstream project. */
  let fork: number;

  beforeEach(async () => {
    stage = await startStage();
    ({ server } = stage);
    const response = await stage.send('POST', '/api/v4/projects/1/fork', stage.otto);
    assert.equal(response.status, 201, response.text);
    fork = (response.json() as { id: number }).id;
    await push('blue.txt', { branch: 'shine', start_branch: 'main' });
  });
  afterEach(() => server.close());

  const push = async (path: string, more: object, who: Actor = stage.otto, project = fork): Promise<string> => {
    const actions = [{ action: 'create', file_path: path, content: `${path}\n` }];
    const json = { branch: 'shine', commit_message: `Add ${path}`, actions, ...more };
    const response = await stage.send('POST', `/api/v4/projects/${project}/repository/commits`, who, json);
    assert.equal(response.status, 201, response.text);
    return (response.json() as { id: string }).id;
  };
  const ask = (who: Actor, input: object = {}, from = fork) =>
    stage.send('POST', `/api/v4/projects/${from}/merge_requests`, who, {
      title: 'Shine',
      source_branch: 'shine',
      target_branch: 'main',
      target_project_id: 1,
      ...input,
    });
  const open = async (input: object = {}): Promise<Wire> => {
    const response = await ask(stage.otto, input);
    assert.equal(response.status, 201, response.text);
    return response.json() as Wire;
  };
  const list = async <Item>(path: string, who = stage.ada): Promise<Item[]> =>
    (await stage.send('GET', `/api/v4${path}`, who)).json() as Item[];
  const events = async (project: number): Promise<string[]> =>
    (await list<Event>(`/projects/${project}/events?sort=asc`)).map(
      ({ action_name: action, target_type: type, push_data: pushed }) => `${action} ${type ?? pushed?.ref ?? 'project'}`,
    );

  it('a merge request from a fork belongs to the target project, and shows the changes of the fork', async () => {
    const { mia, ada, otto } = stage;
    const opened = await open({ labels: 'blue', assignee_ids: [mia.user.id], allow_collaboration: true });
    assert.partialDeepStrictEqual(opened, {
      iid: 1,
      project_id: 1,
      source_project_id: fork,
      target_project_id: 1,
      // Assigning requires the reporter role in the target project.
      assignees: [],
      allow_collaboration: true,
      allow_maintainer_to_push: true,
      changes_count: '1',
      detailed_merge_status: 'mergeable',
      references: { full: 'ada/lamps!1' },
      web_url: `${server.origin}/ada/lamps/-/merge_requests/1`,
      user: { can_merge: false },
    });
    assert.deepEqual(opened['labels'], []);
    assert.deepEqual(await list(`/projects/${fork}/merge_requests`, otto), []);
    assert.deepEqual(
      (await list<Wire>(`/projects/1/merge_requests?source_project_id=${fork}`)).map(({ iid }) => iid),
      [1],
    );
    assert.deepEqual(await list('/projects/1/merge_requests?source_project_id=1'), []);
    assert.deepEqual(
      (await list<{ title: string }>('/projects/1/merge_requests/1/commits')).map(({ title }) => title),
      ['Add blue.txt'],
    );
    assert.deepEqual(
      (await list<{ new_path: string }>('/projects/1/merge_requests/1/diffs')).map((file) => file.new_path),
      ['blue.txt'],
    );
    assert.partialDeepStrictEqual((await stage.send('GET', `${REQUESTS}/1`, ada)).json(), { user: { can_merge: true } });
  });

  it('a merge request from a fork can be opened by developers of the fork, into projects of the same fork network', async () => {
    const { ada, dev, otto } = stage;
    assert.equal((await ask(dev)).status, 403);
    const stranger = projectWith(server.platform, ada, { name: 'Fuses', visibility: 'public' }, [[otto, 30]]);
    await push('fuse.txt', { branch: 'main' }, ada, stranger.project.id);
    const refused = await ask(otto, { target_project_id: stranger.project.id });
    assert.deepEqual(
      [refused.status, refused.json()],
      [422, { message: ['Source project is not a fork of the target project'] }],
    );
    const other = (await stage.send('POST', '/api/v4/projects/1/fork', dev)).json() as { id: number };
    assert.equal((await ask(otto, { target_project_id: other.id })).status, 201);
    assert.equal((await ask(otto, { target_project_id: fork })).status, 201);
    const hidden = projectWith(server.platform, ada, { name: 'Hidden' });
    const absent = await ask(otto, { target_project_id: hidden.project.id });
    assert.deepEqual([absent.status, absent.json()], [404, { message: '404 Project Not Found' }]);
    // From upstream into the fork: requires push access to the fork and access to upstream.
    const down = { source_branch: 'topic', target_branch: 'shine', target_project_id: fork };
    assert.equal((await ask(dev, down, 1)).status, 201);
  });

  it('a merge request from a fork gets a new version for each push to the fork', async () => {
    const { ada } = stage;
    const opened = await open();
    const pushed = await push('cyan.txt', {});
    assert.partialDeepStrictEqual(await stage.get(), { sha: pushed, changes_count: '2' });
    const versions = await list<{ head_commit_sha: string }>('/projects/1/merge_requests/1/versions');
    assert.deepEqual(
      versions.map(({ head_commit_sha: sha }) => sha),
      [pushed, opened.sha],
    );
    const notes = await list<{ body: string }>('/projects/1/merge_requests/1/notes');
    assert.deepEqual(
      notes.map(({ body }) => body),
      ['added 1 commit'],
    );
    // A branch with the same name in the target project is independent.
    await push('lamp.txt', { start_branch: 'main' }, ada, 1);
    assert.equal((await stage.get()).sha, pushed);
  });

  it('a merge request from a fork is merged by maintainers of the target; pushes appear where they happen, everything else in the target', async () => {
    const { mia, otto, dev } = stage;
    const before = (await events(1)).length;
    const opened = await open({ remove_source_branch: true });
    const merge = (who: Actor) => stage.send('PUT', `${REQUESTS}/1/merge`, who, { should_remove_source_branch: true });
    for (const who of [otto, dev]) assert.equal((await merge(who)).status, 401);
    const merged = await merge(mia);
    assert.equal(merged.status, 200, merged.text);
    assert.partialDeepStrictEqual(merged.json(), { state: 'merged', sha: opened.sha, merged_by: { username: 'mia' } });
    const file = await stage.send('GET', '/api/v4/projects/1/repository/files/blue.txt/raw?ref=main', otto);
    assert.equal(file.text, 'blue.txt\n');
    assert.deepEqual((await events(1)).slice(before), ['opened MergeRequest', 'pushed main', 'accepted MergeRequest']);
    assert.deepEqual(await events(fork), ['created project', 'pushed shine']);
    // The user who merges cannot push to the fork, so its branch is kept.
    const branch = `/api/v4/projects/${fork}/repository/branches/shine`;
    assert.equal((await stage.send('GET', branch, otto)).status, 200);
    assert.equal((await stage.send('DELETE', branch, otto)).status, 204);
    assert.equal((await stage.get()).state, 'merged');
  });

  it('a merge request from a fork is closed when its branch or fork is deleted, or the fork relation is removed', async () => {
    const { otto } = stage;
    const state = async (iid: number): Promise<string> => (await stage.get(iid)).state;
    for (const [iid, path, status] of [
      [1, `/projects/${fork}/repository/branches/shine`, 204],
      [2, `/projects/${fork}/fork`, 204],
      [3, `/projects/${fork}`, 202],
    ] as const) {
      if (iid === 2) await push('cyan.txt', { branch: 'shine', start_branch: 'main' });
      if (iid === 3) await stage.send('POST', `/api/v4/projects/${fork}/fork/1`, otto);
      await open();
      assert.equal(await state(iid), 'opened');
      if (iid === 3) await push('late.txt', {});
      assert.equal((await stage.send('DELETE', `/api/v4${path}`, otto)).status, status, path);
      assert.equal(await state(iid), 'closed');
      assert.partialDeepStrictEqual(await stage.get(iid), { closed_by: { username: 'otto' } });
    }
    // Changes that were not computed before are lost with the fork.
    const changes = await stage.send('GET', `${REQUESTS}/3/diffs`, otto);
    assert.equal(changes.status, 404, changes.text);
    assert.partialDeepStrictEqual(await stage.get(3), { source_project_id: null, changes_count: null });
  });

  it('a merge request from a fork is visible to everyone who can see the target, even if they cannot see the fork', async () => {
    const { rita, otto } = stage;
    await stage.send('PUT', `/api/v4/projects/${fork}`, otto, { visibility: 'private' });
    await open();
    assert.equal((await stage.send('GET', `/api/v4/projects/${fork}`, rita)).status, 404);
    assert.equal((await list('/projects/1/merge_requests/1/diffs', rita)).length, 1);
    const note = await stage.send('POST', `${REQUESTS}/1/notes`, rita, { body: 'Nice.' });
    assert.equal(note.status, 201);
    assert.equal((await stage.send('PUT', `${REQUESTS}/1`, otto, { description: 'Blue.' })).status, 200);
    assert.equal((await stage.send('PUT', `${REQUESTS}/1`, rita, { description: 'Red.' })).status, 403);
    assert.equal((await stage.send('PUT', `${REQUESTS}/1`, otto, { state_event: 'close' })).status, 200);
  });
});
