import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { DAY } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { type HookReceiver, type HookReceiverOptions, startHookReceiver } from '../../support/hookReceiver.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const TOKEN = 'the token only the receiver knows';

interface Delivery {
  readonly id: number;
  readonly trigger: string;
  readonly url: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_data: Readonly<Record<string, unknown>>;
  readonly response_status: string;
  readonly response_body: string;
}

describe('deliveries of hooks', () => {
  let server: TestServer;
  let receiver: HookReceiver;
  let ada: Actor;
  let found: FoundProject;
  const closing: HookReceiver[] = [];
  const receive = async (options: HookReceiverOptions = {}): Promise<HookReceiver> => {
    const made = await startHookReceiver(options);
    closing.push(made);
    return made;
  };
  beforeEach(async () => {
    server = await startTestServer();
    receiver = await receive();
    ada = actor(server.platform, 'ada');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' });
  });
  afterEach(async () => {
    await server.close();
    for (const one of closing.splice(0)) await one.close();
  });

  const send = (method: string, path: string, json?: object) =>
    server.request(method, `/api/v4/${path}`, { token: ada.token, ...(json === undefined ? {} : { json }) });
  const inProject = (path = ''): string => `projects/${found.project.id}/${path}`;
  const hook = async (json: object, container = inProject()): Promise<number> => {
    const made = await send('POST', `${container}hooks`, { push_events: false, url: receiver.url, ...json });
    assert.equal(made.status, 201, made.text);
    return (made.json() as { id: number }).id;
  };
  const open = (title: string, more: object = {}) => createIssue(server.platform, found, ada.user, { title, ...more });
  const deliveries = async (id: number, query = ''): Promise<readonly Delivery[]> =>
    (await send('GET', `${inProject(`hooks/${id}/events`)}${query}`)).json() as readonly Delivery[];
  const recorded = (id: number, count: number, query = ''): Promise<readonly Delivery[]> =>
    until(
      () => deliveries(id, query),
      (list) => list.length >= count,
      `${count} deliveries`,
    );

  it('a change is delivered with the headers of the platform, and recorded with masked secrets', async () => {
    const id = await hook({ issues_events: true, token: TOKEN, custom_headers: [{ key: 'X-Custom', value: 'own-secret' }] });
    open('Lamp 7 stays dark');
    const [received] = await receiver.next(1);
    assert.ok(received !== undefined);
    assert.partialDeepStrictEqual(received.headers, {
      'content-type': 'application/json',
      'user-agent': 'GitLab/18.11.0-ee',
      'x-gitlab-event': 'Issue Hook',
      'x-gitlab-instance': server.origin,
      'x-gitlab-token': TOKEN,
      'x-custom': 'own-secret',
    });
    for (const name of ['x-gitlab-event-uuid', 'x-gitlab-webhook-uuid', 'idempotency-key']) {
      assert.match(String(received.headers[name]), /^[0-9a-f-]{36}$/, name);
    }
    const [delivery] = await recorded(id, 1);
    assert.partialDeepStrictEqual(delivery, {
      url: receiver.url,
      trigger: 'issue_hooks',
      request_headers: { 'X-Gitlab-Event': 'Issue Hook', 'X-Gitlab-Token': '[REDACTED]', 'X-Custom': '[REDACTED]' },
      request_data: received.body,
      response_status: '200',
      response_body: 'received',
    });
    const stored = JSON.stringify(server.platform.store.all('SELECT * FROM hook_deliveries'));
    assert.ok(!stored.includes(TOKEN) && !stored.includes('own-secret'));
  });

  it('a hook is called for its events only, and confidential issues have their own', async () => {
    await hook({ issues_events: true });
    const confidential = await receive();
    await hook({ url: confidential.url, confidential_issues_events: true });
    open('Secret lamp', { confidential: true });
    open('Lamp 7');
    const titlesOf = async (one: HookReceiver) =>
      (await one.next(1)).map(({ body }) => (body['object_attributes'] as { title: string }).title);
    assert.deepEqual(await titlesOf(receiver), ['Lamp 7']);
    assert.deepEqual(await titlesOf(confidential), ['Secret lamp']);
    assert.equal(confidential.received[0]?.headers['x-gitlab-event'], 'Confidential Issue Hook');
  });

  it('a change that is rolled back is not delivered', async () => {
    await hook({ issues_events: true });
    assert.throws(() =>
      server.platform.store.transaction(() => {
        open('Never there');
        throw new Error('rolled back');
      }),
    );
    open('Lamp 7');
    const [first] = await receiver.next(1);
    assert.partialDeepStrictEqual(first?.body, { object_attributes: { title: 'Lamp 7' } });
  });

  it('hooks of a group are called for the projects in it and in its subgroups, and not for others', async () => {
    const signals = createGroup(server.platform, ada.user, { name: 'Signals', path: 'signals' });
    const inside = createGroup(server.platform, ada.user, { name: 'Inner', path: 'inner', parent: signals });
    await hook({ issues_events: true }, `groups/${signals.group.id}/`);
    open('Elsewhere');
    const below = createProject(server.platform, ada.user, { name: 'Below', namespaceId: inside.group.id });
    createIssue(server.platform, below, ada.user, { title: 'Inside' });
    const [first] = await receiver.next(1);
    assert.partialDeepStrictEqual(first?.body, { object_attributes: { title: 'Inside' } });
  });

  it('deliveries of a hook arrive in their order, and one event has one UUID for all hooks', async () => {
    await hook({ issues_events: true });
    await hook({ issues_events: true });
    for (const number of [1, 2, 3]) open(`Lamp ${number}`);
    const all = await receiver.next(6);
    const titles = all.map(({ body }) => (body['object_attributes'] as { title: string }).title);
    assert.deepEqual([...new Set(titles)], ['Lamp 1', 'Lamp 2', 'Lamp 3']);
    assert.equal(new Set(all.map(({ headers }) => headers['x-gitlab-event-uuid'])).size, 3);
    assert.equal(new Set(all.map(({ headers }) => headers['idempotency-key'])).size, 6);
  });

  it('failed deliveries are recorded and not repeated, redirects are not followed, and bodies are cut', async () => {
    const target = await receive();
    const redirecting = await receive({
      respond: (response) => response.writeHead(302, { Location: target.url }).end('x'.repeat(10_000)),
    });
    const failing = await receive({ respond: (response) => response.writeHead(503).end() });
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    assert.ok(typeof address === 'object' && address !== null);
    free.close();
    const ids = [
      await hook({ issues_events: true, url: redirecting.url }),
      await hook({ issues_events: true, url: failing.url }),
      await hook({ issues_events: true, url: `http://127.0.0.1:${address.port}/` }),
    ];
    open('Lamp 7');
    const results = await Promise.all(ids.map((id) => recorded(id, 1)));
    assert.deepEqual(
      results.map(([delivery]) => delivery?.response_status),
      ['302', '503', 'internal error'],
    );
    assert.equal(results[0]?.[0]?.response_body.length, 8192);
    assert.match(results[2]?.[0]?.response_body ?? '', /ECONNREFUSED/);
    server.platform.clock.advance(DAY);
    assert.deepEqual([target.received.length, failing.received.length], [0, 1]);
  });

  it('deliveries are filtered by status', async () => {
    let status = 200;
    const changing = await receive({ respond: (response) => response.writeHead(status).end() });
    const id = await hook({ issues_events: true, url: changing.url });
    for (const next of [200, 404, 500]) {
      status = next;
      open(`Lamp ${next}`);
      await recorded(id, 1, `?status=${next}`);
    }
    const statuses = async (query: string) => (await deliveries(id, query)).map((one) => one.response_status);
    assert.deepEqual(await statuses(''), ['500', '404', '200']);
    assert.deepEqual(await statuses('?status=successful'), ['200']);
    assert.deepEqual(await statuses('?status=client_failure'), ['404']);
    assert.deepEqual(await statuses('?status=server_failure'), ['500']);
    assert.deepEqual(await statuses('?per_page=1&page=2'), ['404']);
    const refused = await send('GET', `${inProject(`hooks/${id}/events`)}?status=good`);
    assert.deepEqual([refused.status, refused.json()], [400, { error: 'status does not have a valid value' }]);
  });

  it('a delivery is sent again with the same Idempotency-Key, unless the URL has changed', async () => {
    const id = await hook({ issues_events: true });
    open('Lamp 7');
    const [delivery] = await recorded(id, 1);
    const path = inProject(`hooks/${id}/events/${delivery?.id}/resend`);
    const again = await send('POST', path);
    assert.deepEqual([again.status, again.json()], [201, { response_status: 200 }]);
    const [first, second] = await receiver.next(2);
    assert.deepEqual(second?.body, first?.body);
    assert.equal(second?.headers['idempotency-key'], first?.headers['idempotency-key']);
    assert.equal((await deliveries(id)).length, 2);
    await send('PUT', inProject(`hooks/${id}`), { url: `${receiver.url}/moved` });
    const refused = await send('POST', path);
    assert.deepEqual([refused.status, refused.json()], [422, { message: 'The hook URL has changed. Unable to resend.' }]);
    assert.equal((await send('POST', inProject(`hooks/${id}/events/999999/resend`))).status, 404);
  });

  it('a test delivers the newest thing of its kind and reports failures', async () => {
    const id = await hook({});
    const test = async (trigger: string, hookId = id) => {
      const response = await send('POST', inProject(`hooks/${hookId}/test/${trigger}`));
      return [response.status, response.json()];
    };
    assert.deepEqual(await test('issues_events'), [422, { message: 'Ensure the project has issues.' }]);
    assert.deepEqual(await test('push_events'), [422, { message: 'Ensure the project has at least one commit.' }]);
    assert.deepEqual(await test('wiki_page_events'), [422, { message: 'Testing not available for this hook' }]);
    assert.deepEqual(await test('lamp_events'), [400, { error: 'trigger does not have a valid value' }]);
    open('Lamp 7');
    assert.deepEqual(await test('issues_events'), [201, { message: '201 Created' }]);
    assert.partialDeepStrictEqual(receiver.received[0]?.body, {
      object_kind: 'issue',
      object_attributes: { title: 'Lamp 7' },
    });
    const failing = await hook({ url: (await receive({ respond: (response) => response.writeHead(500).end() })).url });
    assert.deepEqual(await test('issues_events', failing), [
      422,
      { message: 'Hook executed successfully but returned HTTP 500' },
    ]);
    const closed = await receive();
    const unreachable = await hook({ url: closed.url });
    await closed.close();
    const [status, body] = await test('issues_events', unreachable);
    assert.equal(status, 422);
    assert.match((body as { message: string }).message, /^Hook execution failed: connect ECONNREFUSED/);
  });

  it('deliveries are deleted after seven days by the clock of the server', async () => {
    const id = await hook({ issues_events: true });
    open('Lamp 7');
    await recorded(id, 1);
    server.platform.clock.advance(6 * DAY);
    assert.equal((await deliveries(id)).length, 1);
    server.platform.clock.advance(DAY);
    assert.deepEqual(await deliveries(id), []);
  });

  it('a receiver that does not respond does not keep the server from closing or other hooks from being called', async () => {
    const silent = await receive({ respond: () => undefined });
    await hook({ issues_events: true, url: silent.url });
    await hook({ issues_events: true });
    open('Lamp 7');
    open('Lamp 8');
    await silent.next(1);
    await receiver.next(2);
  });
});
