import assert from 'node:assert/strict';
import { createIssue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

describe('project tabs', () => {
  let server: TestServer;
  let ada: Actor;
  let lamps: FoundProject;
  let [asAda, asGuest, asStranger, nobody]: PageClient[] = [];
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    const guest = actor(server.platform, 'guest');
    actor(server.platform, 'stranger');
    lamps = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[guest, 10]]);
    projectWith(server.platform, ada, { name: 'Hidden' }, [[guest, 10]]);
    [asAda, asGuest, asStranger, nobody] = ['ada', 'guest', 'stranger', undefined].map(() => new PageClient(server));
    await asAda?.signIn('ada');
    await asGuest?.signIn('guest');
    await asStranger?.signIn('stranger');
  });
  afterEach(() => server.close());

  const open = async (client: PageClient | undefined, path: string): Promise<string> => {
    const response = await client?.open(path);
    assert.equal(response?.status, 200, path);
    return response.text;
  };

  const tabsOf = (page: string): ReadonlyMap<string, string> => {
    const [nav = ''] = /<nav class="tabs project".*?<\/nav>/s.exec(page) ?? [];
    return new Map([...nav.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href = '', name = '']) => [name, href]));
  };

  it('every tab of a project leads to a page with the same tabs, also without files', async () => {
    for (const client of [asAda, asGuest, asStranger, nobody]) {
      const tabs = tabsOf(await open(client, '/ada/lamps'));
      assert.ok(tabs.size >= 6, [...tabs.keys()].join());
      for (const [name, path] of tabs) assert.deepEqual(tabsOf(await open(client, path)), tabs, name);
    }
  });

  it('a project shows only the tabs that the permissions of the user open', async () => {
    const names = async (client: PageClient | undefined, path: string): Promise<string> =>
      [...tabsOf(await open(client, path)).keys()].slice(1).join(', ');
    assert.equal(await names(asAda, '/ada/lamps'), 'Activity, Files, Issues, Merge requests, Errors, Releases, Members');
    assert.equal(await names(asStranger, '/ada/lamps'), 'Activity, Files, Issues, Merge requests, Releases, Members');
    assert.equal(await names(nobody, '/ada/lamps'), 'Activity, Files, Issues, Merge requests, Releases');
    assert.equal(await names(asGuest, '/ada/hidden'), 'Activity, Issues, Releases, Members');
    for (const page of ['activity', 'issues', 'project_members']) {
      assert.equal((await asStranger?.open(`/ada/hidden/-/${page}`))?.status, 404, page);
      assert.equal((await nobody?.open(`/ada/hidden/-/${page}`))?.status, 303, page);
    }
  });

  it('the tab of the shown page is marked', async () => {
    assert.match(await open(nobody, '/ada/lamps'), /href="\/ada\/lamps" aria-current="page">Lamps</);
    assert.match(await open(nobody, '/ada/lamps/-/issues'), /href="\/ada\/lamps\/-\/issues" aria-current="page">Issues</);
    createIssue(server.platform, lamps, ada.user, { title: 'Dark' });
    assert.match(await open(nobody, '/ada/lamps/-/issues/1'), /href="\/ada\/lamps\/-\/issues" aria-current="true">Issues</);
  });

  it('the list of issues is filtered by state, paginated, and leaves out what the user cannot see', async () => {
    for (let number = 1; number <= 51; number += 1) createIssue(server.platform, lamps, ada.user, { title: `Lamp ${number}` });
    const closed = createIssue(server.platform, lamps, ada.user, { title: 'Closed lamp' });
    updateIssue(server.platform, lamps, closed, ada.user, { stateEvent: 'close' });
    createIssue(server.platform, lamps, ada.user, { title: 'Secret lamp', confidential: true });
    const path = '/ada/lamps/-/issues';
    const first = await open(nobody, path);
    assert.match(textOf(first), /#51 Lamp 51.*#2 Lamp 2 .*Next page/);
    assert.doesNotMatch(textOf(first), /Closed lamp|Secret lamp|#1 Lamp 1 /);
    assert.match(textOf(await open(nobody, `${path}?page=2`)), /#1 Lamp 1 .*Previous page/);
    assert.match(textOf(await open(nobody, `${path}?state=closed`)), /^Issues Open Closed All #52 Closed lamp closed/);
    const all = await open(asAda, `${path}?state=all`);
    assert.match(textOf(all), /#53 Secret lamp confidential.*#52 Closed lamp closed/);
    assert.match(all, /href="\/ada\/lamps\/-\/issues\?state=all&amp;page=2"/);
    assert.match(textOf(await open(nobody, `${path}?state=nonsense&page=9`)), /No more issues\./);
  });

  it('the list of merge requests is filtered by state', async () => {
    const path = '/ada/lamps/-/merge_requests';
    assert.match(textOf(await open(nobody, path)), /^Merge requests Open Merged Closed All No open merge requests\./);
    assert.match(textOf(await open(nobody, `${path}?state=merged`)), /No merged merge requests\./);
    assert.match(
      await open(nobody, `${path}?state=all`),
      /href="\/ada\/lamps\/-\/merge_requests\?state=all" aria-current="page">All</,
    );
    assert.match(textOf(await open(nobody, `${path}?state=constructor`)), /No open merge requests\./);
  });

  it('milestones are listed by state to those who can see issues or merge requests', async () => {
    createMilestone(server.platform, { kind: 'project', id: lamps.project.id }, ada.user, {
      title: 'Spring',
      dueDate: '2030-04-01',
    });
    assert.match(textOf(await open(nobody, '/ada/lamps/-/milestones')), /^Milestones Open Closed All Spring due 2030-04-01$/);
    assert.match(textOf(await open(nobody, '/ada/lamps/-/milestones?state=closed')), /No closed milestones\./);
  });

  it('members are listed with their roles, for signed-in users only', async () => {
    assert.match(
      textOf(await open(asStranger, '/ada/lamps/-/project_members')),
      /ada Example @ada Owner.*guest Example @guest Guest/,
    );
    const response = await nobody?.open('/ada/lamps/-/project_members');
    assert.equal(response?.status, 303);
    assert.match(response.headers.get('location') ?? '', /^\/users\/sign_in\?return_to=/);
  });
});
