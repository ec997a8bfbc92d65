import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { eventsOf, latestEventOf, storedEvent } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { payloadOf, problemsIn } from '../../../../server/features/errorTracking/event/scrubbedPayload.ts';
import { normaliseEvent } from '../../../../server/features/errorTracking/event/normaliseEvent.ts';
import { isJsonObject } from '../../../../src/contract/json.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { corpus } from '../grouping/corpus/corpus.ts';
import { ingested } from '../reading.ts';
import { recount } from '../write/recount.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

describe('error ingestion', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(() => server.close());

  it('ingestion accepts an envelope with 200 and the ID of its event, and groups, counts and stores the event', async () => {
    const id = await project.send(errorEvent('load', { release: 'ship@1.0.0', environment: 'harbour', user: { id: 7 } }));
    const second = await project.send(errorEvent('load', { release: 'ship@1.1.0', user: { id: 7 } }));
    await project.send(errorEvent('load', { user: { id: 8 } }));
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.notEqual(id, second);
    const [error, ...others] = await project.errors();
    assert.ok(error);
    assert.deepEqual(others, []);
    assert.equal(error.title, 'ValueError: cannot load');
    assert.equal(error.event_count, 3);
    assert.equal(error.user_count, 2);
    assert.equal(error.first_release, 'ship@1.0.0');
    assert.equal(error.status, 'unresolved');
    assert.equal(latestEventOf(server.platform, error)?.event.exceptions[0]?.frames.at(-1)?.line, 10);
    recount(server.platform);
  });

  it('a scrubbed event is stored unchanged apart from its secrets', async () => {
    let compared = 0;
    for (const sample of corpus) {
      const { events } = await ingested(sample);
      for (const event of events) {
        compared += 1;
        const text: unknown = JSON.parse(JSON.stringify(payloadOf(event)));
        assert.ok(isJsonObject(text));
        const about = {
          headerId: undefined,
          receivedAt: event.occurredAt,
          sentAt: undefined,
          peerAddress: undefined,
          scrub: false,
        };
        assert.deepEqual({ ...normaliseEvent(text, about), problems: [] }, { ...event, problems: [] }, sample.name);
        assert.deepEqual(problemsIn(text), event.problems, sample.name);
      }
    }
    assert.ok(compared >= 20, String(compared));
  });

  it('the address for {{auto}} and the SDK of the credentials are still known when an event is read again', async () => {
    const bare = errorEvent('load', { user: { ip_address: '{{auto}}' } });
    const named = errorEvent('save', { sdk: { name: 'sentry.python', version: '2.0.0' }, user: { id: '7' } });
    await project.send(bare);
    await project.post('store', JSON.stringify({ ...bare, event_id: randomBytes(16).toString('hex') }));
    await project.send(named);
    const readBack = [];
    for (const error of await project.errors()) {
      for (const row of eventsOf(server.platform, error, { limit: 10, withPayload: true })) {
        const event = storedEvent(row);
        readBack.push([error.culprit, event?.user?.address, event?.sdk, row.sender_address, row.sender_client]);
      }
    }
    const test = { name: 'test', version: '1' };
    assert.deepEqual(readBack.toSorted(), [
      ['load (app/ship.py)', '127.0.0.1', test, '127.0.0.1', 'test/1'],
      ['load (app/ship.py)', '127.0.0.1', test, '127.0.0.1', 'test/1'],
      ['save (app/ship.py)', undefined, { name: 'sentry.python', version: '2.0.0' }, null, null],
    ]);
  });

  it('users of browsers that leave their address to the server are counted, and an address that must not be stored is not', async () => {
    const browser = { platform: 'javascript', sdk: { name: 'sentry.javascript.browser', version: '8.0.0' } };
    await project.send(errorEvent('load', browser));
    const [error] = await project.errors();
    assert.equal(error?.user_count, 1);
    const never = { ...browser, sdk: { ...browser.sdk, settings: { infer_ip: 'never' } }, user: { ip_address: '{{auto}}' } };
    await project.send(errorEvent('save', never));
    const saved = (await project.errors()).find(({ culprit }) => culprit.startsWith('save'));
    assert.ok(saved);
    const [row] = eventsOf(server.platform, saved, { limit: 1, withPayload: true });
    assert.deepEqual([saved.user_count, row?.sender_address, row && storedEvent(row)?.user], [0, null, undefined]);
  });

  it('events of different failures belong to different errors', async () => {
    await project.send(errorEvent('load'));
    await project.send(errorEvent('save'));
    assert.deepEqual((await project.errors()).map(({ culprit }) => culprit).toSorted(), [
      'load (app/ship.py)',
      'save (app/ship.py)',
    ]);
  });

  it('ingestion responds to a duplicate event with 200 and its ID, and does not count it again', async () => {
    const event = errorEvent('load');
    const first = await project.send(event);
    assert.equal(await project.send({ ...event, release: 'another' }), first);
    assert.deepEqual(
      (await project.errors()).map((error) => error.event_count),
      [1],
    );
    recount(server.platform);
  });

  it('the same event ID counts in each of two projects', async () => {
    const other = trackedProject(server);
    const event = errorEvent('load');
    await project.send(event);
    await other.send(event);
    assert.equal((await project.errors()).length, 1);
    assert.equal((await other.errors()).length, 1);
  });

  it('stored payloads of store requests can be read, compressed or not', async () => {
    for (const body of [JSON.stringify(errorEvent('load')), gzipSync(JSON.stringify(errorEvent('load')))]) {
      const response = await project.post('store', body);
      assert.equal(response.status, 200, response.text);
    }
    const [error] = await project.errors();
    assert.equal(error?.event_count, 2);
    assert.equal(error && latestEventOf(server.platform, error)?.event.exceptions[0]?.type, 'ValueError');
  });

  it('ingestion stores each event of an envelope and skips unknown items', async () => {
    const body = envelope({}, { event: errorEvent('load') }, { replay_event: { a: 1 } }, { event: errorEvent('save') });
    const response = await project.post('envelope', body);
    assert.equal(response.status, 200, response.text);
    assert.deepEqual((await project.errors()).map(({ culprit }) => culprit).toSorted(), [
      'load (app/ship.py)',
      'save (app/ship.py)',
    ]);
    for (const error of await project.errors()) assert.ok(latestEventOf(server.platform, error));
  });

  it('ingestion stores a short envelope with each event, and only the events of a long one', async () => {
    const storedBy = async (events: number): Promise<readonly { readonly form: string; readonly bytes: number }[]> => {
      // Random text is not compressible.
      const extra = (): object => ({ extra: { text: randomBytes(1000).toString('hex') } });
      const own = trackedProject(server);
      const items = Array.from({ length: events }, (_, index) => ({ event: errorEvent(`load${index}`, extra()) }));
      const response = await own.post('envelope', envelope({}, ...items));
      assert.equal(response.status, 200, response.text);
      const rows = (await own.errors()).flatMap((error) => eventsOf(server.platform, error, { limit: 10 }));
      assert.equal(rows.length, events);
      for (const row of rows) assert.equal(typeof storedEvent(row), 'object');
      return rows.map(({ form, bytes }) => ({ form: form ?? '', bytes: bytes?.length ?? 0 }));
    };
    const ofShort = await storedBy(4);
    assert.ok(
      ofShort.every(({ form, bytes }) => form === 'envelope' && bytes > 4 * 1000),
      JSON.stringify(ofShort),
    );
    const ofLong = await storedBy(40);
    assert.ok(
      ofLong.every(({ form, bytes }) => form === 'store' && bytes < 4 * 1000),
      JSON.stringify(ofLong),
    );
  });

  it('ingestion stores no secret of an event, also in members that are not read', async () => {
    const secret = 'open sesame 1001';
    await project.send(errorEvent('load', { extra: { password: secret } }));
    await project.send(errorEvent('load', { unknown: { deep: [{ api_key: secret }] } }));
    await project.send(errorEvent('load', { request: { headers: { Authorization: `Bearer ${secret}` } } }));
    const [error] = await project.errors();
    assert.ok(error);
    const rows = eventsOf(server.platform, error, { limit: 10 });
    assert.deepEqual(
      rows.map(({ form }) => form),
      ['store', 'store', 'store'],
    );
    assert.ok(rows.every((row) => !JSON.stringify(storedEvent(row)).includes(secret)));
    assert.deepEqual(latestEventOf(server.platform, error)?.event.request?.headers, [['Authorization', '[Filtered]']]);
  });
});
