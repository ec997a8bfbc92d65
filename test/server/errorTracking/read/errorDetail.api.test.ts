import assert from 'node:assert/strict';
import { HOUR } from '../../../../server/core/clock.ts';
import { changeErrorStatus } from '../../../../server/features/errorTracking/status/errorStatus.ts';
import { errorDetail, type ErrorDetail } from '../../../../server/features/errorTracking/read/errorDetail.ts';
import { tracksErrors, writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { createTag } from '../../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../../server/features/pushes/commits.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

describe('the detail of a tracked error', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    const { clock } = server.platform;
    clock.freeze(clock.now());
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  async function detail(of: TrackedProject = project, on: TestServer = server): Promise<ErrorDetail> {
    const [error] = await of.errors();
    const found = findProject(on.platform, of.id, { user: of.owner.user });
    assert.ok(error && found);
    return errorDetail(on.platform, found.project, error);
  }

  async function commitTagged(tag: string): Promise<string> {
    const { platform } = server;
    const { user } = project.owner;
    const found = findProject(platform, project.id, { user });
    assert.ok(found);
    const actions = [{ action: 'create', path: tag, content: Buffer.from(tag) }] as const;
    const id = await createCommit(platform, found, user, { branch: 'main', message: `Release ${tag}`, actions });
    await createTag(platform, found, user, { name: tag, ref: id });
    return id;
  }

  it('a tracked error has the commits of its first and last release, found by tag or by ID', async () => {
    const first = await commitTagged('v1.2.0');
    const last = await commitTagged('v1.3.0');
    await project.send(errorEvent('load', { release: 'ship@1.2.0' }));
    server.platform.clock.advance(HOUR);
    await project.send(errorEvent('load', { release: `ship@${last.slice(0, 10)}` }));
    const { firstRelease, lastRelease } = await detail();
    assert.deepEqual(
      [firstRelease?.version, firstRelease?.commit?.id, lastRelease?.version, lastRelease?.commit?.id],
      ['ship@1.2.0', first, `ship@${last.slice(0, 10)}`, last],
    );
  });

  it('a tracked error has no commit if its release matches nothing in the repository or there is no git', async () => {
    await commitTagged('v1.2.0');
    await project.send(errorEvent('load', { release: 'ship@7.0.0' }));
    assert.deepEqual((await detail()).firstRelease, { version: 'ship@7.0.0', commit: undefined });
    await using other = await startTestServer({ git: 'no-such-git' });
    const there = trackedProject(other);
    await there.send(errorEvent('load', { release: '1.2.0' }));
    assert.deepEqual((await detail(there, other)).lastRelease, { version: '1.2.0', commit: undefined });
  });

  it('the detail of a tracked error has hours, facets, groupings, the latest event, its stack and the grouping explanation', async () => {
    const { platform } = server;
    await project.send(errorEvent('load', { environment: 'harbour', level: 'warning' }));
    platform.clock.advance(2 * HOUR);
    await project.send(errorEvent('load', { environment: 'open sea' }));
    await project.send(errorEvent('load', { environment: 'open sea', message: 'said beside it' }));
    const { frequency, facets, groupings, latest, firstRelease, state } = await detail();
    assert.deepEqual(
      [frequency.length, ...frequency.slice(-3).map(([, count]) => count), frequency.at(-1)?.[0]],
      [24, 1, 0, 2, Math.floor(platform.clock.now() / HOUR) * 3600],
    );
    assert.deepEqual(facets, {
      environment: [
        { value: 'open sea', count: 2 },
        { value: 'harbour', count: 1 },
      ],
      level: [
        { value: 'error', count: 2 },
        { value: 'warning', count: 1 },
      ],
      release: [],
    });
    assert.deepEqual(
      groupings.map(({ event_count: count }) => count),
      [3],
    );
    assert.equal(latest?.event.message?.text, 'said beside it');
    assert.deepEqual(
      [latest.stack?.source, latest.stack?.frames.map(({ function: name }) => name)],
      ['exception', ['main', 'load']],
    );
    assert.deepEqual([latest.grouping.by, latest.grouping.leftOut], ['exception', ['value', 'message']]);
    assert.deepEqual([firstRelease, state], [undefined, { status: 'unresolved' }]);
  });

  it('an ignored error has the condition that ends the ignored status', async () => {
    await project.send(errorEvent('load'));
    const { error } = await detail();
    changeErrorStatus(server.platform, error, { status: 'ignored', until: { kind: 'occurrences', count: 3 } });
    const { state } = await detail();
    assert.deepEqual(state, { status: 'ignored', at: server.platform.clock.now(), until: { kind: 'occurrences', count: 3 } });
  });

  it('errors are tracked if the settings are active and integrated', () => {
    assert.equal(tracksErrors(server.platform, project.id), true);
    writeSettings(server.platform, project.id, { active: false, integrated: true });
    assert.equal(tracksErrors(server.platform, project.id), false);
    assert.equal(tracksErrors(server.platform, 1_000_000), false);
  });
});
