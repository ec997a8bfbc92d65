import assert from 'node:assert/strict';
import { commentOnIssue, createIssue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('resource pages', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let asAda: PageClient;
  let asBob: PageClient;
  let nobody: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    bob = actor(platform, 'bob');
    const lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'public', description: 'All <b>lamps</b>' }, [
      [bob, 10],
    ]);
    const issue = createIssue(platform, lamps, ada.user, {
      title: 'Lamp <7> stays dark',
      description: 'Since the storm.\n<script>alert(1)</script>',
      labels: ['track 2'],
      assigneeIds: [bob.user.id],
      dueDate: '2026-06-01',
    });
    commentOnIssue(platform, seenBy(platform, lamps, bob), issue, bob.user, { body: 'The fuse & the wire.' });
    commentOnIssue(platform, lamps, issue, ada.user, { body: 'Keep this among us.', internal: true });
    updateIssue(platform, lamps, issue, ada.user, { stateEvent: 'close' });
    createIssue(platform, lamps, ada.user, { title: 'A secret', confidential: true });
    createIssue(platform, lamps, ada.user, { title: 'Gate squeaks' });
    createIssue(platform, projectWith(platform, ada, { name: 'Hidden' }), ada.user, { title: 'Hidden issue' });
    [asAda, asBob, nobody] = [new PageClient(server), new PageClient(server), new PageClient(server)];
    await asAda.signIn('ada');
    await asBob.signIn('bob');
  });
  afterEach(() => server.close());

  const shows = async (client: PageClient, path: string): Promise<{ text: string; html: string }> => {
    const response = await client.open(path);
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    assert.doesNotMatch(response.text, /\[object |undefined|<script/);
    return { text: textOf(response.text), html: response.text };
  };

  it('resource pages exist for every web_url in API responses', async () => {
    const urls = new Set<string>();
    for (const path of ['/projects?membership=true', '/issues?scope=all', '/events?scope=all', '/projects/1/members']) {
      const response = await server.request('GET', `/api/v4${path}`, { token: ada.token });
      for (const [, url = ''] of response.text.matchAll(/"web_url":"([^"]+)"/g)) urls.add(url);
    }
    assert.ok(urls.size >= 8, [...urls].join('\n'));
    for (const url of urls) assert.equal((await asAda.open(url)).status, 200, url);
  });

  it('resource pages show the description, badges, users and comments of an issue', async () => {
    const { text, html } = await shows(nobody, '/ada/lamps/-/issues/1');
    for (const part of [
      'Lamp <7> stays dark',
      'Since the storm. <script>alert(1)</script>',
      'closed',
      'track 2',
      'ada Example',
      'Assigned to bob Example',
      'Due date 2026-06-01',
      'The fuse & the wire.',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.match(html, /<li id="note_1">/);
    assert.match(html, /<li id="note_3" class="muted system">/);
    assert.ok(!text.includes('among us'), text);
    assert.ok(!(await shows(asBob, '/ada/lamps/-/issues/1')).text.includes('among us'));
    assert.match((await shows(asAda, '/ada/lamps/-/issues/1')).text, /internal note Keep this among us\./);
  });

  it('resource pages show the open issues of a project, confidential ones only to users who can see them', async () => {
    const { text } = await shows(nobody, '/ada/lamps');
    assert.match(text, /^Lamps All <b>lamps<\/b> public/);
    assert.match(text, /#3 Gate squeaks/);
    assert.doesNotMatch(text, /secret|Lamp <7>/);
    assert.match((await shows(asAda, '/ADA/lamps')).text, /#2 A secret confidential/);
  });

  it('resource pages show the projects and activity of a user that the viewer can see', async () => {
    const { text, html } = await shows(nobody, '/ada');
    assert.match(text, /^ada Example .*@ada/);
    assert.match(text, /Closed #1 Lamp <7> stays dark · Lamps/);
    assert.match(text, /Created the project · Lamps/);
    assert.doesNotMatch(text, /secret|Hidden|among/);
    assert.match(html, /href="\/ada\/lamps\/-\/issues\/1"/);
    const own = (await shows(asAda, '/ada')).text;
    assert.match(own, /Hidden issue · Hidden/);
    assert.match(own, /Commented on #1 Lamp <7> stays dark/);
    assert.match((await shows(nobody, '/bob')).text, /Commented on #1 .* Joined the project · Lamps/);
  });

  it('resource pages show only the name of a private profile', async () => {
    const shy = actor(server.platform, 'shy', { privateProfile: true });
    projectWith(server.platform, shy, { name: 'Diary', visibility: 'public' });
    assert.match((await shows(asBob, '/shy')).text, /^shy Example @shy This profile is private\.$/);
    const own = new PageClient(server);
    await own.signIn('shy');
    assert.match((await shows(own, '/shy')).text, /Diary/);
  });

  it('resource pages look the same for missing and for hidden resources', async () => {
    const pages = await Promise.all(
      ['/ada/hidden', '/ada/nothing', '/ada/hidden/-/issues/1', '/ada/lamps/-/issues/2', '/ada/lamps/-/issues/x', '/nobody'].map(
        async (path) => {
          const response = await asBob.open(path);
          assert.equal(response.status, 404, path);
          return textOf(response.text);
        },
      ),
    );
    assert.equal(new Set(pages).size, 1);
    assert.match(pages[0] ?? '', /^Page not found/);
  });

  it('resource pages redirect from the former path of a renamed project', async () => {
    await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { path: 'lanterns' } });
    const moved = await nobody.open('/ada/lamps/-/issues/1');
    assert.equal(moved.status, 303);
    assert.equal(moved.headers.get('location'), '/ada/lanterns/-/issues/1');
    assert.equal((await nobody.follow(moved)).status, 200);
    assert.equal((await nobody.open('/ada/lamps')).headers.get('location'), '/ada/lanterns');
  });
});
