import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HOUR } from '../../../server/core/clock.ts';
import { updateUser } from '../../../server/features/users/accounts.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { randomFrom } from '../../../server/seeds/random.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../errorTracking/senders.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { openStream, type StreamClient } from './streamClient.ts';

const ROUNDS = 2_000;
const REPORTER = 20;

describe(`an event stream whose user changes permissions ${ROUNDS} times`, () => {
  let server: TestServer;
  let project: TrackedProject;
  let listener: Actor;
  let own: FoundProject;
  let stream: StreamClient;
  before(async () => {
    server = await startTestServer();
    project = trackedProject(server);
    listener = actor(server.platform, 'listener');
    own = projectWith(server.platform, listener, { name: 'Own' });
    await nextTurn();
    stream = await openStream(server, listener.token);
  });
  after(async () => {
    await stream?.[Symbol.asyncDispose]();
    await server?.close();
  });

  const asAdministrator = async (method: string, path: string, json?: unknown): Promise<void> => {
    const { status, text } = await server.request(method, path, { token: server.adminToken, json });
    assert.ok(status < 300 || status === 404, text);
  };
  const asOwner = (): FoundProject => {
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    return found;
  };
  const changes: readonly [() => unknown, ...(() => unknown)[]] = [
    () => updateUser(server.platform, listener.user, { admin: 1 }),
    () => updateUser(server.platform, listener.user, { admin: 0 }),
    () => {
      const found = asOwner();
      const by = { user: project.owner.user, access: found.access };
      return addMember(server.platform, found.project, listener.user, { level: REPORTER }, by);
    },
    () => asAdministrator('DELETE', `/api/v4/projects/${project.id}/members/${listener.user.id}`),
    () => asAdministrator('PUT', `/api/v4/projects/${project.id}`, { visibility: 'public' }),
    () => asAdministrator('PUT', `/api/v4/projects/${project.id}`, { visibility: 'private' }),
  ];
  /** Returns the events before the next event in the listener's own project, with kind and project. */
  const heard = async (): Promise<readonly { readonly event: string | undefined; readonly projectId: number }[]> => {
    createIssue(server.platform, own, listener.user, { title: 'A sign of life' });
    const before = [];
    for (;;) {
      const { event, data } = await stream.next();
      const { project_id: projectId } = JSON.parse(data) as { readonly project_id: number };
      if (projectId === own.project.id) return before;
      before.push({ event, projectId });
    }
  };

  it('an event stream with changing permissions sends errors and activity exactly if the REST API returns them', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const random = randomFrom(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      // The number of new errors per hour and project is limited, and each round creates one.
      if (round % 500 === 499) server.platform.clock.advance(HOUR);
      await random.pick(changes)();
      await nextTurn();
      await heard();
      const { token } = listener;
      const errors = await server.request('GET', `/api/v4/projects/${project.id}/error_tracking/errors`, { token });
      const activity = await server.request('GET', `/api/v4/projects/${project.id}/events`, { token });
      await project.send(errorEvent(inLetters(round)));
      // New errors are sent when their events are counted, at the latest when errors are listed.
      await project.errors();
      await nextTurn();
      createIssue(server.platform, asOwner(), project.owner.user, { title: `Issue ${round}` });
      await nextTurn();
      const kinds = new Set((await heard()).map(({ event }) => event));
      const context = `seed ${seed}, round ${round}: heard ${[...kinds].join(' and ')}; REST ${errors.status} for errors, ${activity.status} for activity`;
      assert.equal(kinds.has('error'), errors.status === 200, context);
      assert.equal(kinds.has('activity'), activity.status === 200, context);
    }
  });
});

/** Returns the number as letters, because grouping ignores digits and each round needs a new error. */
function inLetters(value: number): string {
  return [...String(value)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
}
