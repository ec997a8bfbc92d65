import assert from 'node:assert/strict';
import { createClientKey } from '../../../../server/features/clientKeys/clientKeys.ts';
import { HOUR } from '../../../../server/core/clock.ts';
import { setErrorTracking } from '../../../../server/features/errorTracking/errorTracking.ts';
import { scrubsSecrets } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../../server/features/members/projectMembers.ts';
import { settingNumber } from '../../../../server/features/settings/settings.ts';
import { actor, projectWith } from '../../projects/cast.ts';
import { formsOf, PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { type TrackedProject, trackedProject } from '../senders.ts';

interface AuditEvent {
  readonly author_id: number;
  readonly event_name: string;
  readonly details: { readonly change?: string; readonly from?: string; readonly to?: string };
}

describe('error tracking settings on the page of errors', () => {
  let server: TestServer;
  let project: TrackedProject;
  let list: string;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
    list = `/${project.path}/-/error_tracking`;
  });
  after(() => server.close());

  async function as(username: string): Promise<PageClient> {
    const client = new PageClient(server);
    await client.signIn(username);
    return client;
  }

  /** Signs in a user with an access level in the project. */
  async function member(level: number): Promise<PageClient> {
    const who = actor(server.platform, `level${level}of${project.id}`);
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    addMember(server.platform, found.project, who.user, { level }, { user: project.owner.user, access: found.access });
    return as(who.user.username);
  }

  /** Submits a form of the page. Returns the text of the page that follows. */
  async function press(client: PageClient, form: 'scrubbing' | 'stream'): Promise<string> {
    const response = await client.submit(await client.open(list), `${list}/${form}`);
    assert.equal(response.headers.get('location'), `${list}?done=1#settings`, response.text);
    const page = textOf((await client.open(`${list}?done=1`)).text);
    assert.match(page, /Setting saved\./);
    return page;
  }

  /** Sends a form that was not shown to the user, with the CSRF token of their browser. */
  async function forged(client: PageClient, form: string, fields: Readonly<Record<string, string>>): Promise<number> {
    const token = formsOf((await client.open(list)).text)[0]?.fields['authenticity_token'] ?? '';
    return (await client.post(`${list}/${form}`, { authenticity_token: token, ...fields })).status;
  }

  const streamed = (): number => settingNumber(server.platform, 'error_tracking_stream_project_id');
  const latestAudited = async (path: string): Promise<AuditEvent | undefined> =>
    ((await server.request('GET', path, { token: server.adminToken })).json() as AuditEvent[])[0];

  it('maintainers can turn data scrubbing off and on, with an audit event', async () => {
    const maintainer = await member(40);
    assert.match(textOf((await maintainer.open(list)).text), /passwords, tokens or keys are removed from events/);
    assert.match(await press(maintainer, 'scrubbing'), /Events are stored with the secrets that they contain/);
    assert.equal(scrubsSecrets(server.platform, project.id), false);
    const event = await latestAudited(`/api/v4/projects/${project.id}/audit_events`);
    assert.equal(event?.event_name, 'error_tracking_setting_updated');
    assert.partialDeepStrictEqual(event.details, { change: 'error tracking scrubbing', from: 'true', to: 'false' });
    assert.match(await press(maintainer, 'scrubbing'), /are removed from events/);
    assert.equal(scrubsSecrets(server.platform, project.id), true);
  });

  it('administrators can select the project of the local stream, another one, and none', async () => {
    const root = await as('root');
    assert.match(textOf((await root.open(list)).text), /No project receives these events\./);
    const page = await press(root, 'stream');
    assert.match(page, /This project receives these events\./);
    assert.ok(page.includes(`${server.origin}/stream`));
    assert.equal(streamed(), project.id);
    const event = await latestAudited('/api/v4/audit_events');
    assert.partialDeepStrictEqual(event?.details, { from: '0', to: String(project.id) });

    const before = { list };
    const late = await root.open(list);
    project = trackedProject(server);
    list = `/${project.path}/-/error_tracking`;
    assert.match(
      (await root.open(list)).text,
      new RegExp(`<a href="${before.list}"><bdi>Tracked \\d+</bdi></a> receives these events`),
    );
    await press(root, 'stream');
    assert.equal(streamed(), project.id);
    // An outdated page does not undo a later choice.
    assert.equal((await root.submit(late, `${before.list}/stream`)).status, 303);
    assert.equal(streamed(), project.id);
    assert.match(await press(root, 'stream'), /No project receives these events\./);
    assert.equal(streamed(), 0);
  });

  it('error tracking settings are hidden from others, who cannot change them', async () => {
    const owner = await as(project.owner.user.username);
    const [maintainer, developer, reporter] = [await member(40), await member(30), await member(20)];
    const shown: readonly (readonly [PageClient, boolean])[] = [
      [owner, true],
      [maintainer, true],
      [developer, false],
      [reporter, false],
    ];
    for (const [client, isMaintainer] of shown) {
      const { text } = await client.open(list);
      assert.equal(text.includes(`${list}/scrubbing`), isMaintainer);
      assert.equal(text.includes(project.key), isMaintainer);
      assert.ok(!text.includes(`${list}/stream`));
      assert.equal(await forged(client, 'stream', { enabled: '1' }), 403);
      if (!isMaintainer) assert.equal(await forged(client, 'scrubbing', { enabled: '0' }), 403);
    }
    for (const client of [await member(10), await as(actor(server.platform, `stranger${project.id}`).user.username)]) {
      for (const form of ['scrubbing', 'stream']) assert.equal(await forged(client, form, { enabled: '1' }), 404);
    }
    assert.deepEqual([scrubsSecrets(server.platform, project.id), streamed()], [true, 0]);
  });

  it('error tracking settings are not changed by a form without a CSRF token or with an invalid value', async () => {
    const root = await as('root');
    for (const form of ['scrubbing', 'stream']) {
      assert.equal((await root.post(`${list}/${form}`, { enabled: '0' })).status, 403);
      assert.equal((await new PageClient(server).post(`${list}/${form}`, { enabled: '0' })).status, 403);
      for (const enabled of ['', 'true', '2']) assert.equal(await forged(root, form, { enabled }), 400, enabled);
    }
    assert.deepEqual([scrubsSecrets(server.platform, project.id), streamed()], [true, 0]);
  });

  it('data scrubbing needs configured error tracking, and the local stream needs error tracking to be on', async () => {
    const root = await as('root');
    const bare = projectWith(server.platform, project.owner, { name: `Bare ${project.id}` }).project.full_path;
    const page = `/${bare}/-/error_tracking`;
    assert.doesNotMatch((await root.open(page)).text, /id="settings"/);
    const token = formsOf((await root.open(page)).text)[0]?.fields['authenticity_token'] ?? '';
    assert.equal((await root.post(`${page}/scrubbing`, { authenticity_token: token, enabled: '0' })).status, 404);

    setErrorTracking(server.platform, project.id, false);
    const off = (await root.open(list)).text;
    assert.ok(off.includes(`${list}/scrubbing`) && !off.includes(`${list}/stream`));
    setErrorTracking(server.platform, project.id, true);
    await press(root, 'stream');
    setErrorTracking(server.platform, project.id, false);
    assert.match(await press(root, 'stream'), /Error tracking is off/);
    assert.equal(streamed(), 0);
  });

  it('the page of errors shows client keys with the time of their creation', async () => {
    const { platform } = server;
    const owner = await as(project.owner.user.username);
    platform.clock.advance(3 * HOUR);
    createClientKey(platform, project.id, { active: false });
    const text = textOf((await owner.open(list)).text);
    const dsn = server.origin.replace('://', `://${project.key}@`);
    assert.ok(text.includes(`${dsn}/api/v4/error_tracking/collector/${project.id} Created 3 hours ago`), text);
    assert.match(text, /Created less than a minute ago inactive/);
    platform.store.run('DELETE FROM error_tracking_client_keys WHERE project_id = $id', { id: project.id });
    assert.match(textOf((await owner.open(list)).text), /Client keys No client keys yet\. SDKs need one/);
  });
});
