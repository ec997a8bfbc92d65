import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DAY } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestResponse, type TestServer } from '../../support/server.ts';

interface NewToken {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

describe('deploy tokens', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let dev: Actor;
  let crew: FoundGroup;
  let lamps: FoundProject;
  let boats: FoundProject;
  let other: FoundProject;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, mia, dev] = [actor(platform, 'ada'), actor(platform, 'mia'), actor(platform, 'dev')];
    crew = createGroup(platform, ada.user, { name: 'Crew', path: 'crew' });
    addGroupMember(platform, crew.group, mia.user, { level: 40 }, { user: ada.user });
    const inner = createGroup(platform, ada.user, { name: 'Inner', path: 'inner', parent: crew });
    lamps = projectWith(platform, ada, { name: 'Lamps' }, [
      [mia, 40],
      [dev, 30],
    ]);
    boats = createProject(platform, ada.user, { name: 'Boats', namespaceId: inner.group.id });
    other = createProject(platform, ada.user, { name: 'Other' });
    for (const found of [lamps, boats, other]) await commitFiles(platform, found, ada, { 'a.txt': found.project.name });
  });
  after(() => server.close());

  const send = (method: string, at: string, who: Actor, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4/${at}`, { token: who.token, ...(json === undefined ? {} : { json }) });
  const make = async (at: string, more: object = {}): Promise<NewToken> => {
    const response = await send('POST', `${at}/deploy_tokens`, ada, { name: 'CI', scopes: ['read_repository'], ...more });
    assert.equal(response.status, 201, response.text);
    return response.json() as NewToken;
  };
  const basic = (username: string, password: string): Record<string, string> => ({
    Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  });
  const fetchStatus = async (found: FoundProject, { username, token }: NewToken, as = username): Promise<number> =>
    (
      await server.request('GET', `/${found.project.full_path}.git/info/refs?service=git-upload-pack`, {
        headers: basic(as, token),
      })
    ).status;
  const inLamps = (): string => `projects/${lamps.project.id}`;

  it('the secret is shown once and stored as a hash', async () => {
    const made = await make(inLamps(), { name: 'Shown', expires_at: '2999-01-01' });
    assert.match(made.token, /^gldt-/);
    const shown = {
      id: made.id,
      name: 'Shown',
      username: `gitlab+deploy-token-${made.id}`,
      expires_at: '2999-01-01T00:00:00.000Z',
      scopes: ['read_repository'],
      revoked: false,
      expired: false,
    };
    assert.deepEqual(made, { ...shown, token: made.token });
    assert.deepEqual((await send('GET', `${inLamps()}/deploy_tokens/${made.id}`, mia)).json(), shown);
    const rows = JSON.stringify(server.platform.store.all('SELECT * FROM deploy_tokens'));
    assert.ok(!rows.includes(made.token));
  });

  it('git clones with a token of the project and its own username', async () => {
    const made = await make(inLamps(), { username: 'ci' });
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-deploy-'));
    try {
      const address = addressOf(server, lamps.project.full_path, made.token, made.username);
      await gitClient(folder).succeed('clone', address, 'lamps');
      assert.equal(readFileSync(path.join(folder, 'lamps', 'a.txt'), 'utf8'), 'Lamps');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    assert.equal(await fetchStatus(lamps, made, 'oauth2'), 401);
    assert.equal(await fetchStatus(other, made), 404);
  });

  it('a token of a group fetches the projects of its subgroups', async () => {
    const made = await make(`groups/${crew.group.id}`);
    assert.equal(await fetchStatus(boats, made), 200);
    assert.equal(await fetchStatus(lamps, made), 404);
  });

  it('a token cannot push, and opens neither the REST API nor projects without the scope for code', async () => {
    const made = await make(inLamps());
    const push = await server.request('GET', `/${lamps.project.full_path}.git/info/refs?service=git-receive-pack`, {
      headers: basic(made.username, made.token),
    });
    assert.equal(push.status, 403);
    assert.equal(push.text, 'You are not allowed to push code to this project.\nDeploy tokens can only fetch.\n');
    assert.equal((await server.request('GET', `/api/v4/${inLamps()}`, { token: made.token })).status, 401);
    const images = await make(inLamps(), { scopes: ['read_registry'] });
    assert.equal(await fetchStatus(lamps, images), 403);
  });

  it('expired and deleted tokens are refused, and the filter shows active ones', async () => {
    const at = `projects/${other.project.id}`;
    const [brief, lasting] = [
      await make(at, { expires_at: new Date(server.platform.clock.now() + DAY).toISOString() }),
      await make(at),
    ];
    assert.equal(await fetchStatus(other, brief), 200);
    server.platform.clock.advance(DAY);
    assert.equal(await fetchStatus(other, brief), 401);
    const ids = async (query: string): Promise<readonly (readonly [number, boolean])[]> => {
      const list = (await send('GET', `${at}/deploy_tokens${query}`, ada)).json() as { id: number; expired: boolean }[];
      return list.map(({ id, expired }) => [id, expired]);
    };
    assert.deepEqual(await ids(''), [
      [brief.id, true],
      [lasting.id, false],
    ]);
    assert.deepEqual(await ids('?active=true'), [[lasting.id, false]]);
    assert.equal((await send('DELETE', `${at}/deploy_tokens/${lasting.id}`, ada)).status, 204);
    assert.equal(await fetchStatus(other, lasting), 401);
    assert.equal((await send('GET', `${at}/deploy_tokens/${lasting.id}`, ada)).status, 404);
  });

  it('maintainers manage tokens of projects, owners those of groups, and administrators see all', async () => {
    const input = { name: 'CI', scopes: 'read_repository' };
    assert.equal((await send('GET', `${inLamps()}/deploy_tokens`, dev)).status, 403);
    assert.equal((await send('POST', `${inLamps()}/deploy_tokens`, mia, input)).status, 201);
    const inCrew = `groups/${crew.group.id}/deploy_tokens`;
    assert.equal((await send('GET', inCrew, mia)).status, 200);
    assert.equal((await send('POST', inCrew, mia, input)).status, 403);
    assert.equal((await send('GET', 'deploy_tokens', mia)).status, 403);
    const all = await server.request('GET', '/api/v4/deploy_tokens?per_page=100', { token: server.adminToken });
    const count = server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM deploy_tokens')?.n;
    assert.equal((all.json() as unknown[]).length, count);
    assert.equal((await send('GET', `projects/${boats.project.id}/deploy_tokens/1`, ada)).status, 404);
  });

  scenarios(
    () => server,
    [
      {
        name: 'a token has scopes',
        json: { name: 'x', scopes: [] },
        body: { message: "Scopes can't be blank" },
      },
      {
        name: 'there is no scope for pushing',
        json: { name: 'x', scopes: ['write_repository'] },
        body: { error: 'scopes does not have a valid value' },
      },
      {
        name: 'usernames have no spaces',
        json: { name: 'x', scopes: ['read_repository'], username: 'a b' },
        body: { message: "Username can contain only letters, digits, '_', '-', '+', and '.'" },
      },
    ].map((row) => ({
      ...row,
      method: 'POST',
      path: '/api/v4/projects/ada%2Flamps/deploy_tokens',
      token: TEST_ADMIN_TOKEN,
      status: 400,
    })),
  );
});
