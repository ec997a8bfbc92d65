import assert from 'node:assert/strict';
import { inflateRawSync } from 'node:zlib';
import { eventsOf } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { type Actor, actor } from '../../projects/cast.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../../server/features/members/projectMembers.ts';
import { PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

interface Problem {
  readonly name: string;
  readonly type: string;
  readonly value: string | null;
}

interface Event {
  readonly payload: {
    readonly extra: readonly { readonly name: string; readonly value: string }[];
    readonly problems: readonly Problem[];
  };
}

describe('secrets in events', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(() => server.close());

  const path = (rest: string): string => `/api/v4/projects/${project.id}/error_tracking/${rest}`;
  const scrub = (enabled: boolean, { token }: Actor = project.owner) =>
    server.request('PUT', path('scrubbing'), { token, json: { enabled } });
  const secret = 'hunter2-of-the-harbour';
  const sent = (): object =>
    errorEvent('load', { extra: { password: secret, knots: 12 }, level: 'unheard of', tags: { sea: 'n'.repeat(300) } });
  const latest = async (): Promise<Event> => {
    const [error] = await project.errors();
    const response = await server.request('GET', path(`errors/${error?.fingerprint}/events`), { token: project.owner.token });
    const [event] = response.json() as Event[];
    assert.ok(event);
    return event;
  };

  it('secrets are scrubbed and listed with the other problems of the event', async () => {
    await project.send(sent());
    const { payload } = await latest();
    assert.deepEqual(
      payload.problems.toSorted((one, other) => one.name.localeCompare(other.name)),
      [
        { name: 'extra.password', type: 'scrubbed', value: null },
        { name: 'level', type: 'invalid_data', value: 'unheard of' },
        { name: 'tags.sea', type: 'value_too_long', value: `${'n'.repeat(99)}…` },
      ],
    );
    assert.ok(!JSON.stringify(payload).includes(secret));
    const client = new PageClient(server);
    await client.signIn(project.owner.user.username);
    const [error] = await project.errors();
    const page = textOf((await client.open(`/${project.path}/-/error_tracking/${error?.fingerprint}/details`)).text);
    assert.match(page, /extra\.password\s+looked like a secret and has been removed/);
    assert.match(page, /level\s+was invalid/);
  });

  // More problems than are stored.
  const odd = Array.from({ length: 150 }, () => 7);
  for (const [where, members] of [
    ['extra, behind a hundred problems', { breadcrumbs: odd, extra: { note: `password=${secret}` } }],
    ['extra', { extra: { note: `password=${secret}` } }],
    ['the data of a breadcrumb', { breadcrumbs: [{ data: { url: `https://shop.example/?token=${secret}` } }] }],
    ['the body of a request', { request: { data: `user=mia&password=${secret}` } }],
    ['a header', { request: { headers: { Referer: `https://shop.example/?token=${secret}` } } }],
    ['a variable', { stacktrace: { frames: [{ function: 'f', vars: { db: `postgres://mia:${secret}@localhost/` } }] } }],
  ] as const) {
    it(`secrets are scrubbed from a text in ${where}, and the received data is not stored`, async () => {
      await project.send(errorEvent('load', members));
      const event = await latest();
      assert.ok(!JSON.stringify(event).includes(secret));
      assert.ok(event.payload.problems.some(({ type }) => type === 'scrubbed'));
      const [error] = await project.errors();
      assert.ok(error);
      const [stored] = eventsOf(server.platform, error, { limit: 1, withPayload: true });
      assert.equal(stored?.encoding, 'raw-deflate');
      assert.ok(!inflateRawSync(stored.bytes ?? '').includes(secret));
    });
  }

  it('an event whose names only look like assignments is stored as received, and shown with its names', async () => {
    const name = 'Load(System.Core, Version=4.0.0.0, PublicKeyToken=b77a5c561934e089)';
    const selector = '-[UIKeyboardImpl _pinInputViewsForInputResponderController:animatedWithCompletionHandler:]';
    const frames = [{ function: name }, { function: selector, vars: { token_count: 42, PWD: '/srv/app' } }];
    await project.send(errorEvent('load', { stacktrace: { frames }, modules: { cookie: '0.7.2' } }));
    const [error] = await project.errors();
    assert.ok(error);
    const [stored] = eventsOf(server.platform, error, { limit: 1, withPayload: true });
    assert.equal(stored?.form, 'envelope');
    const text = JSON.stringify(await latest());
    for (const unfiltered of [name, selector, 'token_count', '/srv/app', '0.7.2'])
      assert.ok(text.includes(unfiltered), unfiltered);
    assert.ok(!text.includes('[Filtered]'));
  });

  it('an event is stored as received if the other items of its envelope have only names like assignments', async () => {
    const attrs = { release: 'com.acme.auth@1.2', environment: 'token: blue2' };
    const session = { sid: '1'.repeat(32), started: new Date().toISOString(), status: 'ok', attrs };
    const trace = { release: attrs.release, transaction: 'Auth::Token: validate2' };
    assert.equal((await project.post('envelope', envelope({ trace }, { event: errorEvent('load') }, { session }))).status, 200);
    const [error] = await project.errors();
    assert.ok(error);
    assert.equal(eventsOf(server.platform, error, { limit: 1, withPayload: true })[0]?.form, 'envelope');
  });

  it('secrets are stored after scrubbing is turned off', async () => {
    assert.deepEqual((await server.request('GET', path('scrubbing'), { token: project.owner.token })).json(), { enabled: true });
    await project.send(sent());
    assert.deepEqual((await scrub(false)).json(), { enabled: false });
    await project.send(sent());
    const { payload } = await latest();
    assert.deepEqual(
      payload.extra.find(({ name }) => name === 'password'),
      { name: 'password', value: JSON.stringify(secret) },
    );
    assert.deepEqual(payload.problems.map(({ type }) => type).toSorted(), ['invalid_data', 'value_too_long']);
    assert.deepEqual((await scrub(true)).json(), { enabled: true });
    await project.send(sent());
    assert.ok(!JSON.stringify(await latest()).includes(secret));
  });

  it('scrubbing is unchanged after tracking is turned off and on', async () => {
    await scrub(false);
    for (const active of [false, true]) {
      const json = { active, integrated: true };
      assert.equal((await server.request('PUT', path('settings'), { token: project.owner.token, json })).status, 200);
    }
    assert.deepEqual((await server.request('GET', path('scrubbing'), { token: project.owner.token })).json(), { enabled: false });
  });

  it('maintainers can turn scrubbing on and off if error tracking is configured, with an audit event', async () => {
    const [developer, maintainer] = [actor(server.platform, `dev${project.id}`), actor(server.platform, `main${project.id}`)];
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    for (const [who, level] of [
      [developer, 30],
      [maintainer, 40],
    ] as const) {
      addMember(server.platform, found.project, who.user, { level }, { user: project.owner.user, access: found.access });
    }
    assert.equal((await scrub(false, developer)).status, 403);
    assert.equal((await server.request('GET', path('scrubbing'), { token: developer.token })).status, 403);
    assert.equal((await scrub(false, maintainer)).status, 200);
    const [event] = (
      await server.request('GET', `/api/v4/projects/${project.id}/audit_events`, { token: project.owner.token })
    ).json() as { readonly event_name: string; readonly details: Readonly<Record<string, unknown>> }[];
    assert.equal(event?.event_name, 'error_tracking_setting_updated');
    assert.partialDeepStrictEqual(event.details, { change: 'error tracking scrubbing', from: 'true', to: 'false' });
    server.platform.store.run('DELETE FROM error_tracking_settings WHERE project_id = $id', { id: project.id });
    const response = await scrub(true);
    assert.deepEqual([response.status, response.json()], [404, { message: '404 Error Tracking Setting Not Found' }]);
  });

  it('events cannot forge problems', async () => {
    const lie = [{ name: 'all', type: 'scrubbed', value: 'a lie' }];
    for (const enabled of [true, false]) {
      await scrub(enabled);
      const event = JSON.stringify(errorEvent('load', { signalbox_problems: lie }));
      assert.equal((await project.post('store', event)).status, 200);
      assert.deepEqual((await latest()).payload.problems, []);
    }
  });
});
