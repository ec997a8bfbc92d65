import assert from 'node:assert/strict';
import { HOUR } from '../../../../server/core/clock.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { formsOf, PageClient } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { fullEvent, reportError } from '../reports.ts';

describe('JSON routes of the error tracking pages', () => {
  let server: TestServer;
  let path: string;
  let fingerprints: readonly number[];
  let people: Readonly<Record<'developer' | 'reporter' | 'guest', Actor>>;
  let quiet: string;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    const owner = actor(platform, 'olga');
    people = { developer: actor(platform, 'dora'), reporter: actor(platform, 'rita'), guest: actor(platform, 'gina') };
    const { project } = projectWith(platform, owner, { name: 'Ship', visibility: 'private' }, [
      [people.developer, 30],
      [people.reporter, 20],
      [people.guest, 10],
    ]);
    ({ full_path: quiet } = projectWith(platform, people.developer, { name: 'Quiet' }).project);
    writeSettings(platform, project.id, { active: true, integrated: true });
    path = `/${project.full_path}/-/error_tracking`;
    const { clock } = platform;
    clock.freeze(Date.UTC(2027, 0, 2, 3));
    fingerprints = Array.from({ length: 45 }, (_, index) => {
      clock.advance(HOUR / 60);
      return reportError(platform, project.id, fullEvent(`step${index}`)).fingerprint;
    }).toReversed();
  });
  after(() => server.close());

  async function signedIn({ user }: Actor): Promise<PageClient> {
    const client = new PageClient(server);
    await client.signIn(user.username);
    return client;
  }

  async function read(client: PageClient, address: string): Promise<Record<string, unknown>> {
    const response = await client.open(address);
    assert.equal(response.status, 200, response.text);
    return Object(response.json());
  }

  it('the JSON list of tracked errors can be paged forward and back', async () => {
    const client = await signedIn(people.reporter);
    const seen: unknown[][] = [];
    let query = '';
    const go = async (): Promise<{ previous?: { cursor: string }; next?: { cursor: string } }> => {
      const { errors, pagination } = await read(client, `${path}.json?${query}`);
      assert.ok(Array.isArray(errors));
      seen.push(errors.map(({ id }) => Number(id)));
      return Object(pagination);
    };
    const first = await go();
    query = `cursor=${first.next?.cursor}`;
    const second = await go();
    query = `cursor=${second.next?.cursor}`;
    const third = await go();
    query = `cursor=${third.previous?.cursor}`;
    const back = await go();
    query = `cursor=${back.previous?.cursor}`;
    const begin = await go();
    const [one, two, three] = [fingerprints.slice(0, 20), fingerprints.slice(20, 40), fingerprints.slice(40)];
    assert.deepEqual(seen, [one, two, three, two, one]);
    assert.deepEqual(
      [first.previous, third.next, begin.previous].map((cursor) => cursor === undefined),
      [true, true, true],
    );
  });

  it('the JSON list of tracked errors accepts any search text, and refuses unknown parameters with a message', async () => {
    const client = await signedIn(people.reporter);
    const found = async (query: string): Promise<unknown> => {
      const { errors } = await read(client, `${path}.json?${query}`);
      return Array.isArray(errors) && errors.map(({ title }) => title);
    };
    assert.deepEqual(await found('search_term=step17'), ['ValueError: cannot step17']);
    for (const odd of ['%22', '%00', 'a%00b%22', '%22%20OR%20%22', '*', '%F0%9F%92%A5'.repeat(3)]) {
      assert.deepEqual(await found(`search_term=zzz${odd}`), [], odd);
    }
    for (const query of ['issue_status=fixed', 'sort=oldest', 'cursor=zzz', 'cursor=n.1.']) {
      const response = await client.open(`${path}.json?${query}`);
      assert.equal(response.status, 400);
      assert.match(response.text, /^\{"message":"Bad Request: Invalid \w+"\}$/);
    }
  });

  it('the JSON of a tracked error has its stack with paths, lines and numbers', async () => {
    const client = await signedIn(people.reporter);
    const one = fingerprints.at(-1);
    const { error } = await read(client, `${path}/${one}/details.json`);
    assert.partialDeepStrictEqual(error, {
      id: String(one),
      title: 'ValueError: cannot step0',
      count: 1,
      first_release_version: 'ship@1.2.0',
      gitlab_commit: null,
      integrated: true,
      tags: { level: 'error', logger: 'ship' },
    });
    assert.deepEqual((await read(client, `${path}/${one}/stack_trace.json`))['error'], {
      issue_id: String(one),
      date_received: '2027-01-02T03:01:00.000Z',
      stack_trace_entries: [
        {
          lineNo: 10,
          context: [
            [9, 'def sail():'],
            [10, '    raise ValueError()'],
            [11, ''],
          ],
          filename: 'app/ship.py',
          abs_path: '/srv/app/ship.py',
          function: 'step0',
          colNo: 4,
        },
      ],
    });
  });

  it('the JSON of tracked errors is 404 for guests and without tracking, and never redirects to the sign-in page', async () => {
    const guest = await signedIn(people.guest);
    const developer = await signedIn(people.developer);
    const addresses = ['.json', `/${fingerprints[0]}/details.json`, `/${fingerprints[0]}/stack_trace.json`];
    for (const address of addresses) {
      assert.equal((await guest.open(`${path}${address}`)).status, 404);
      assert.equal((await developer.open(`/${quiet}/-/error_tracking${address}`)).status, 404);
      const response = await server.request('GET', `${path}${address}`);
      assert.deepEqual([response.status, response.headers.get('location')?.split('?', 1)[0]], [303, '/users/sign_in']);
      assert.equal((await server.request('GET', `${path}${address}`, { token: people.reporter.token })).status, 303);
    }
    assert.equal((await developer.open(`${path}/1/details.json`)).status, 404);
  });

  it('developers change the status of a tracked error by JSON with the token of a form', async () => {
    const put = async (who: Actor, json: object, isTokenSent = true) => {
      const client = await signedIn(who);
      const page = await client.open('/user_settings/profile');
      const token = formsOf(page.text)[0]?.fields['authenticity_token'] ?? '';
      return server.request('PUT', `${path}/${fingerprints[0]}.json`, {
        json,
        headers: { Cookie: client.cookieHeader(), ...(isTokenSent ? { 'X-CSRF-Token': token } : {}) },
      });
    };
    assert.equal((await put(people.reporter, { status: 'resolved' })).status, 404);
    assert.equal((await put(people.developer, { status: 'resolved' }, false)).status, 403);
    const unknown = await put(people.developer, { status: 'fixed' });
    assert.deepEqual([unknown.status, unknown.json()], [400, { message: 'Bad Request: Invalid status' }]);
    const done = await put(people.developer, { status: 'resolved' });
    assert.deepEqual([done.status, done.json()], [200, { result: { updated: true, closed_issue_iid: null, status: 'success' } }]);
    const { errors } = await read(await signedIn(people.reporter), `${path}.json?issue_status=resolved`);
    assert.ok(Array.isArray(errors));
    assert.deepEqual(
      errors.map(({ id, status }) => [Number(id), status]),
      [[fingerprints[0], 'resolved']],
    );
    assert.equal((await put(people.developer, { status: 'unresolved' })).status, 200);
  });
});
