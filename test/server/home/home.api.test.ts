import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

describe('home page', () => {
  let server: TestServer;
  let ada: Actor;
  let asAda: PageClient;
  let nobody: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    const bob = actor(platform, 'bob');
    const lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'private' });
    projectWith(platform, bob, { name: 'Bells', visibility: 'public' });
    projectWith(platform, bob, { name: 'Cellar', visibility: 'private' });
    createGroup(platform, ada.user, { name: 'Keepers', path: 'keepers', visibility: 'private' });
    createGroup(platform, bob.user, { name: 'Ringers', path: 'ringers', visibility: 'public' });
    createIssue(platform, lamps, ada.user, { title: 'The lamp is dark' });
    [asAda, nobody] = [new PageClient(server), new PageClient(server)];
    await asAda.signIn('ada');
  });
  afterEach(() => server.close());

  const textAt = async (client: PageClient, path: string): Promise<string> => {
    const response = await client.open(path);
    assert.equal(response.status, 200, path);
    return textOf(response.text);
  };

  it("the home page shows the user's projects, groups and activity, and where settings are", async () => {
    const text = await textAt(asAda, '/');
    assert.match(text, /Your projects Lamps private ada\/lamps/);
    assert.match(text, /Your groups Keepers private keepers/);
    assert.match(text, /Activity in your projects Opened #1 The lamp is dark · Lamps by ada Example/);
    assert.doesNotMatch(text, /Bells|Cellar|Ringers/);
    const { text: html } = await asAda.open('/');
    for (const path of ['/user_settings/profile', '/user_settings/personal_access_tokens', '/user_settings/applications']) {
      assert.ok(html.includes(`href="${path}"`), path);
      assert.equal((await asAda.open(path)).status, 200, path);
    }
  });

  it('lists of projects and groups contain what the visitor can see or is a member of', async () => {
    assert.match(await textAt(asAda, '/dashboard/projects'), /^Your projects Lamps private ada\/lamps All projects/);
    assert.match(await textAt(asAda, '/dashboard/groups'), /^Your groups Keepers private keepers All groups/);
    assert.match(await textAt(asAda, '/explore/projects'), /Lamps.*Bells|Bells.*Lamps/);
    assert.doesNotMatch(await textAt(asAda, '/explore/projects'), /Cellar/);
    assert.match(await textAt(asAda, '/explore/groups'), /Keepers.*Ringers/);
    assert.match(await textAt(nobody, '/explore/projects'), /^All projects Bells public bob\/bells$/);
    assert.match(await textAt(nobody, '/explore/groups'), /^All groups Ringers public ringers$/);
    assert.equal((await nobody.open('/dashboard/projects')).status, 303);
  });

  it('every page has the navigation bar, with links that work for the visitor', async () => {
    for (const client of [asAda, nobody]) {
      for (const page of ['/', '/explore/projects', '/nothing/here', '/bob/bells', '/bob/bells/-/issues']) {
        const { text } = await client.open(page);
        const [bar = ''] = /<nav class="places".*?<\/nav>/s.exec(text) ?? [];
        const links = [...bar.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
        assert.ok(links.length >= 3, page);
        // The build creates the document of the API reference.
        for (const link of links) if (link !== '/help/api') assert.equal((await client.open(link)).status, 200, link);
      }
    }
  });
});
