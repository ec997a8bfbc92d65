import assert from 'node:assert/strict';
import { createEpic } from '../../../server/features/epics/manageEpics.ts';
import { findGroup } from '../../../server/features/groups/access.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Actor, actor } from '../projects/cast.ts';

describe('tabs of groups', () => {
  const open = async (client: PageClient, path: string): Promise<string> => {
    const response = await client.open(path);
    assert.equal(response.status, 200, path);
    return response.text;
  };
  const tabsOf = (page: string): ReadonlyMap<string, string> => {
    const [nav = ''] = /<nav class="tabs project" aria-label="Group".*?<\/nav>/s.exec(page) ?? [];
    return new Map([...nav.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href = '', name = '']) => [name, href]));
  };
  const fill = (server: TestServer): Actor => {
    const ada = actor(server.platform, 'ada');
    createGroup(server.platform, ada.user, { name: 'Keepers', path: 'keepers', visibility: 'public' });
    return ada;
  };

  it('every page of a group has the same tabs, and each leads to a page', async () => {
    await using server = await startTestServer();
    const ada = fill(server);
    const keepers = findGroup(server.platform, 'keepers', { user: ada.user });
    assert.ok(keepers);
    createEpic(server.platform, keepers, ada.user, { title: 'Dry feet' });
    createMilestone(server.platform, { kind: 'group', id: keepers.group.id }, ada.user, { title: 'Spring' });
    const [asAda, nobody] = [new PageClient(server), new PageClient(server)];
    await asAda.signIn('ada');
    for (const [client, names] of [
      [asAda, ['Keepers', 'Epics', 'Milestones', 'Members']],
      [nobody, ['Keepers', 'Epics', 'Milestones']],
    ] as const) {
      const tabs = tabsOf(await open(client, '/keepers'));
      assert.deepEqual([...tabs.keys()], names);
      const pages = [...tabs.values(), '/groups/keepers/-/epics/1', '/groups/keepers/-/milestones/1'];
      for (const path of pages) assert.deepEqual(tabsOf(await open(client, path)), tabs, path);
    }
    assert.match(
      textOf(await open(nobody, '/groups/keepers/-/epics')),
      /^Epics Open Closed All &1 Dry feet less than a minute ago$/,
    );
    assert.match(textOf(await open(nobody, '/groups/keepers/-/epics?state=closed')), /No closed epics\./);
    assert.match(textOf(await open(nobody, '/groups/keepers/-/milestones')), /^Milestones Open Closed All Spring$/);
    assert.match(textOf(await open(asAda, '/groups/keepers/-/group_members')), /^Members ada Example @ada Owner/);
    assert.match(
      await open(nobody, '/groups/keepers/-/epics/1'),
      /href="\/groups\/keepers\/-\/epics" aria-current="true">Epics</,
    );
    assert.equal((await nobody.open('/groups/keepers/-/group_members')).status, 303);
  });

  it('a tier without epics has no tab for them', async () => {
    await using server = await startTestServer({ profile: { tier: 'free' } });
    fill(server);
    const nobody = new PageClient(server);
    assert.deepEqual([...tabsOf(await open(nobody, '/groups/keepers')).keys()], ['Keepers', 'Milestones']);
    assert.equal((await nobody.open('/groups/keepers/-/epics')).status, 404);
  });
});
