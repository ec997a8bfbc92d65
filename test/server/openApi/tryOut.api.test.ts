import assert from 'node:assert/strict';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

const pageOf = (method: string, path: string): string =>
  `/help/api/endpoints/${method}_api_v4${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`;

describe('search of the API reference', () => {
  it('finds endpoints by method and by words of path, section, scope and parameters', async () => {
    await using server = await startTestServer();
    const found = async (query: string): Promise<readonly string[]> => {
      const { text, status } = await server.request('GET', `/help/api?${query}`);
      assert.equal(status, 200);
      const places = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
      for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(places.has(target), target);
      return [...text.matchAll(/<summary><code>([^<]+)<\/code>/g)].map(([, name = '']) => name);
    };
    assert.deepEqual(await found('q=releases+permalink'), ['GET /api/v4/projects/{id}/releases/permalink/latest']);
    const issues = await found('q=/ISSUES+confidential&method=POST');
    assert.ok(issues.includes('POST /api/v4/projects/{id}/issues'), issues.join());
    assert.ok(
      issues.every((name) => name.startsWith('POST ')),
      issues.join(),
    );
    assert.deepEqual(await found('q=nothing+has+this+word'), []);
    assert.ok((await found('method=&q=')).length > 500);
    const { text } = await server.request('GET', '/help/api?q=%22%3E%3Cscript%3E');
    assert.ok(!text.includes('<script>'));
    assert.match(textOf(text), /0 endpoints found\. Show all/);
  });
});

describe('trying out endpoints', () => {
  let server: TestServer;
  let ada: Actor;
  let asAda: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    asAda = new PageClient(server);
    await asAda.signIn('ada');
  });
  afterEach(() => server.close());

  const send = async (path: string, fields: Readonly<Record<string, string>>, client = asAda): Promise<TestResponse> =>
    client.submit(await client.open(path), path, fields);

  it('a read is sent with the rights of the session, and its response is shown with status, headers and JSON', async () => {
    projectWith(server.platform, ada, { name: 'Lamps', visibility: 'private' });
    const page = await send(pageOf('get', '/projects/:id'), { 'path.id': 'ada/lamps' });
    assert.equal(page.status, 200);
    const text = textOf(page.text);
    assert.match(text, /Response 200 OK \{ "id": \d+, "description": null, "name": "Lamps"/);
    assert.match(text, /headers .*X-Request-Id/i);
    assert.match(
      text,
      /curl --request GET 'http:\/\/127\.0\.0\.1:\d+\/api\/v4\/projects\/ada%2Flamps' \\ --header "PRIVATE-TOKEN: \$TOKEN"/,
    );
    assert.match(page.text, /id="path\.id" name="path\.id" type="text" value="ada\/lamps"/);
    const [logged] = server.platform.requestLog.list(2).filter(({ path }) => path.startsWith('/api/'));
    assert.deepEqual([logged?.route, logged?.user, logged?.status], ['GET /api/v4/projects/:id', 'ada', 200]);
    const nobody = new PageClient(server);
    assert.match(
      textOf((await send(pageOf('get', '/projects/:id'), { 'path.id': 'ada/lamps' }, nobody)).text),
      /Response 404 Not Found/,
    );
  });

  it('lists, objects, numbers and empty texts are sent as the parameters declare them', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Lamps' });
    const fields = {
      'path.id': String(project.id),
      'body.title': 'Dark',
      'body.labels': 'east\nfar west\n',
      'body.description': '""',
    };
    const created = await send(pageOf('post', '/projects/:id/issues'), {
      ...fields,
      'body.confidential': 'true',
      confirmed: '1',
    });
    assert.match(textOf(created.text), /Response 201 Created .*"title": "Dark".*"confidential": true/);
    assert.match(
      textOf(created.text),
      /--data-binary '\{"title":"Dark","description":"","labels":\["east","far west"\],"confidential":true\}'/,
    );
    const listed = await send(pageOf('get', '/projects/:id/issues'), { 'path.id': String(project.id), 'query.iids[]': '1\n2' });
    assert.match(textOf(listed.text), /issues\?iids%5B%5D=1&iids%5B%5D=2/);
    assert.match(textOf(listed.text), /"iid": 1/);
    const graphql = {
      'body.query': 'query Q($p: ID!) { project(fullPath: $p) { name } }',
      'body.variables': '{"p": "ada/lamps"}',
    };
    const queried = await send('/help/api/endpoints/post_api_graphql', { ...graphql, confirmed: '1' });
    assert.match(textOf(queried.text), /Response 200 OK \{ "data": \{ "project": \{ "name": "Lamps" \} \} \}/);
  });

  it('a request that can change data is sent only after a confirmation, and nothing is sent with invalid fields', async () => {
    const lamps = projectWith(server.platform, ada, { name: 'Lamps' });
    const issue = createIssue(server.platform, lamps, ada.user, { title: 'Dark' });
    const path = pageOf('put', '/projects/:id/issues/:issue_iid');
    const fields = { 'path.id': 'ada/lamps', 'path.issue_iid': String(issue.iid), 'body.title': 'Bright' };
    const titleNow = (): string | undefined =>
      server.platform.store.get<{ title: string }>('SELECT title FROM issues WHERE id = $id', { id: issue.id })?.title;
    const unconfirmed = await send(path, fields);
    assert.equal(unconfirmed.status, 422);
    assert.match(textOf(unconfirmed.text), /Nothing was sent.*Confirm that the request may change data\./);
    assert.match(unconfirmed.text, /name="body\.title" type="text" value="Bright"/);
    const invalid = await send(path, { ...fields, 'path.id': '', confirmed: '1' });
    assert.equal(invalid.status, 422);
    assert.match(textOf(invalid.text), /id Enter a value\./);
    assert.equal(titleNow(), 'Dark');
    assert.equal((await send(path, { ...fields, confirmed: '1' })).status, 200);
    assert.equal(titleNow(), 'Bright');
  });

  it('a request needs the form token of the session, and other sites cannot send it', async () => {
    const path = pageOf('get', '/user');
    assert.equal((await asAda.post(path, {})).status, 403);
    const [form] = formsOf((await asAda.open(path)).text).filter(({ action }) => action === path);
    assert.ok(form);
    asAda.headers['Origin'] = 'https://elsewhere.example';
    assert.equal((await asAda.post(path, form.fields)).status, 403);
    assert.equal((await server.request('GET', '/api/v4/user', { headers: { Cookie: asAda.cookieHeader() } })).status, 401);
  });

  it('secrets of requests and responses are neither shown nor kept in the form', async () => {
    const path = pageOf('post', '/user/personal_access_tokens');
    const made = await send(path, { 'body.name': 'Lamps', 'body.scopes': 'k8s_proxy', confirmed: '1' });
    assert.match(textOf(made.text), /Response 201 Created .*"token": "\[masked\]"/);
    const token = await send('/help/api/endpoints/post_oauth_token', {
      'body.grant_type': 'password',
      'body.username': 'ada',
      'body.password': 'correct horse battery',
      confirmed: '1',
    });
    assert.doesNotMatch(token.text, /correct horse/);
    assert.match(textOf(token.text), /Response 4\d\d /);
    assert.match(token.text, /name="body\.password" type="password" value=""/);
  });

  it('endpoints for which the session does not stand ask for their credentials', async () => {
    const path = '/help/api/endpoints/get_local_clock';
    const without = await send(path, {});
    assert.match(textOf(without.text), /Admin token Enter a value\./);
    assert.match(textOf((await send(path, { credential: 'wrong' })).text), /Response 401/);
    for (const credential of ['two words', 'a\r\nX-Other: b', 'ü']) {
      const refused = await send(path, { credential });
      assert.equal(refused.status, 422);
      assert.match(textOf(refused.text), /Enter ASCII characters without spaces\./);
    }
    const known = await send(path, { credential: 'test-admin-token-0123456789abcdef' });
    assert.match(textOf(known.text), /Response 200 OK \{ "now"/);
    assert.doesNotMatch(known.text, /test-admin-token/);
  });

  it('requests have the rights of administrators, and the rights end with the account', async () => {
    const root = new PageClient(server);
    await root.signIn('root');
    assert.match(textOf((await send(pageOf('get', '/user'), {}, root)).text), /"username": "root"/);
    const page = await asAda.open(pageOf('get', '/user'));
    server.platform.store.run("UPDATE users SET state = 'blocked' WHERE id = $id", { id: ada.user.id });
    assert.match(textOf((await asAda.submit(page, pageOf('get', '/user'))).text), /Response 401 Unauthorized/);
  });

  it('a response that has no end is left after a while', async () => {
    const streamed = await send('/help/api/endpoints/get_local_stream', { credential: 'test-admin-token-0123456789abcdef' });
    assert.match(textOf(streamed.text), /Response 200 OK .*Only the first .* are shown/);
    assert.equal((await asAda.open('/help/api/endpoints/nothing')).status, 404);
  });
});
