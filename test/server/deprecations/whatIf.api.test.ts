import assert from 'node:assert/strict';
import { openReplica } from '../../../server/replica.ts';
import { createApp, routeDefinitions } from '../../../server/app.ts';
import { differencesOf } from '../../../server/features/deprecations/differences.ts';
import { examples, makeFixture, sendExample } from '../../support/examples.ts';
import { type WhatIf, whatIf } from '../../../server/features/deprecations/whatIf.ts';
import { createUser, setPassword } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { describeReplays } from './replays.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('replay of reads in another release', () => {
  let server: TestServer;
  let ada: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
  });
  afterEach(() => server.close());

  const get = async (path: string, token?: string): Promise<number> =>
    (await server.request('GET', path, token === undefined ? {} : { token })).status;
  const ask = async (release: string, token = server.adminToken): Promise<WhatIf> => {
    const response = await server.request('POST', `/api/v4/deprecations/what_if?release=${release}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.json() as WhatIf;
  };
  const of = ({ requests }: WhatIf, request: string) => {
    const found = requests.find((one) => one.request === request);
    assert.ok(found, `${request} is not in ${JSON.stringify(requests)}`);
    return found;
  };

  it('a read that a release refuses is shown with both statuses and its deprecation', async () => {
    assert.equal(await get('/api/v4/audit_events?page=2', server.adminToken), 200);
    const { status_before, status_after, deprecations, user } = of(await ask('19.0'), 'GET /api/v4/audit_events?page=2');
    assert.deepEqual([status_before, status_after, deprecations, user], [200, 405, ['audit-event-offsets'], 'root']);
    assert.equal(of(await ask('18.11'), 'GET /api/v4/audit_events?page=2').status_after, 200);
  });

  it('members that differ are shown as paths, and values that vary by themselves are not', async () => {
    assert.equal(await get('/api/v4/version', ada.token), 200);
    assert.equal(await get('/api/v4/user', ada.token), 200);
    const result = await ask('20.0');
    assert.deepEqual(of(result, 'GET /api/v4/version').differences, [
      { path: '/version', before: '"18.11.0-ee"', after: '"20.0.0-ee"', count: 1 },
    ]);
    assert.deepEqual(of(result, 'GET /api/v4/user').differences, []);
  });

  it('reads are sent as their user, anonymous ones without a token', async () => {
    const found = createProject(server.platform, ada.user, { name: 'Lamps', visibility: 'private' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp' });
    const path = `/api/v4/projects/${found.project.id}/repository/tree`;
    assert.equal(await get(path, ada.token), 200);
    assert.equal(await get('/api/v4/projects'), 200);
    const result = await ask('20.0');
    assert.deepEqual([of(result, `GET ${path}`).status_after, of(result, `GET ${path}`).user], [200, 'ada']);
    assert.equal(of(result, 'GET /api/v4/projects').user, null);
  });

  it('GraphQL queries are sent again, mutations are not', async () => {
    const send = (query: string) => server.request('POST', '/api/graphql', { token: server.adminToken, json: { query } });
    assert.equal((await send('{ currentUser { username } }')).status, 200);
    assert.equal((await send('mutation { echoCreate(input: { messages: ["a"] }) { echoes } }')).status, 200);
    const { requests } = await ask('20.0');
    assert.deepEqual(
      requests.map(({ request, status_after }) => [request, status_after]),
      [['POST /api/graphql {"query":"{ currentUser { username } }"}', 200]],
    );
  });

  it('secrets of reads are not kept', async () => {
    const { token } = issuePersonalToken(server.platform, ada.user, { name: 'Lamp', scopes: ['read_api'], expiresAt: null });
    assert.equal(await get(`/api/v4/user?private_token=${token}&with=1`), 200);
    assert.equal(await get('/api/v4/user?sudo=ada', server.adminToken), 200);
    assert.equal(await get(`/api/v4/projects?search=${token}`), 200);
    const [asAda, read, ...others] = server.platform.recordedReads.list(undefined);
    assert.deepEqual([asAda?.query, asAda?.userId], ['', ada.user.id]);
    assert.deepEqual(
      [read?.path, read?.query, read?.userId, read?.scopes],
      ['/api/v4/user', 'with=1', ada.user.id, ['read_api']],
    );
    assert.deepEqual(others, []);
    assert.ok(!JSON.stringify(read).includes(token));
  });

  it('the latest 200 different reads are kept', async () => {
    for (let number = 0; number < 210; number += 1) {
      const read = { method: 'GET', path: '/api/v4/user', query: `number=${number % 205}`, body: undefined } as const;
      server.platform.recordedReads.add({ ...read, userId: ada.user.id, scopes: [] }, read.query);
    }
    const reads = server.platform.recordedReads.list(ada.user.id);
    assert.equal(reads.length, 200);
    assert.deepEqual([reads[0]?.query, reads.at(-1)?.query], ['number=4', 'number=10']);
  });

  it('secrets in differences are masked', () => {
    const { token } = issuePersonalToken(server.platform, ada.user, { name: 'Lamp', scopes: [], expiresAt: null });
    assert.deepEqual(differencesOf({ runners_token: 'secret', note: token, job: { token: 'secret' } }, {}), [
      { path: '/runners_token', before: '"[masked]"', after: null, count: 1 },
      { path: '/note', before: '"[masked]"', after: null, count: 1 },
      { path: '/job', before: '{"token":"[masked]"}', after: null, count: 1 },
    ]);
  });

  it('items of lists are compared by their IDs, and equal differences are counted', () => {
    const before = [1, 2, 3].map((id) => ({ id, old: id, 'a/b~c': 0 }));
    const after = [3, 2, 4].map((id) => ({ id, 'a/b~c': 0 }));
    assert.deepEqual(differencesOf(before, after), [
      { path: '/*', before: '{"id":1,"old":1,"a/b~c":0}', after: null, count: 2 },
      { path: '/*/old', before: '2', after: null, count: 2 },
    ]);
    assert.deepEqual(differencesOf({ 'a/b~c': [1, 2] }, { 'a/b~c': [1, 3] }), [
      { path: '/a~1b~0c/*', before: '2', after: '3', count: 1 },
    ]);
    assert.equal(differencesOf('x'.repeat(500), '')[0]?.before?.length, 201);
  });

  it('recorded writes are judged by the registry', async () => {
    const mia = createUser(server.platform, { username: 'mia', name: 'Mia', email: 'mia@signalbox.example' });
    assert.ok(typeof mia === 'object');
    const password = 'lamps and lanterns';
    await setPassword(server.platform, mia, password);
    const form = { grant_type: 'password', username: 'mia', password };
    assert.equal((await server.request('POST', '/oauth/token', { form })).status, 200);
    assert.deepEqual((await ask('18.11')).writes, []);
    const [write] = (await ask('19.0')).writes;
    assert.deepEqual([write?.request, write?.deprecation], ['POST /oauth/token', 'password-grant']);
    assert.match(write?.outcome ?? '', /authorization code grant/);
  });

  it('users replay only their own reads, and administrators those of everyone', async () => {
    await get('/api/v4/version', ada.token);
    await get('/api/v4/user', server.adminToken);
    const users = async (token: string) => (await ask('20.0', token)).requests.map(({ user }) => user).toSorted();
    assert.deepEqual(await users(ada.token), ['ada']);
    assert.deepEqual(await users(server.adminToken), ['ada', 'root']);
    assert.equal((await server.request('POST', '/api/v4/deprecations/what_if?release=20.0')).status, 401);
  });

  it('a replay changes nothing on the server', async () => {
    const rows = () =>
      ['users', 'personal_access_tokens', 'mails', 'audit_events', 'instance_settings', 'instance'].map((table) =>
        server.platform.store.all(`SELECT * FROM ${table}`),
      );
    await get('/api/v4/user', ada.token);
    // The use of a token is recorded once a minute.
    await ask('20.0');
    const before = rows();
    await ask('20.0');
    assert.deepEqual(rows(), before);
    assert.equal(server.platform.profile.release, '18.11');
    assert.equal(await get('/api/v4/user', ada.token), 200);
  });

  it('only one replay runs at a time', async () => {
    await get('/api/v4/user', ada.token);
    const { platform, origin } = server;
    const begin = () =>
      whatIf(platform, (baseUrl) => openReplica(platform, (copy, publicUrl) => createApp(copy, { publicUrl }), baseUrl), {
        release: '20.0',
        userId: undefined,
        baseUrl: origin,
      });
    const first = begin();
    await assert.rejects(begin(), { kind: 'conflict' });
    assert.equal((await first).requests.length, 1);
    assert.equal((await begin()).requests.length, 1);
  });

  it('a database that is too large is refused in words', async () => {
    await get('/api/v4/user', ada.token);
    const { store } = server.platform;
    const copy = store.copyInMemory;
    Object.assign(store, { copyInMemory: () => copy(1) });
    const refused = await server.request('POST', '/api/v4/deprecations/what_if?release=20.0', { token: ada.token });
    assert.deepEqual(
      [refused.status, refused.json()],
      [422, { message: 'The database of this server is larger than 256 MiB and cannot be copied into memory' }],
    );
  });

  it('an unknown or missing release is refused', async () => {
    for (const [query, error] of [
      ['', 'release is missing'],
      ['?release=21.0', 'release does not have a valid value'],
    ] as const) {
      const refused = await server.request('POST', `/api/v4/deprecations/what_if${query}`, { token: ada.token });
      assert.equal(refused.status, 400);
      assert.match(refused.text, new RegExp(error));
    }
  });

  it('the page of the report has a button that shows the differences', async () => {
    await get('/api/v4/audit_events?page=2', server.adminToken);
    await get('/api/v4/version', ada.token);
    const browser = new PageClient(server);
    await browser.signIn('root');
    const report = await browser.open('/help/deprecations?release=19.0&all=1');
    const page = await browser.submit(report, '/help/deprecations/what_if');
    assert.equal(page.status, 200);
    const shown = textOf(page.text);
    assert.match(shown, /2 of 2 reads differ/);
    assert.match(shown, /Status 200 becomes 405/);
    assert.match(shown, /"19\.0\.0-ee"/);
  });
});

describe('replay of the reads of every endpoint', () => {
  it('reads with the token of a job are not kept', async () => {
    await using server = await startTestServer();
    const { recordedReads } = server.platform;
    const fixture = makeFixture(server);
    const read = 'GET /api/v4/job';
    const [route] = routeDefinitions(server.platform).filter(({ method, path }) => `${method} ${path}` === read);
    const example = await examples[read]?.(fixture);
    assert.ok(route !== undefined && example !== undefined);
    assert.equal((await sendExample(server, route, example)).status, 200);
    assert.deepEqual(
      recordedReads.list(undefined).filter(({ path }) => path === '/api/v4/job'),
      [],
    );
  });
});

describeReplays({ sample: 50 });
