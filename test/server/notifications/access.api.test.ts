import assert from 'node:assert/strict';
import { audienceOf, candidatesAmong } from '../../../server/features/notifications/audience.ts';
import { obstacleOf } from '../../../server/features/notifications/candidates.ts';
import type { RecordedEvent } from '../../../server/features/notifications/event.ts';
import { findIssue } from '../../../server/features/issues/manageIssues.ts';
import { findProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** The rules decide about access from plain data. This compares them with what users can read over the API. */
describe('access of recipients', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('is what the API lets users read, for issues of every kind of project', () => {
    const { platform } = server;
    const { store } = platform;
    const owner = actor(platform, 'owner');
    const people: Actor[] = [owner, actor(platform, 'outside'), actor(platform, 'external', { external: true })];
    const levels = [10, 20, 30].map((level): readonly [Actor, number] => [actor(platform, `level${level}`), level]);
    people.push(...levels.map(([member]) => member));
    const admin = actor(platform, 'admin');
    store.run('UPDATE users SET admin = 1 WHERE id = $id', { id: admin.user.id });
    people.push({ ...admin, user: { ...admin.user, admin: 1 } });
    let compared = 0;
    for (const visibility of ['private', 'internal', 'public'] as const) {
      for (const access of ['disabled', 'private', 'enabled'] as const) {
        const { project } = projectWith(platform, owner, { name: `${visibility} ${access}`, visibility }, levels);
        store.run('UPDATE projects SET issues_access = $access WHERE id = $id', { access, id: project.id });
        for (const confidential of [0, 1]) {
          for (const author of people) {
            const iid = (compared += 1);
            const { lastId } = store.run(
              `INSERT INTO issues (project_id, iid, title, author_id, confidential, created_at, updated_at)
               VALUES ($project, $iid, 'Lamp', $author, $confidential, 0, 0)`,
              { project: project.id, iid, author: author.user.id, confidential },
            );
            const event: RecordedEvent = {
              id: 0,
              event: 'close_issue',
              actorId: null,
              projectId: project.id,
              groupId: null,
              targetType: 'Issue',
              targetId: lastId,
              details: {},
              createdAt: 0,
            };
            const audience = audienceOf(platform, event);
            assert.ok(audience);
            const ids = people.map(({ user }) => user.id);
            for (const { userId, details } of candidatesAmong(platform, event, audience, ids)) {
              const reader = people.find(({ user }) => user.id === userId);
              const found = findProject(platform, project.id, reader);
              const isReadable = found !== undefined && findIssue(platform, found, iid, reader?.user) !== undefined;
              const label = `${reader?.user.username ?? ''}, ${visibility} ${access}, confidential ${confidential}, by ${author.user.username}`;
              assert.equal(obstacleOf(details) === undefined, isReadable, label);
            }
          }
        }
      }
    }
    assert.equal(compared, 3 * 3 * 2 * people.length);
  });
});
