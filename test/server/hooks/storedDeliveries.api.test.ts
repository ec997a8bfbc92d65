import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DAY } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { insertDelivery, insertPayload } from '../../../server/features/hooks/deliveryStore.ts';
import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import type { HookContainer } from '../../../server/features/hooks/store.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type HookReceiver, startHookReceiver } from '../../support/hookReceiver.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type Actor, actor } from '../projects/cast.ts';

const MIB = 1024 * 1024;

describe('stored deliveries of hooks', () => {
  let server: TestServer;
  let receiver: HookReceiver;
  let ada: Actor;
  let found: FoundProject;
  let group: HookContainer;

  beforeEach(async () => {
    server = await startTestServer();
    receiver = await startHookReceiver();
    ada = actor(server.platform, 'ada');
    const signals = createGroup(server.platform, ada.user, { name: 'Signals', path: 'signals' });
    group = { groupId: signals.group.id };
    found = createProject(server.platform, ada.user, { name: 'Lamps', namespaceId: signals.group.id });
  });
  afterEach(async () => {
    await server.close();
    await receiver.close();
  });

  const hook = (container: HookContainer = { projectId: found.project.id }): number =>
    createHook(server.platform, container, { url: receiver.url, events: { issues_events: true } }).id;
  const open = (title: string, inside = found) => createIssue(server.platform, inside, ada.user, { title });
  const all = <Row>(sql: string): readonly Row[] => server.platform.store.all<Row>(sql);
  const idsOf = (table: string): readonly number[] =>
    all<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`).map(({ id }) => id);
  const sent = (count: number) =>
    until(
      () => all<{ id: number }>('SELECT id FROM hook_deliveries WHERE sent_at IS NOT NULL ORDER BY id').map(({ id }) => id),
      ({ length }) => length === count,
      `${count} deliveries that were sent`,
    );
  const request = async (method: string, path: string): Promise<void> => {
    const response = await server.request(method, `/api/v4/projects/${found.project.id}/${path}`, { token: ada.token });
    assert.ok(response.status < 300, response.text);
  };
  /** Expects that the counted bytes of each project are those of its payloads, and these those of their deliveries. */
  const assertCounted = (): void => {
    assert.deepEqual(
      all('SELECT project_id, size FROM hook_storage WHERE size <> 0 ORDER BY project_id'),
      all(`SELECT project_id, sum(octet_length(payload) + (
             SELECT sum(1024 + coalesce(octet_length(request_headers) + octet_length(response_headers) + octet_length(response_body), 0))
             FROM hook_deliveries WHERE payload_id = hook_payloads.id)) AS size
           FROM hook_payloads WHERE project_id IS NOT NULL GROUP BY project_id ORDER BY project_id`),
    );
  };

  it('the payload of an event is stored once for all hooks, and when it is sent again, until its last delivery is deleted', async () => {
    const ids = [hook(), hook(), hook(group)];
    open('Lamp 7');
    const [first] = await sent(3);
    assertCounted();
    await request('POST', `hooks/${ids[0]}/events/${first}/resend`);
    await sent(4);
    assert.equal(idsOf('hook_payloads').length, 1);
    const bodies = (await receiver.next(4)).map(({ body }) => JSON.stringify(body));
    assert.equal(new Set(bodies).size, 1);
    for (const id of ids.slice(0, 2)) await request('DELETE', `hooks/${id}`);
    assertCounted();
    assert.equal(idsOf('hook_payloads').length, 1);
    server.platform.clock.advance(7 * DAY);
    assert.deepEqual(idsOf('hook_payloads'), []);
    assertCounted();
  });

  it('tests have payloads of their own, and what is stored is counted in the project of the event', async () => {
    const id = hook();
    const other = createProject(server.platform, ada.user, { name: 'Other' });
    hook({ projectId: other.project.id });
    open('Lamp 7');
    open('Lamp 8', other);
    await request('POST', `hooks/${id}/test/issues_events`);
    await sent(3);
    assert.equal(idsOf('hook_payloads').length, 3);
    assert.equal(all('SELECT * FROM hook_storage').length, 2);
    assertCounted();
    server.platform.store.run('DELETE FROM projects WHERE id = $id', { id: other.project.id });
    assert.equal(idsOf('hook_payloads').length, 2);
    assertCounted();
  });

  it('deliveries of a project make room for new ones, the oldest first, even if they wait', async () => {
    const id = hook();
    const other = createProject(server.platform, ada.user, { name: 'Other' });
    hook({ projectId: other.project.id });
    open('Lamp of another project', other);
    const [others] = await sent(1);
    const { store, clock } = server.platform;
    const big = JSON.stringify({ text: 'x'.repeat(16 * MIB) });
    const waiting = Array.from({ length: 4 }, () =>
      insertDelivery(store, {
        hook_id: id,
        event: 'issues_events',
        event_uuid: randomUUID(),
        idempotency_key: randomUUID(),
        payload_id: insertPayload(store, { project_id: found.project.id, payload: big, completion: null }),
        created_at: clock.now(),
      }),
    );
    open('Lamp 7');
    const left = idsOf('hook_deliveries');
    assert.equal(left[0], others);
    assert.deepEqual(left.slice(1, -1), waiting.slice(1));
    assertCounted();
    const received = await until(
      () => receiver.received,
      ({ length }) => length === 5,
      'the deliveries that are left',
    );
    assert.partialDeepStrictEqual(received.at(-1)?.body, { object_attributes: { title: 'Lamp 7' } });
  });
});
