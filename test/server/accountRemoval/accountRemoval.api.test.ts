import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NotFound } from '../../../server/core/errors.ts';
import { projectQueue } from '../../../server/features/git/open.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { checkPassword, setPassword } from '../../../server/features/users/accounts.ts';
import { removeAccount } from '../../../server/features/accountRemoval/removeAccount.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { decide, deviceCodes, extension, poll, refresh } from '../oauth/support.ts';
import { type Stage, startStage } from '../mergeRequests/stage.ts';
import { actor, projectWith, rootOf, seenBy } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { PageClient } from '../../support/pages.ts';
import { TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

describe('deletion of accounts', () => {
  let server: TestServer;
  let stage: Stage;
  beforeEach(async () => {
    stage = await startStage();
    ({ server } = stage);
  });
  afterEach(() => server.close());

  const api = (method: string, address: string, json?: object, token = admin): Promise<TestResponse> =>
    server.request(method, `/api/v4${address}`, { token, ...(json === undefined ? {} : { json }) });
  const remove = (id: number, query = ''): Promise<TestResponse> => api('DELETE', `/users/${id}${query}`);
  const made = async (address: string, json: object, token: string): Promise<{ readonly id: number; readonly iid: number }> => {
    const response = await api('POST', address, json, token);
    assert.equal(response.status, 201, response.text);
    return response.json() as { id: number; iid: number };
  };

  /** Lets the developer contribute to the project of somebody else and to a group. */
  const contribute = async () => {
    const { dev, ada, mia, open } = stage;
    const issue = await made('/projects/1/issues', { title: 'Dark' }, dev.token);
    const foreign = await made('/projects/1/issues', { title: 'Lamp of ada' }, ada.token);
    await made(`/projects/1/issues/${foreign.iid}/notes`, { body: 'By dev' }, dev.token);
    await made(`/projects/1/issues/${issue.iid}/notes`, { body: 'By ada' }, ada.token);
    await open(dev, { title: 'Green' });
    const release = { tag_name: 'v1', ref: 'main', name: 'One' };
    await api('POST', '/projects/1/releases', release, dev.token);
    const file = { file_path: 'a.txt', content: 'a' };
    const inProject = await made('/projects/1/snippets', { title: 'P', visibility: 'public', files: [file] }, dev.token);
    const personal = await made('/snippets', { title: 'Own', visibility: 'public', files: [file] }, dev.token);
    const own = projectWith(server.platform, dev, { name: 'Own', visibility: 'public' });
    const { group } = createGroup(server.platform, mia.user, { name: 'Engines', path: 'engines' });
    addGroupMember(server.platform, group, dev.user, { level: 40 }, { user: mia.user });
    const inGroup = projectWith(server.platform, dev, { name: 'Motor', namespaceId: group.id });
    const epic = await made(`/groups/${group.id}/epics`, { title: 'Steam' }, dev.token);
    return { issue, foreign, inProject, personal, own, group, inGroup, epic };
  };

  it('the ghost user takes over what a deleted user contributed', async () => {
    const { issue, foreign, inProject, personal, own, group, inGroup, epic } = await contribute();
    const response = await remove(stage.dev.user.id);
    assert.deepEqual([response.status, response.text], [204, '']);
    const author = { username: 'ghost', name: 'Ghost User', state: 'active' };
    for (const address of [
      `/projects/1/issues/${issue.iid}`,
      '/projects/1/merge_requests/1',
      '/projects/1/releases/v1',
      `/projects/1/snippets/${inProject.id}`,
      `/groups/${group.id}/epics/${epic.iid}`,
    ]) {
      assert.partialDeepStrictEqual((await api('GET', address)).json(), { author }, address);
    }
    const notes = (await api('GET', `/projects/1/issues/${foreign.iid}/notes`)).json();
    assert.partialDeepStrictEqual(notes, [{ body: 'By dev', author }]);
    const [ghost] = (await api('GET', '/users?username=ghost')).json() as { id: number }[];
    assert.partialDeepStrictEqual((await api('GET', `/projects/${inGroup.project.id}`)).json(), { creator_id: ghost?.id });
    for (const address of [
      `/users/${stage.dev.user.id}`,
      '/users/dev/events',
      '/namespaces/dev',
      `/projects/${own.project.id}`,
      `/snippets/${personal.id}`,
      `/groups/${group.id}/members/${stage.dev.user.id}`,
    ]) {
      assert.equal((await api('GET', address)).status, 404, address);
    }
    assert.equal((await server.request('GET', '/dev')).status, 404);
    const again = await api('POST', '/users', {
      username: 'dev',
      name: 'D',
      email: 'dev@example.com',
      force_random_password: true,
    });
    assert.equal(again.status, 201, again.text);
  });

  it('with hard_delete the contributions are deleted, but not what belongs to projects and groups', async () => {
    const { issue, foreign, inProject, inGroup, group, epic } = await contribute();
    assert.equal((await remove(stage.dev.user.id, '?hard_delete=true')).status, 204);
    for (const address of [
      `/projects/1/issues/${issue.iid}`,
      '/projects/1/merge_requests/1',
      `/projects/1/snippets/${inProject.id}`,
      `/groups/${group.id}/epics/${epic.iid}`,
    ]) {
      assert.equal((await api('GET', address)).status, 404, address);
    }
    assert.deepEqual((await api('GET', `/projects/1/issues/${foreign.iid}/notes`)).json(), []);
    assert.partialDeepStrictEqual((await api('GET', '/projects/1/releases/v1')).json(), { author: { username: 'ghost' } });
    assert.equal((await api('GET', `/projects/${inGroup.project.id}`)).status, 200);
    assert.equal((await api('GET', `/projects/1/issues/${foreign.iid}`)).status, 200);
  });

  it('the only owner of a group is not deleted, except with the group by hard_delete', async () => {
    const { dev, mia } = stage;
    const { group } = createGroup(server.platform, dev.user, { name: 'Solo', path: 'solo' });
    const inside = projectWith(server.platform, dev, { name: 'Inside', namespaceId: group.id });
    const sub = await made('/groups', { name: 'Sub', path: 'sub', parent_id: group.id }, dev.token);
    const { group: shared } = createGroup(server.platform, dev.user, { name: 'Shared', path: 'shared' });
    addGroupMember(server.platform, shared, mia.user, { level: 50 }, { user: dev.user });
    const refused = await remove(dev.user.id);
    assert.deepEqual(
      [refused.status, refused.json()],
      [409, { message: 'User cannot be removed while is the sole-owner of a group' }],
    );
    assert.equal((await api('GET', `/users/${dev.user.id}`)).status, 200);
    assert.equal((await remove(dev.user.id, '?hard_delete=true')).status, 204);
    for (const address of [`/groups/${group.id}`, `/groups/${sub.id}`, `/projects/${inside.project.id}`]) {
      assert.equal((await api('GET', address)).status, 404, address);
    }
    assert.equal((await api('GET', `/groups/${shared.id}`)).status, 200);
  });

  it('owners of a group whose ancestor has another owner are deleted', async () => {
    const { dev, mia } = stage;
    const { group } = createGroup(server.platform, mia.user, { name: 'Top', path: 'top' });
    addGroupMember(server.platform, group, dev.user, { level: 40 }, { user: mia.user });
    const sub = await made('/groups', { name: 'Sub', path: 'sub', parent_id: group.id }, dev.token);
    assert.equal((await remove(dev.user.id)).status, 204);
    assert.equal((await api('GET', `/groups/${sub.id}`)).status, 200);
  });

  it('tokens, sessions and one-time links of a deleted user end at once', async () => {
    const { dev, mia } = stage;
    projectWith(server.platform, mia, { name: 'Hidden' }, [[dev, 30]]);
    const person = new PageClient(server);
    await person.signIn('dev');
    const link = mintSignInLink(server.platform, dev.user, '/');
    const codes = await deviceCodes(server);
    await decide(server, codes, 'approve', 'dev');
    const tokens = (await poll(server, codes)).json() as { access_token: string; refresh_token: string };
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-git-'));
    try {
      const git = gitClient(folder);
      await git.succeed('ls-remote', addressOf(server, 'mia/hidden', dev.token));
      assert.equal((await person.open('/user_settings/profile')).status, 200);
      for (const token of [dev.token, tokens.access_token])
        assert.equal((await api('GET', '/user', undefined, token)).status, 200);
      assert.equal((await remove(dev.user.id)).status, 204);
      for (const token of [dev.token, tokens.access_token]) {
        const refused = await api('GET', '/user', undefined, token);
        assert.deepEqual([refused.status, refused.json()], [401, { message: '401 Unauthorized' }]);
      }
      assert.equal((await refresh(server, tokens.refresh_token, extension)).status, 400);
      assert.equal((await person.open('/user_settings/profile')).status, 303);
      assert.notEqual((await git.run('ls-remote', addressOf(server, 'mia/hidden', dev.token))).code, 0);
      assert.equal((await new PageClient(server).open(link?.path ?? '')).status, 410);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a user who is deleted while the password is checked does not sign in', async () => {
    const { dev } = stage;
    await setPassword(server.platform, dev.user, 'a long pass phrase');
    const checked = checkPassword(server.platform, 'dev', 'a long pass phrase');
    removeAccount(server.platform, dev.user, { withContributions: false });
    assert.equal(await checked, undefined);
  });

  it('a change of a repository that waited while its user was deleted is refused', async () => {
    const { dev, project } = stage;
    const gate = Promise.withResolvers<void>();
    const earlier = server.platform.repositories.exclusively(projectQueue(project.project.id), () => gate.promise);
    const late = createBranch(server.platform, seenBy(server.platform, project, dev), dev.user, 'late', 'main');
    const refused = assert.rejects(late, NotFound);
    removeAccount(server.platform, dev.user, { withContributions: false });
    gate.resolve();
    await Promise.all([earlier, refused]);
    assert.equal((await api('GET', '/projects/1/repository/branches/late')).status, 404);
  });

  it('the ghost user cannot be deleted, blocked or signed in, and gets no mail', async () => {
    const issue = await made('/projects/1/issues', { title: 'Dark' }, stage.dev.token);
    await remove(stage.dev.user.id);
    const [ghost] = (await api('GET', '/users?username=ghost')).json() as { id: number }[];
    assert.ok(ghost);
    assert.equal((await remove(ghost.id)).status, 403);
    assert.equal((await remove(ghost.id, '?hard_delete=true')).status, 403);
    for (const action of ['block', 'ban', 'deactivate']) {
      assert.equal((await api('POST', `/users/${ghost.id}/${action}`)).status, 403, action);
    }
    const { token } = (await api('POST', `/users/${ghost.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] })).json() as {
      token: string;
    };
    assert.equal((await api('GET', '/user', undefined, token)).status, 403);
    const link = await server.request('POST', '/_local/sign-in-links', { token: admin, json: { username: 'ghost' } });
    assert.equal(link.status, 403);
    await made(`/projects/1/issues/${issue.iid}/notes`, { body: 'Anybody?' }, stage.mia.token);
    server.platform.schedule.runDue();
    const mails = server.platform.store.all<{ user_id: number }>('SELECT DISTINCT user_id FROM mails');
    assert.deepEqual(
      mails.filter(({ user_id: userId }) => userId === ghost.id),
      [],
    );
  });

  it('another username is taken for the ghost user if somebody has the usual one', async () => {
    actor(server.platform, 'ghost');
    const issue = await made('/projects/1/issues', { title: 'Dark' }, stage.dev.token);
    await remove(stage.dev.user.id);
    assert.partialDeepStrictEqual((await api('GET', `/projects/1/issues/${issue.iid}`)).json(), {
      author: { username: 'ghost1' },
    });
    await made('/projects/1/issues', { title: 'Dark' }, stage.rita.token);
    await remove(stage.rita.user.id);
    const ghosts = (await api('GET', '/users?search=Ghost User')).json() as object[];
    assert.equal(ghosts.length, 1);
  });

  it('the user with ID 1 cannot be deleted, and other administrators can delete themselves', async () => {
    assert.equal((await remove(rootOf(server.platform).id)).status, 403);
    const { mia } = stage;
    assert.equal((await api('PUT', `/users/${mia.user.id}`, { admin: true })).status, 200);
    // Without root, mia is the last administrator.
    await api('PUT', '/users/1', { admin: false }, mia.token);
    assert.equal((await api('DELETE', `/users/${mia.user.id}`, undefined, mia.token)).status, 403);
    await api('PUT', '/users/1', { admin: true }, mia.token);
    assert.equal((await api('DELETE', `/users/${mia.user.id}`, undefined, mia.token)).status, 204);
    assert.equal((await api('GET', '/user', undefined, mia.token)).status, 401);
  });

  it('only administrators delete accounts, and unknown users are 404', async () => {
    for (const [token, id, status] of [
      [stage.mia.token, stage.dev.user.id, 403],
      [stage.dev.token, stage.dev.user.id, 403],
      [admin, 9999, 404],
    ] as const) {
      assert.equal((await api('DELETE', `/users/${id}`, undefined, token)).status, status);
    }
    assert.equal((await server.request('DELETE', `/api/v4/users/${stage.dev.user.id}`)).status, 401);
    const wrong = await remove(stage.dev.user.id, '?hard_delete=maybe');
    assert.deepEqual([wrong.status, wrong.json()], [400, { error: 'hard_delete is invalid' }]);
    assert.equal((await api('GET', `/users/${stage.dev.user.id}`)).status, 200);
  });
});
