import assert from 'node:assert/strict';
import { DAY, MINUTE } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type HookReceiver, startHookReceiver } from '../../support/hookReceiver.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

const START = Date.UTC(2026, 5, 1, 12);

describe('hooks that are disabled after failures', () => {
  let server: TestServer;
  let receiver: HookReceiver;
  let ada: Actor;
  let found: FoundProject;
  let path: string;
  /** Status that the receiver responds with. */
  let status: number;

  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(START);
    status = 500;
    receiver = await startHookReceiver({ respond: (response) => response.writeHead(status).end() });
    ada = actor(server.platform, 'ada');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' });
    path = await hookOf(`projects/${found.project.id}`);
  });
  afterEach(async () => {
    await server.close();
    await receiver.close();
  });

  const send = (method: string, at: string, json?: object) =>
    server.request(method, `/api/v4/${at}`, { token: ada.token, ...(json === undefined ? {} : { json }) });
  const hookOf = async (container: string): Promise<string> => {
    const made = await send('POST', `${container}/hooks`, { url: receiver.url, push_events: false, issues_events: true });
    assert.equal(made.status, 201, made.text);
    return `${container}/hooks/${(made.json() as { id: number }).id}`;
  };
  const open = (title: string, inside = found): void => {
    createIssue(server.platform, inside, ada.user, { title });
  };
  const deliveries = async (of = path) =>
    (await send('GET', `${of}/events?per_page=100`)).json() as readonly { readonly id: number }[];
  /** Opens issues one after the other, each when the delivery of the one before is recorded. */
  const deliver = async (count: number, inside = found, of = path): Promise<void> => {
    for (let delivered = 0; delivered < count; delivered += 1) {
      const before = (await deliveries(of)).length;
      open('Lamp', inside);
      await until(
        () => deliveries(of),
        ({ length }) => length > before,
        'a delivery',
      );
    }
  };
  const state = async (of = path): Promise<readonly unknown[]> => {
    const { alert_status: alert, disabled_until: end } = (await send('GET', of)).json() as Record<string, unknown>;
    return [alert, end];
  };
  const at = (time: number): string => new Date(START + time).toISOString();
  const test = async (): Promise<number> => (await send('POST', `${path}/test/issues_events`)).status;

  it('four failures in a row disable a hook for a minute, in which nothing is delivered, and then for longer', async () => {
    await deliver(3);
    assert.deepEqual(await state(), ['executable', null]);
    await deliver(1);
    assert.deepEqual(await state(), ['temporarily_disabled', at(MINUTE)]);
    open('Meanwhile');
    server.platform.clock.advance(MINUTE);
    assert.equal((await state())[0], 'executable');
    await deliver(1);
    assert.deepEqual(await state(), ['temporarily_disabled', at(3 * MINUTE)]);
    server.platform.clock.advance(2 * MINUTE);
    status = 200;
    await deliver(1);
    assert.deepEqual(await state(), ['executable', null]);
    assert.equal((await deliveries()).length, 6);
    const titles = receiver.received.map(({ body }) => (body['object_attributes'] as { title: string }).title);
    assert.deepEqual([...new Set(titles)], ['Lamp']);
  });

  it('a success between failures forgets them, and a redirect is a success', async () => {
    for (const success of [200, 302]) {
      await deliver(3);
      status = success;
      await deliver(1);
      status = 404;
    }
    await deliver(3);
    assert.deepEqual(await state(), ['executable', null]);
  });

  it('forty failures disable a hook until a test succeeds', async () => {
    await deliver(4);
    for (let failures = 5; failures <= 40; failures += 1) {
      server.platform.clock.advance(DAY);
      await deliver(1);
    }
    assert.equal((await state())[0], 'disabled');
    server.platform.clock.advance(2 * DAY);
    open('Meanwhile');
    assert.equal(await test(), 422);
    assert.equal((await state())[0], 'disabled');
    status = 200;
    assert.equal(await test(), 201);
    assert.deepEqual(await state(), ['executable', null]);
    await deliver(1);
  });

  it('a delivery that is sent again with success enables a disabled hook', async () => {
    await deliver(4);
    const [delivery] = await deliveries();
    const resend = `${path}/events/${delivery?.id}/resend`;
    assert.deepEqual((await send('POST', resend)).json(), { response_status: 500 });
    assert.deepEqual(await state(), ['temporarily_disabled', at(MINUTE)]);
    status = 200;
    assert.deepEqual((await send('POST', resend)).json(), { response_status: 200 });
    assert.deepEqual(await state(), ['executable', null]);
  });

  it('failing tests of a hook that is not disabled count', async () => {
    open('Lamp');
    await until(deliveries, ({ length }) => length === 1, 'a delivery');
    for (const failed of [2, 3, 4]) assert.equal(await test(), 422, `failure ${failed}`);
    assert.deepEqual(await state(), ['temporarily_disabled', at(MINUTE)]);
  });

  it('another URL enables a disabled hook, and other changes do not', async () => {
    await deliver(4);
    await send('PUT', path, { name: 'Renamed', note_events: true });
    await send('PUT', `${path}/custom_headers/X-Lamp`, { value: 'x' });
    assert.deepEqual(await state(), ['temporarily_disabled', at(MINUTE)]);
    const changed = await send('PUT', path, { url: `${receiver.url}/moved` });
    assert.partialDeepStrictEqual(changed.json(), { alert_status: 'executable', disabled_until: null });
    status = 200;
    await deliver(1);
    assert.equal(receiver.received.at(-1)?.path, '/hook/moved');
  });

  it('deliveries that wait when a hook is disabled are given up', async () => {
    for (let opened = 0; opened < 10; opened += 1) open('Lamp');
    await until(
      () => server.platform.store.all('SELECT id FROM hook_deliveries WHERE sent_at IS NULL'),
      ({ length }) => length === 0,
      'no delivery that waits',
    );
    assert.equal(receiver.received.length, 4);
    server.platform.clock.advance(MINUTE);
    status = 200;
    await deliver(1);
    assert.equal(receiver.received.length, 5);
  });

  it('only the hook whose receiver fails is disabled, also of a group, and lists show it', async () => {
    const group = createGroup(server.platform, ada.user, { name: 'Signals', path: 'signals' });
    const inside = createProject(server.platform, ada.user, { name: 'Inside', namespaceId: group.group.id });
    const container = `groups/${group.group.id}`;
    const failing = await hookOf(container);
    await using working = await startHookReceiver();
    await send('POST', `${container}/hooks`, { url: working.url, push_events: false, issues_events: true });
    await deliver(4, inside, failing);
    const list = (await send('GET', `${container}/hooks`)).json() as readonly { readonly alert_status: string }[];
    assert.deepEqual(
      list.map(({ alert_status: alert }) => alert),
      ['temporarily_disabled', 'executable'],
    );
    open('Lamp 5', inside);
    await working.next(5);
    assert.deepEqual(await state(), ['executable', null]);
  });
});

describe('hooks that fail under a release before 17.11', () => {
  it('four client errors disable a hook permanently', async () => {
    await using server = await startTestServer({ profile: { release: '17.10' } });
    await using receiver = await startHookReceiver({ respond: (response) => response.writeHead(404).end() });
    const ada = actor(server.platform, 'ada');
    const { project } = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' });
    const hooks = `/api/v4/projects/${project.id}/hooks`;
    const made = await server.request('POST', hooks, { token: ada.token, json: { url: receiver.url, issues_events: true } });
    const { id } = made.json() as { id: number };
    await server.request('POST', `/api/v4/projects/${project.id}/issues`, { token: ada.token, json: { title: 'Lamp' } });
    await receiver.next(1);
    for (let tested = 0; tested < 3; tested += 1) {
      await server.request('POST', `${hooks}/${id}/test/issues_events`, { token: ada.token });
    }
    server.platform.clock.advance(2 * DAY);
    const { alert_status: alert, disabled_until: end } = (
      await server.request('GET', `${hooks}/${id}`, { token: ada.token })
    ).json() as Record<string, unknown>;
    assert.deepEqual([alert, end], ['disabled', null]);
  });
});
