import assert from 'node:assert/strict';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { actor, projectWith } from '../projects/cast.ts';

describe('activity of a project on its page', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  it('a comment on a snippet links to the comment, and a milestone to its page', async () => {
    const { platform } = server;
    const ada = actor(platform, 'ada');
    const { project } = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' });
    const files = [{ path: 'lamp.txt', content: 'red' }];
    const { id } = await createSnippet(platform, ada.user, { projectId: project.id, title: 'Red', visibility: 'public', files });
    const sent = { token: ada.token, json: { body: 'Nice.' } };
    assert.equal((await server.request('POST', `/api/v4/projects/${project.id}/snippets/${id}/notes`, sent)).status, 201);
    createMilestone(platform, { kind: 'project', id: project.id }, ada.user, { title: 'Spring' });
    const nobody = new PageClient(server);
    for (const page of ['/ada/lamps/-/activity', '/ada']) {
      const { text } = await nobody.open(page);
      assert.match(textOf(text), /Opened milestone Spring .*Commented on \$1 Red .*Created the project/, page);
      const links = [...text.matchAll(/href="(\/ada\/lamps\/-\/(?:snippets|milestones)\/[^"]+)"/g)].map(([, href = '']) => href);
      assert.deepEqual(links, ['/ada/lamps/-/milestones/1', '/ada/lamps/-/snippets/1#note_1'], page);
      for (const link of links) assert.equal((await nobody.open(link.split('#', 1)[0] ?? '')).status, 200, link);
      assert.match((await nobody.open('/ada/lamps/-/snippets/1')).text, /id="note_1"/);
    }
  });

  it('the activity of a project is paginated and names who was active', async () => {
    const { platform } = server;
    const ada = actor(platform, 'ada');
    projectWith(platform, ada, { name: 'Lamps', visibility: 'public' });
    for (let number = 1; number <= 30; number += 1) {
      createMilestone(platform, { kind: 'project', id: 1 }, ada.user, { title: `Week ${number}` });
    }
    const nobody = new PageClient(server);
    const first = textOf((await nobody.open('/ada/lamps/-/activity')).text);
    assert.match(first, /^Activity Opened milestone Week 30 by ada Example .*Week 1 .*Next page/);
    assert.doesNotMatch(first, /Created the project/);
    assert.match(
      textOf((await nobody.open('/ada/lamps/-/activity?page=2')).text),
      /Created the project by ada Example .*Previous page/,
    );
  });
});
