import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { errorDetail } from '../../../../server/features/errorTracking/read/errorDetail.ts';
import type { TrackedError } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { groupingRows } from '../../../../server/features/errorTracking/read/errorReadStore.ts';
import { splitError } from '../../../../server/features/errorTracking/merge/mergeErrors.ts';
import { formerlyScrubbed } from '../../../../server/features/errorTracking/grouping/formerScrubbing.ts';
import { groupingVersion, hashesBy } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { writeReports } from '../../../../server/features/errorTracking/write/writeEvents.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { normalised } from '../reading.ts';
import { type TrackedProject, trackedProject } from '../senders.ts';
import { recount } from '../write/recount.ts';
import { madeUp } from './corpus/formerEvents.ts';
import { scrubbedEvents } from './corpus/scrubbedEvents.ts';
import { twoThrows } from './corpus/throws.ts';

/** Events that the current version of the rules groups in another way than its predecessors. */
const regrouped: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  [...madeUp()].filter(([name]) => !name.startsWith('throw in')),
);

describe('errors that were grouped by a former version of the rules', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(() => server.close());

  const [throws] = twoThrows;
  assert.ok(throws);
  const { left, right, moved } = throws;

  /** Writes an event as a former version of the rules grouped it. */
  async function writeFormer(payload: JsonObject, version = 1, read = normalised(payload)): Promise<TrackedError> {
    const { store, clock } = server.platform;
    const now = clock.now();
    const event = { ...read, id: randomBytes(16).toString('hex'), occurredAt: now };
    const grouping = { ...hashesBy(version, event, project.id), former: () => [] };
    const bytes = deflateRawSync(JSON.stringify(payload));
    const stored = { encoding: 'raw-deflate', form: 'store' as const, ordinal: 0, bytes };
    const report = { projectId: project.id, event, grouping, userHash: undefined, receivedAt: now, payload: stored };
    store.transaction(() => writeReports(store, [report], () => undefined));
    const [error] = await project.errors();
    assert.ok(error);
    return error;
  }

  const counts = async (): Promise<number[]> => (await project.errors()).map(({ event_count: count }) => count).toSorted();

  it('new events of an existing error stay in it, and other errors of the same function are new only where there is none', async () => {
    await writeFormer(left);
    for (const payload of [left, right, moved, right]) await project.send(payload);
    assert.deepEqual(await counts(), [5]);
    recount(server.platform);
    const fresh = trackedProject(server);
    for (const payload of [left, right, moved, right]) await fresh.send(payload);
    assert.deepEqual(
      (await fresh.errors()).map(({ event_count: count }) => count),
      [2, 2],
    );
  });

  for (const version of [1, 2]) {
    for (const [name, payload] of Object.entries(regrouped)) {
      it(`an event stays in its error of version ${version}: ${name}`, async () => {
        await writeFormer(payload, version);
        await project.send(payload);
        assert.deepEqual(await counts(), [2]);
        recount(server.platform);
      });
    }
  }

  for (const [name, payload] of Object.entries(scrubbedEvents)) {
    it(`an event stays in its error whose texts were scrubbed formerly: ${name}`, async () => {
      await writeFormer(payload, 2, formerlyScrubbed(normalised(payload, { scrub: false })));
      await project.send(payload);
      assert.deepEqual(await counts(), [2]);
    });
  }

  it('an existing error is found by its whole stack, too', async () => {
    await writeFormer(left);
    const flagged = JSON.parse(JSON.stringify(left).replace('"in_app":true', '"in_app":false')) as JsonObject;
    assert.notDeepEqual(flagged, left);
    await project.send(flagged);
    assert.deepEqual(await counts(), [2]);
  });

  it('an error that was joined by a former version can be split, and new events follow it', async () => {
    const error = await writeFormer(left);
    for (const payload of [left, right]) await project.send(payload);
    const ofRight = groupingRows(server.platform.store, error.id).find(({ hash }) =>
      hashesBy(groupingVersion, normalised(right), project.id).app.equals(hash),
    );
    assert.ok(ofRight);
    const [joined] = await project.errors();
    assert.ok(joined);
    splitError(server.platform, joined, Buffer.from(ofRight.hash));
    await project.send(right);
    await project.send(moved);
    assert.deepEqual(await counts(), [2, 3]);
    recount(server.platform);
  });

  it('an event is explained by the version that grouped it', async () => {
    const explained = async (): Promise<readonly unknown[]> => {
      const [error] = await project.errors();
      const found = findProject(server.platform, project.id, { user: project.owner.user });
      assert.ok(error && found);
      const { latest } = await errorDetail(server.platform, found.project, error);
      return [latest?.grouping.version, latest?.grouping.stack?.frames.at(-1)?.line];
    };
    await writeFormer(left);
    assert.deepEqual(await explained(), [1, '']);
    await project.send(left);
    assert.deepEqual(await explained(), [groupingVersion, "raiseValueError('noroomontheleft')"]);
  });
});
