import assert from 'node:assert/strict';
import { type DeprecationId, deprecationIds, deprecationOf } from '../../../src/contract/deprecations.ts';
import { DAY } from '../../../server/core/clock.ts';
import { createUser, setPassword } from '../../../server/features/users/accounts.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Call {
  readonly deprecation: string;
  readonly request: string;
  readonly username: string | null;
  readonly user_agent: string;
  readonly count: number;
  readonly breaks: boolean;
}

describe('report of deprecated calls', () => {
  let server: TestServer;
  let ada: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
  });
  afterEach(() => server.close());

  const add = (deprecation: DeprecationId, username: string, request: string, userAgent = 'lamp-board/1.0'): void =>
    server.platform.deprecatedCalls.add({
      deprecation,
      at: server.platform.clock.now(),
      username,
      userAgent,
      oauthTokenId: undefined,
      request,
    });
  const list = async (query: string, token = ada.token): Promise<readonly Call[]> => {
    const response = await server.request('GET', `/api/v4/deprecated_calls${query}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.json() as Call[];
  };
  const requests = (calls: readonly Call[]): readonly string[] => calls.map(({ request }) => request).toSorted();

  it('a deprecated call is counted for its user and client', async () => {
    const user = createUser(server.platform, { username: 'mia', name: 'Mia', email: 'mia@signalbox.example' });
    assert.ok(typeof user === 'object');
    const password = 'lamps and lanterns';
    await setPassword(server.platform, user, password);
    const form = { grant_type: 'password', username: 'mia', password };
    for (let call = 0; call < 2; call += 1)
      await server.request('POST', '/oauth/token', { form, headers: { 'User-Agent': 'lamp-board/1.0' } });
    const [call, ...others] = await list('?all=true', server.adminToken);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [call?.deprecation, call?.request, call?.user_agent, call?.count],
      ['password-grant', 'POST /oauth/token', 'lamp-board/1.0', 2],
    );
  });

  it('a list has only own calls, selected by release, deprecation and breaking', async () => {
    add('runner-registration', 'ada', 'POST /one');
    add('password-grant', 'ada', 'POST /two');
    add('password-grant', 'root', 'POST /three');
    assert.deepEqual(requests(await list('')), ['POST /one', 'POST /two']);
    assert.deepEqual(
      (await list('?release=19.0')).map(({ request, breaks }) => [request, breaks]),
      [
        ['POST /two', true],
        ['POST /one', false],
      ],
    );
    assert.deepEqual(requests(await list('?release=19.0&breaks=true')), ['POST /two']);
    assert.deepEqual(requests(await list('?release=19.0&breaks=false')), ['POST /one']);
    assert.deepEqual(requests(await list('?deprecation=runner-registration')), ['POST /one']);
    assert.deepEqual(requests(await list('?all=true&per_page=2&page=2', server.adminToken)).length, 1);
    const refused = await server.request('GET', '/api/v4/deprecated_calls?all=true', { token: ada.token });
    assert.equal(refused.status, 403);
    for (const query of ['release=21.0', 'deprecation=nothing', 'breaks=maybe']) {
      const invalid = await server.request('GET', `/api/v4/deprecated_calls?${query}`, { token: ada.token });
      assert.equal(invalid.status, 400, query);
    }
  });

  it('own calls are cleared by their user, and all of them only by an administrator', async () => {
    const clear = async (query: string, token: string): Promise<number> =>
      (await server.request('DELETE', `/api/v4/deprecated_calls${query}`, { token })).status;
    for (const name of ['ada', 'root', '']) add('password-grant', name, 'POST /oauth/token');
    assert.equal(await clear('?all=true', ada.token), 403);
    assert.equal(await clear('', ada.token), 204);
    assert.deepEqual(
      (await list('?all=true', server.adminToken)).map(({ username }) => username).toSorted(),
      [null, 'root'].toSorted(),
    );
    assert.equal(await clear('?all=true', server.adminToken), 204);
    assert.deepEqual(await list('?all=true', server.adminToken), []);
  });

  it('calls are removed 90 days after they were last made', async () => {
    add('password-grant', 'ada', 'POST /old');
    await list('');
    server.platform.clock.advance(89 * DAY);
    add('password-grant', 'ada', 'POST /new');
    assert.deepEqual(requests(await list('')), ['POST /new', 'POST /old']);
    server.platform.clock.advance(2 * DAY);
    assert.deepEqual(requests(await list('')), ['POST /new']);
  });

  it('the registry is listed page by page with its state in a release', async () => {
    const listed = new Map<string, string>();
    for (let path: string | undefined = '/api/v4/deprecations?release=19.0&per_page=10'; path !== undefined; ) {
      const response = await server.request('GET', path);
      assert.equal(response.headers.get('x-total'), String(deprecationIds.length));
      for (const { id, state } of response.json() as { id: string; state: string }[]) listed.set(id, state);
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual([...listed.keys()], deprecationIds);
    assert.deepEqual([listed.get('password-grant'), listed.get('runner-registration')], ['removed', 'deprecated']);
  });

  describe('page', () => {
    const open = async (query: string, username = 'ada'): Promise<string> => {
      const browser = new PageClient(server);
      await browser.signIn(username);
      const page = await browser.open(`/help/deprecations${query}`);
      assert.equal(page.status, 200);
      return textOf(page.text);
    };

    it('the calls of a user that break in a release are shown by client with their replacement', async () => {
      add('password-grant', 'ada', 'POST /oauth/token', 'lamp-board/1.0');
      add('runner-registration', 'ada', 'POST /api/v4/runners', 'tide-clock/2.0');
      add('password-grant', 'root', 'POST /of-root');
      const shown = await open('?release=19.0');
      assert.match(shown, /lamp-board\/1\.0/);
      assert.match(shown, /authorization code grant with PKCE/);
      assert.doesNotMatch(shown, /tide-clock|of-root/);
      assert.match(shown, /1 more row is about an element that release 19\.0 still has/);
      assert.match(await open(''), /tide-clock/);
      assert.doesNotMatch(await open('?all=1'), /of-root/);
      assert.match(await open('?all=1', 'root'), /of-root/);
    });

    it('the registry is filtered by text', async () => {
      const shown = await open('?q=TODO.target');
      assert.match(shown, /Todo\.target/);
      assert.doesNotMatch(shown, /Project\.services/);
      assert.match(await open('?q=nothing+like+this'), /No deprecation contains this text/);
    });

    it('visitors are asked to sign in', async () => {
      const page = await server.request('GET', '/help/deprecations');
      assert.equal(page.status, 303);
    });

    it('a link leads to it from the start page and the API reference', async () => {
      for (const path of ['/', '/help/api'])
        assert.match((await server.request('GET', path)).text, /href="\/help\/deprecations"/, path);
    });
  });

  it('each deprecation has a page with its releases, inferred days, replacement and behavior', async () => {
    for (const id of deprecationIds) {
      const page = await server.request('GET', `/help/deprecations/${id}`);
      assert.equal(page.status, 200, id);
      const shown = textOf(page.text);
      const { announcedIn, removedIn, textNames, replacement } = deprecationOf(id);
      for (const part of [`in release ${announcedIn}`, 'inferred', replacement, removedIn ?? 'no longer planned'])
        assert.ok(shown.includes(part), `${id}: ${part}\n${shown}`);
      assert.equal(shown.includes('the text of the announcement names'), textNames !== undefined, id);
      assert.doesNotMatch(page.text, /undefined|\[object/, id);
    }
    assert.equal((await server.request('GET', '/help/deprecations/nothing')).status, 404);
  });
});
