import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventSourceMessage } from 'eventsource-parser/stream';
import type { PushedRef } from '../../../server/features/pushes/changes.ts';
import { updateUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../errorTracking/senders.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { openStream } from './streamClient.ts';

const REPORTER = 20;
const GUEST = 10;

describe('the permissions of an event stream', () => {
  let server: TestServer;
  let project: TrackedProject;
  /** Private project of the listener. An event there shows that the listener received no other event before it. */
  let own: FoundProject;
  let listener: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    project = trackedProject(server);
    listener = actor(server.platform, 'listener');
    own = projectWith(server.platform, listener, { name: 'Own' });
    await nextTurn();
  });
  afterEach(() => server.close());

  const asAdministrator = async (method: string, path: string, json?: unknown): Promise<void> => {
    const response = await server.request(method, path, { token: server.adminToken, json });
    assert.ok(response.status < 300, response.text);
  };
  const join = (level: number, who: Actor = listener): void => {
    const found = asOwner();
    const by = { user: project.owner.user, access: found.access };
    addMember(server.platform, found.project, who.user, { level }, by);
  };
  const asOwner = (): FoundProject => {
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    return found;
  };
  const inOwn = (): unknown => createIssue(server.platform, own, listener.user, { title: 'A sign of life' });
  const inProject = (confidential = false): unknown =>
    createIssue(server.platform, asOwner(), project.owner.user, { title: 'Elsewhere', confidential });
  const projectOf = ({ event, data }: EventSourceMessage): readonly unknown[] => [
    event,
    (JSON.parse(data) as { readonly project_id: number }).project_id,
  ];
  const ownActivity = (): readonly unknown[] => ['activity', own.project.id];
  const beAdministrator = (admin: 0 | 1): void => {
    assert.ok(typeof updateUser(server.platform, listener.user, { admin }) !== 'string');
  };

  const losses: readonly (readonly [name: string, gain: () => void, lose: () => Promise<void>])[] = [
    [
      'a former administrator',
      () => beAdministrator(1),
      () => asAdministrator('PUT', `/api/v4/users/${listener.user.id}`, { admin: false }),
    ],
    [
      'a removed member',
      () => join(REPORTER),
      () => asAdministrator('DELETE', `/api/v4/projects/${project.id}/members/${listener.user.id}`),
    ],
  ];
  for (const [name, gain, lose] of losses) {
    it(`stream permissions of ${name} end immediately, without affecting other projects`, async () => {
      gain();
      await nextTurn();
      await using stream = await openStream(server, listener.token);
      await project.send(errorEvent('load'));
      assert.deepEqual(projectOf(await stream.next()), ['error', project.id]);
      await lose();
      await project.send(errorEvent('save'));
      inProject();
      inOwn();
      let heard = await stream.next();
      // Leaving a project is activity, too, which the member may still receive.
      while (projectOf(heard)[1] !== own.project.id) {
        assert.doesNotMatch(heard.data, /cannot save/);
        assert.notDeepEqual(projectOf(heard), ['activity', project.id]);
        heard = await stream.next();
      }
      assert.deepEqual(projectOf(heard), ownActivity());
    });

    it(`stream permissions of ${name} also apply to events after Last-Event-ID`, async () => {
      gain();
      await nextTurn();
      inOwn();
      await using before = await openStream(server, listener.token);
      inOwn();
      const { id } = await before.next();
      await project.send(errorEvent('load'));
      await before.next();
      await lose();
      inOwn();
      await using again = await openStream(server, listener.token, id);
      assert.deepEqual(projectOf(await again.next()), ownActivity());
    });
  }

  it('stream permissions of a user without membership end when the project becomes private', async () => {
    await asAdministrator('PUT', `/api/v4/projects/${project.id}`, { visibility: 'public' });
    await using stream = await openStream(server, listener.token);
    inProject();
    assert.deepEqual(projectOf(await stream.next()), ['activity', project.id]);
    await asAdministrator('PUT', `/api/v4/projects/${project.id}`, { visibility: 'private' });
    inProject();
    inOwn();
    assert.deepEqual(projectOf(await stream.next()), ownActivity());
  });

  it('stream permissions start with a membership that is created while the stream is open', async () => {
    await using stream = await openStream(server, listener.token);
    join(REPORTER);
    await project.send(errorEvent('load'));
    assert.deepEqual(projectOf(await stream.next()), ['activity', project.id]);
    assert.deepEqual(projectOf(await stream.next()), ['error', project.id]);
  });

  it('stream permissions of further events are those of errors, and of uses of client keys those of the keys', async () => {
    join(REPORTER);
    await project.send(errorEvent('load'));
    await project.errors();
    await using reporter = await openStream(server, listener.token);
    await using owner = await openStream(server, project.owner.token);
    await project.send(errorEvent('load'));
    await owner.nextOf('key');
    await reporter.nextOf('count');
    // The client key was announced before this event.
    inOwn();
    const heard = [...(await reporter.untilNext('activity'))].map(({ event }) => event);
    assert.ok(!heard.includes('key'), heard.join());
  });

  it('stream permissions of a guest include no confidential issues and no code of a private project', async () => {
    join(GUEST);
    await nextTurn();
    await using stream = await openStream(server, listener.token);
    const issue = inProject(true) as { readonly iid: number };
    await asAdministrator('POST', `/api/v4/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'Hush' });
    const push: PushedRef = {
      action: 'pushed',
      refType: 'branch',
      ref: 'main',
      commitCount: 1,
      commitFrom: 'a'.repeat(40),
      commitTo: 'b'.repeat(40),
      commitTitle: 'Secret',
    };
    const { id } = project.owner.user;
    server.platform.store.transaction(() =>
      server.platform.changes.publish({ kind: 'refsPushed', projectId: project.id, authorId: id, refs: [push] }),
    );
    inOwn();
    assert.deepEqual(projectOf(await stream.next()), ownActivity());
  });

  it('stream permissions end for errors when error tracking is disabled', async () => {
    join(REPORTER);
    await nextTurn();
    inOwn();
    await using before = await openStream(server, listener.token);
    inOwn();
    const { id } = await before.next();
    await project.send(errorEvent('load'));
    assert.deepEqual(projectOf(await before.next()), ['error', project.id]);
    await asAdministrator('PUT', `/api/v4/projects/${project.id}/error_tracking/settings`, { active: false, integrated: true });
    inOwn();
    await using again = await openStream(server, listener.token, id);
    assert.deepEqual(projectOf(await again.next()), ownActivity());
  });

  for (const [scopes, hears] of [
    [['read_user'], ['activity']],
    [['read_api'], ['error', 'activity']],
    [['api'], ['error', 'activity']],
    [
      ['read_user', 'read_api'],
      ['error', 'activity'],
    ],
  ] as const) {
    it(`stream permissions of a token with ${scopes.join(' and ')} are the same as in the REST API`, async () => {
      const { user, token } = actor(server.platform, 'reader', { scopes });
      join(REPORTER, { user, token });
      await nextTurn();
      await using stream = await openStream(server, token);
      await project.send(errorEvent('load'));
      // The error is sent in a separate turn of the event loop.
      await nextTurn();
      inProject();
      for (const event of hears) assert.equal((await stream.next()).event, event);
      const path = `/api/v4/projects/${project.id}/error_tracking/errors`;
      const mayRead = (hears as readonly string[]).includes('error');
      assert.equal((await server.request('GET', path, { token })).status, mayRead ? 200 : 403);
      assert.equal((await server.request('GET', '/api/v4/events', { token })).status, 200);
    });
  }

  it('stream permissions are empty for a token without a suitable scope, which gets 403', async () => {
    const { token } = actor(server.platform, 'reader', { scopes: ['read_repository'] });
    const response = await server.request('GET', '/_local/stream', { token, headers: { Accept: 'text/event-stream' } });
    assert.equal(response.status, 403);
  });

  const ends: readonly (readonly [name: string, end: (token: string) => Promise<unknown>])[] = [
    ['a blocked user', () => asAdministrator('POST', `/api/v4/users/${listener.user.id}/block`)],
    [
      'a revoked token',
      (token) =>
        server
          .request('DELETE', '/api/v4/personal_access_tokens/self', { token })
          .then(({ status }) => assert.equal(status, 204)),
    ],
    ['an expired token', () => asAdministrator('POST', '/_local/clock', { advance_seconds: 3 * 86_400 })],
  ];
  for (const [name, end] of ends) {
    it(`stream permissions end with the stream for ${name}, even without an event`, async () => {
      const expiresAt = server.platform.clock.now() + 2 * 86_400_000;
      const { token } = issuePersonalToken(server.platform, listener.user, { name: 'short', scopes: ['api'], expiresAt });
      beAdministrator(1);
      await nextTurn();
      await using stream = await openStream(server, token);
      await end(token);
      assert.deepEqual(await stream.untilEnd(), []);
      assert.equal(server.platform.live.listeners, 0);
    });
  }

  it('stream permissions end with the stream before the next event if the token was revoked without a notification', async () => {
    const { store, clock } = server.platform;
    const { token } = issuePersonalToken(server.platform, listener.user, { name: 'short', scopes: ['api'], expiresAt: null });
    await using stream = await openStream(server, token);
    // Direct SQL publishes no change.
    store.run("UPDATE personal_access_tokens SET revoked_at = $now WHERE name = 'short'", { now: clock.now() });
    inOwn();
    assert.deepEqual(await stream.untilEnd(), []);
  });

  it('the event stream includes all activity, even if there is more than one batch', async () => {
    await using stream = await openStream(server, listener.token);
    server.platform.store.transaction(() => {
      for (let count = 0; count < 250; count += 1) inOwn();
    });
    for (let count = 0; count < 250; count += 1) assert.deepEqual(projectOf(await stream.next()), ownActivity());
  });
});
