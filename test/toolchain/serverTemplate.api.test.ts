import assert from 'node:assert/strict';
import { createClientKey } from '../../server/features/clientKeys/clientKeys.ts';
import { commitFiles } from '../server/git/repository.ts';
import { actor, projectWith } from '../server/projects/cast.ts';
import { TEST_ADMIN_TOKEN as admin, type TestServer } from '../support/server.ts';
import { serverTemplate, type ServerTemplate } from '../support/serverTemplate.ts';

interface Made {
  readonly token: string;
  readonly key: string;
  readonly projectId: number;
}

describe('copies of a test server', () => {
  let template: ServerTemplate<Made>;
  before(async () => {
    template = await serverTemplate(async ({ platform }) => {
      const ada = actor(platform, 'ada');
      const found = projectWith(platform, ada, { name: 'Lamps' });
      await commitFiles(platform, found, ada, { 'a.txt': 'lamp\n' });
      const { public_key: key } = createClientKey(platform, found.project.id);
      return { token: ada.token, key, projectId: found.project.id };
    });
  });

  const get = async (server: TestServer, path: string, token = admin): Promise<unknown> => {
    const response = await server.request('GET', `/api/v4${path}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.json();
  };

  it('copies of a test server have the projects and repositories of the template', async () => {
    await using copy = await template.start();
    assert.partialDeepStrictEqual(await get(copy, `/projects/${template.made.projectId}`), { path_with_namespace: 'ada/lamps' });
    const file = await copy.request('GET', `/api/v4/projects/${template.made.projectId}/repository/files/a.txt/raw?ref=main`, {
      token: admin,
    });
    assert.equal(file.text, 'lamp\n');
  });

  it('copies of a test server do not change each other', async () => {
    await using one = await template.start();
    await using other = await template.start();
    const json = { branch: 'main', commit_message: 'Change', content: 'brighter\n' };
    const file = `/api/v4/projects/${template.made.projectId}/repository/files/a.txt`;
    assert.equal((await one.request('PUT', file, { token: admin, json })).status, 200);
    assert.equal((await one.request('GET', `${file}/raw?ref=main`, { token: admin })).text, 'brighter\n');
    assert.equal((await other.request('GET', `${file}/raw?ref=main`, { token: admin })).text, 'lamp\n');
  });

  it('copies of a test server are different instances with different client keys', async () => {
    await using one = await template.start();
    await using other = await template.start();
    const keyOf = ({ platform }: TestServer) =>
      platform.store.get<{ key: string }>('SELECT public_key AS key FROM error_tracking_client_keys')?.key;
    assert.notEqual(one.platform.instanceId, other.platform.instanceId);
    assert.equal(new Set([template.made.key, keyOf(one), keyOf(other)]).size, 3);
  });

  it('copies of a test server refuse the tokens of the template and of each other', async () => {
    await using one = await template.start();
    await using other = await template.start();
    const path = '/users/2/personal_access_tokens';
    const issued = await one.request('POST', `/api/v4${path}`, { token: admin, json: { name: 'copy', scopes: ['api'] } });
    const { token } = issued.json() as { token: string };
    assert.partialDeepStrictEqual(await get(one, '/user', token), { username: 'ada' });
    for (const [server, foreign] of [
      [one, template.made.token],
      [other, template.made.token],
      [other, token],
    ] as const)
      assert.equal((await server.request('GET', '/api/v4/user', { token: foreign })).status, 401);
  });
});
