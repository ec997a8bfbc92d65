import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readRecipientDecision } from '../../../src/contract/notificationDecisions.ts';
import { notificationEvents, notificationLevels } from '../../../src/contract/notifications.ts';
import { decideAll } from '../../../server/features/notifications/work.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';

/** A request of one of the users, by number. Many are refused, as in life. */
type Step = readonly [who: number, method: 'POST' | 'PUT' | 'DELETE', path: string, body: Readonly<Record<string, unknown>>];

const names = ['ada', 'rita', 'olga', 'gus'] as const;
const who = fc.nat({ max: names.length - 1 });
const issue = fc.integer({ min: 1, max: 3 });
const id = who.map((index) => index + 2);

const text = fc.constantFrom('Fine.', '@ada look', 'For @rita and @OLGA', '`@gus`', '@all', '@signals', 'Ask @gus, please.');
const settings = fc.record({
  level: fc.constantFrom(...notificationLevels),
  event: fc.constantFrom(...notificationEvents),
  on: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(who, settings, fc.constantFrom('', '/projects/1', '/groups/signals'))
    .map(([by, { level, event, on }, scope]): Step => [by, 'PUT', `${scope}/notification_settings`, { level, [event]: on }]),
  fc.tuple(who, text, fc.boolean(), fc.option(id, { nil: undefined })).map(
    ([by, title, confidential, assignee]): Step => [
      by,
      'POST',
      '/projects/1/issues',
      {
        title: 'Lamp',
        description: title,
        confidential,
        labels: 'bug',
        ...(assignee === undefined ? {} : { assignee_ids: [assignee] }),
      },
    ],
  ),
  fc
    .tuple(who, issue, text, fc.boolean())
    .map(([by, iid, body, internal]): Step => [by, 'POST', `/projects/1/issues/${iid}/notes`, { body, internal }]),
  fc
    .tuple(who, issue, fc.constantFrom('close', 'reopen'), text)
    .map(([by, iid, event, description]): Step => [by, 'PUT', `/projects/1/issues/${iid}`, { state_event: event, description }]),
  fc
    .tuple(who, issue, id)
    .map(([by, iid, assignee]): Step => [by, 'PUT', `/projects/1/issues/${iid}`, { assignee_ids: [assignee] }]),
  fc
    .tuple(who, issue, fc.constantFrom('subscribe', 'unsubscribe'))
    .map(([by, iid, action]): Step => [by, 'POST', `/projects/1/issues/${iid}/${action}`, {}]),
  fc
    .tuple(who, fc.constantFrom('subscribe', 'unsubscribe'))
    .map(([by, action]): Step => [by, 'POST', `/projects/1/labels/bug/${action}`, {}]),
  fc
    .tuple(id, fc.constantFrom(10, 20, 30, 40))
    .map(([member, level]): Step => [0, 'POST', '/projects/1/members', { user_id: member, access_level: level }]),
  id.map((member): Step => [0, 'DELETE', `/projects/1/members/${member}`, {}]),
  fc.constantFrom('private', 'internal', 'public').map((visibility): Step => [0, 'PUT', '/projects/1', { visibility }]),
);

interface World {
  readonly server: TestServer;
  readonly actors: readonly Actor[];
}

async function makeWorld(): Promise<World> {
  const server = await startTestServer();
  const actors = names.map((name) => actor(server.platform, name));
  const [ada] = actors;
  assert.ok(ada);
  projectWith(server.platform, ada, { name: 'Lamps', visibility: 'internal' });
  const json = { name: 'Signals', path: 'signals', visibility: 'public' };
  await server.request('POST', '/api/v4/groups', { token: ada.token, json });
  await server.request('POST', '/api/v4/projects/1/labels', { token: ada.token, json: { name: 'bug', color: '#ff0000' } });
  return { server, actors };
}

/** Compares what is said about each event with the mails that were written. */
async function compare({ server, actors }: World): Promise<number> {
  const { platform } = server;
  decideAll(platform);
  const events = platform.store.all<{ id: number; failures: number }>('SELECT id, failures FROM notification_events');
  for (const event of events) {
    assert.equal(event.failures, 0);
    const mails = platform.store.all<{ id: number; user_id: number; reason: string | null }>(
      `SELECT m.id, m.user_id, m.reason FROM mails m JOIN notification_events e ON e.content_id = m.content_id
       WHERE e.id = $id ORDER BY m.user_id`,
      { id: event.id },
    );
    const said = [];
    for (const { user } of actors) {
      const path = `/api/v4/notification_events/${event.id}/decisions?user_id=${user.id}`;
      const response = await server.request('GET', path, { token: TEST_ADMIN_TOKEN });
      assert.equal(response.status, 200, response.text);
      const [decision] = (response.json() as unknown[]).map(readRecipientDecision);
      assert.ok(decision);
      assert.equal(decision.mailed, decision.rules.at(-1)?.outcome !== 'refused');
      if (decision.mailed) said.push({ id: decision.mail_id, user_id: user.id, reason: decision.reason });
    }
    assert.deepEqual(said, mails);
  }
  return events.length;
}

/** Declares the property: what is said about each event of a random history is what was mailed. */
export function describeHistories({ runs, seed }: { readonly runs: number; readonly seed?: number }): void {
  describe('explanations of random histories', () => {
    it('what is said about each event is what was mailed', async () => {
      let events = 0;
      let mails = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (history) => {
          const world = await makeWorld();
          await using server = world.server;
          for (const [by, method, path, json] of history) {
            const response = await server.request(method, `/api/v4${path}`, { token: world.actors[by]?.token ?? '', json });
            assert.ok(response.status < 500, response.text);
          }
          events += await compare(world);
          mails += server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM mails')?.n ?? 0;
        }),
        { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
      );
      assert.ok(events > runs && mails > runs, `${events} events and ${mails} mails`);
    });
  });
}
