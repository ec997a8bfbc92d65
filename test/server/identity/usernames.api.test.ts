import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createUser } from '../../../server/features/users/accounts.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

const profile = '/user_settings/profile';

describe('changes of usernames', () => {
  let server: TestServer;
  let ada: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
  });
  afterEach(() => server.close());

  const api = (method: string, address: string, json?: object, token = ada.token): Promise<TestResponse> =>
    server.request(method, `/api/v4${address}`, { token, ...(json === undefined ? {} : { json }) });
  const rename = (username: string, token = admin): Promise<TestResponse> =>
    api('PUT', `/users/${ada.user.id}`, { username }, token);
  const locationOf = ({ headers }: TestResponse): string | undefined =>
    headers.get('location')?.replace(`${server.origin}/api/v4`, '');

  it('an administrator changes a username, and the paths of the namespace and the projects follow', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Lamps' });
    const changed = await rename('lovelace');
    assert.equal(changed.status, 200, changed.text);
    assert.partialDeepStrictEqual(changed.json(), {
      id: ada.user.id,
      username: 'lovelace',
      web_url: `${server.origin}/lovelace`,
    });
    assert.partialDeepStrictEqual((await api('GET', '/namespaces/lovelace')).json(), { path: 'lovelace', full_path: 'lovelace' });
    assert.partialDeepStrictEqual((await api('GET', `/projects/${project.id}`)).json(), {
      path_with_namespace: 'lovelace/lamps',
      web_url: `${server.origin}/lovelace/lamps`,
    });
    assert.partialDeepStrictEqual((await api('GET', '/user')).json(), { username: 'lovelace' });
    assert.deepEqual((await api('GET', '/users?username=ada')).json(), []);
  });

  it('reads of the former paths are redirected, and changes are refused with the new address', async () => {
    await using hosted = await startTestServer({ profile: { offering: 'multi-tenant' } });
    const { user, token } = actor(hosted.platform, 'ada');
    const { project } = projectWith(hosted.platform, { user, token }, { name: 'Lamps' });
    const send = (method: string, address: string, as: string, json?: object): Promise<TestResponse> =>
      hosted.request(method, `/api/v4${address}`, { token: as, ...(json === undefined ? {} : { json }) });
    assert.equal((await send('PUT', `/users/${user.id}`, admin, { username: 'lovelace' })).status, 200);
    const { namespace_id: namespaceId } = (await send('GET', '/user', token)).json() as { namespace_id: number };
    for (const [method, from, to, kind] of [
      ['GET', '/namespaces/ada', `/namespaces/${namespaceId}`, 'namespace'],
      ['GET', '/projects/ada%2Flamps/issues?state=all', `/projects/${project.id}/issues?state=all`, 'project'],
      ['PUT', '/namespaces/ada', `/namespaces/${namespaceId}`, 'namespace'],
      ['PUT', '/projects/ADA%2Flamps', `/projects/${project.id}`, 'project'],
    ] as const) {
      const response = await send(method, from, method === 'GET' ? token : admin, method === 'GET' ? undefined : {});
      const location = `${hosted.origin}/api/v4${to}`;
      assert.deepEqual([response.status, response.headers.get('location')], [method === 'GET' ? 301 : 405, location], from);
      if (method === 'PUT') {
        assert.deepEqual(response.json(), { message: `Non GET methods are not allowed for moved ${kind}s` });
      }
    }
    for (const [from, to] of [
      ['/ada', '/lovelace'],
      ['/ada/lamps', '/lovelace/lamps'],
    ] as const) {
      const client = new PageClient(hosted);
      await client.signIn('lovelace');
      const page = await client.open(from);
      assert.deepEqual([page.status, page.headers.get('location')], [303, to]);
    }
  });

  it('people who do not see a personal namespace do not learn its new path through the API', async () => {
    projectWith(server.platform, ada, { name: 'Lamps' });
    await rename('lovelace');
    const other = actor(server.platform, 'bob');
    assert.equal((await api('GET', '/namespaces/ada', undefined, other.token)).status, 404);
    assert.equal((await api('GET', '/projects/ada%2Flamps', undefined, other.token)).status, 404);
  });

  it('the page of the person and of a top-level group is found at former paths', async () => {
    const group = (await api('POST', '/groups', { name: 'Engines', path: 'engines', visibility: 'public' })).json() as {
      id: number;
    };
    await api('PUT', `/groups/${group.id}`, { path: 'motors' });
    await rename('lovelace');
    for (const [from, to] of [
      ['/Ada', '/lovelace'],
      ['/engines', '/groups/motors'],
    ] as const) {
      const page = await server.request('GET', from);
      assert.deepEqual([page.status, page.headers.get('location')], [303, to]);
    }
    assert.equal((await server.request('GET', '/nobody')).status, 404);
  });

  it('git fetches and pushes by the former path', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-git-'));
    try {
      const git = gitClient(folder);
      const found = projectWith(server.platform, ada, { name: 'Lamps' });
      await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
      await git.succeed('clone', addressOf(server, 'ada/lamps', ada.token), 'lamps');
      assert.equal((await rename('lovelace')).status, 200);
      await git.succeed('-C', 'lamps', 'fetch');
      await git.succeed('-C', 'lamps', 'commit', '--allow-empty', '-m', 'Second');
      await git.succeed('-C', 'lamps', 'push', 'origin', 'HEAD:refs/heads/second');
      const branch = await api('GET', '/projects/lovelace%2Flamps/repository/branches/second');
      assert.partialDeepStrictEqual(branch.json(), { commit: { title: 'Second' } });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a former username can be used by somebody else, which ends its redirects', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Lamps' });
    await rename('lovelace');
    const other = actor(server.platform, 'ada2');
    assert.equal((await api('PUT', `/users/${other.user.id}`, { username: 'ada' }, admin)).status, 200);
    assert.partialDeepStrictEqual((await api('GET', '/namespaces/ada', undefined, other.token)).json(), { path: 'ada' });
    // The project keeps its redirect until there is a project of this path.
    assert.equal(locationOf(await api('GET', '/projects/ada%2Flamps')), `/projects/${project.id}`);
    const { project: second } = projectWith(server.platform, other, { name: 'Lamps', visibility: 'public' });
    assert.partialDeepStrictEqual((await api('GET', '/projects/ada%2Flamps')).json(), { id: second.id });
  });

  it('the case of a username can be changed, and a username changed back', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Lamps' });
    for (const username of ['Ada', 'lovelace', 'ada']) {
      assert.equal((await rename(username)).status, 200);
      const found = await api('GET', `/projects/${username}%2Flamps`);
      assert.partialDeepStrictEqual(found.json(), { id: project.id, path_with_namespace: `${username}/lamps` });
    }
    assert.equal(locationOf(await api('GET', '/projects/lovelace%2Flamps')), `/projects/${project.id}`);
  });

  it('usernames that are taken or not possible are refused, and nothing is changed', async () => {
    createUser(server.platform, { username: 'bob', name: 'Bob', email: 'bob@example.com' });
    await api('POST', '/groups', { name: 'Engines', path: 'engines' });
    for (const taken of ['BOB', 'engines']) {
      const refused = await rename(taken);
      assert.deepEqual([refused.status, refused.json()], [409, { message: 'Username has already been taken' }]);
    }
    for (const bad of ['', 'a b', '-a', 'a.', 'help', '<ada>']) {
      const refused = await rename(bad);
      assert.equal(refused.status, 400, bad);
      assert.match(refused.text, /^\{"message":\{"username":\["can contain only letters/);
    }
    const long = await rename('a'.repeat(256));
    assert.deepEqual(long.json(), { message: { username: ['is too long (maximum is 255 characters)'] } });
    assert.equal((await rename('lovelace', ada.token)).status, 403);
    const both = await api('PUT', `/users/${ada.user.id}`, { username: 'lovelace', email: 'bob@example.com' }, admin);
    assert.deepEqual([both.status, both.json()], [409, { message: 'Email has already been taken' }]);
    assert.partialDeepStrictEqual((await api('GET', '/user')).json(), { username: 'ada', email: 'ada@example.com' });
  });

  it('people change their own username on the profile page', async () => {
    createUser(server.platform, { username: 'bob', name: 'Bob', email: 'bob@example.com' });
    projectWith(server.platform, ada, { name: 'Lamps' });
    const person = new PageClient(server);
    await person.signIn('ada');
    for (const [username, validationError] of [
      ['bob', /This username is already taken\./],
      ['help', /The username can contain only letters/],
    ] as const) {
      const refused = await person.submit(await person.open(profile), profile, { username });
      assert.equal(refused.status, 422);
      assert.match(textOf(refused.text), validationError);
    }
    const done = await person.follow(await person.submit(await person.open(profile), profile, { username: 'lovelace' }));
    assert.match(textOf(done.text), /Profile saved\..*\/lovelace/s);
    assert.partialDeepStrictEqual((await api('GET', '/projects/lovelace%2Flamps')).json(), { name: 'Lamps' });
  });

  it('an administrator sets a password, which ends the sessions that the old one began', async () => {
    const person = new PageClient(server);
    await person.signIn('ada');
    const put = (password: string): Promise<TestResponse> => api('PUT', `/users/${ada.user.id}`, { password }, admin);
    const weak = await put('short');
    assert.deepEqual([weak.status, weak.json()], [400, { message: { password: ['is too short (minimum is 8 characters)'] } }]);
    assert.equal((await person.open(profile)).status, 200);
    assert.equal((await put('another pass phrase')).status, 200);
    assert.equal((await person.open(profile)).status, 303);
    const client = new PageClient(server);
    const page = '/users/sign_in';
    const signedIn = await client.submit(await client.open(page), page, { login: 'ada', password: 'another pass phrase' });
    assert.equal(signedIn.status, 303);
  });
});
