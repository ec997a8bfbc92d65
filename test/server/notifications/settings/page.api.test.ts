import assert from 'node:assert/strict';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { addEmail } from '../../../../server/features/emails/manageEmails.ts';
import { findSetting, updateSetting } from '../../../../server/features/notificationSettings/notificationSettings.ts';
import { createProject } from '../../../../server/features/projects/manageProjects.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { formsOf, PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';

const page = '/-/profile/notifications';

describe('page of the notification settings', () => {
  let server: TestServer;
  let ada: Actor;
  let person: PageClient;
  let group: { readonly id: number };
  let project: { readonly id: number };
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    group = createGroup(platform, ada.user, { name: 'Lamps', path: 'lamps' }).group;
    ({ project } = projectWith(platform, ada, { name: 'Signals', path: 'signals', namespaceId: group.id }));
    person = new PageClient(server);
    await person.signIn('ada');
  });
  afterEach(() => server.close());

  const send = async (action: string, fields: Readonly<Record<string, string>>): Promise<TestResponse> =>
    person.follow(await person.submit(await person.open(page), action, fields));
  const ofProject = (): string => `${page}/projects/${project.id}`;
  const ofGroup = (): string => `${page}/groups/${group.id}`;

  it('the page requires a sign-in, and the earlier address leads to it', async () => {
    const anonymous = await new PageClient(server).open(page);
    assert.equal(anonymous.headers.get('location'), `/users/sign_in?return_to=${encodeURIComponent(page)}`);
    const earlier = await person.open('/profile/notifications');
    assert.equal(earlier.headers.get('location'), page);
    assert.match((await person.open('/user_settings/profile')).text, /<a href="\/-\/profile\/notifications"/);
  });

  it('the global level, the address and own activity are changed', async () => {
    addEmail(server.platform, ada.user, { address: 'ada@work.example', isConfirmed: true });
    addEmail(server.platform, ada.user, { address: 'ada@home.example' });
    const before = await person.open(page);
    assert.match(before.text, /<option value="ada@work\.example"/);
    assert.ok(!before.text.includes('ada@home.example'));
    const after = await send(page, { level: 'watch', notification_email: 'ada@work.example', own_activity: '1' });
    assert.match(textOf(after.text), /Notification settings saved\./);
    const setting = findSetting(server.platform, ada.user, { kind: 'global' });
    assert.deepEqual(setting, { level: 'watch', switches: {}, email: 'ada@work.example', ownActivity: true });
    await send(page, { level: 'mention', notification_email: 'ada@example.com', own_activity: '0' });
    assert.deepEqual(findSetting(server.platform, ada.user, { kind: 'global' }), {
      level: 'mention',
      switches: {},
      email: null,
      ownActivity: false,
    });
  });

  it('an unknown level and an unconfirmed address are not saved', async () => {
    for (const fields of [
      { level: 'loud', notification_email: 'ada@example.com' },
      { level: 'watch', notification_email: 'rita@example.com' },
    ]) {
      assert.match(textOf((await send(page, fields)).text), /The settings were not saved/);
    }
    assert.match(textOf((await send(ofProject(), { level: 'loud' })).text), /The settings were not saved/);
    assert.deepEqual(server.platform.store.all('SELECT 1 FROM notification_settings'), []);
  });

  it('each group and project shows the level that applies and where it comes from', async () => {
    const text = async (): Promise<string> => textOf((await person.open(page)).text);
    assert.match(await text(), /lamps\/signals project Participate: .* It comes from your global settings\./);
    await send(ofGroup(), { level: 'watch' });
    assert.match(await text(), /lamps group Watch: most activity\. It is set here\./);
    assert.match(await text(), /lamps\/signals project Watch: most activity\. It comes from the group lamps\./);
    await send(ofProject(), { level: 'disabled' });
    assert.match(await text(), /lamps\/signals project Disabled: nothing\. It is set here\./);
    await send(ofGroup(), { level: 'global' });
    await send(ofProject(), { level: 'global' });
    updateSetting(server.platform, ada.user, { kind: 'global' }, { level: 'global' });
    assert.match(await text(), /lamps\/signals project Global: nothing\. It comes from your global settings\./);
  });

  it('level custom shows the events, and only changed ones are stored', async () => {
    const custom = await send(ofProject(), { level: 'custom' });
    assert.match(custom.text, /<details class="events" open/);
    const events = formsOf(custom.text).find(({ action, fields }) => action === ofProject() && 'with_events' in fields);
    assert.ok(events);
    assert.equal(events.fields['events[failed_pipeline]'], '1');
    assert.equal(events.fields['events[new_note]'], undefined);
    const { 'events[fixed_pipeline]': _, ...fields } = events.fields;
    await person.post(ofProject(), { ...fields, 'events[new_note]': '1' });
    const { switches } = findSetting(server.platform, ada.user, { kind: 'project', id: project.id });
    assert.deepEqual(switches, { new_note: true, fixed_pipeline: false });
  });

  it('level custom of the account has events, too', async () => {
    const custom = await send(page, { level: 'custom', notification_email: 'ada@example.com' });
    const events = formsOf(custom.text).find(({ action, fields }) => action === page && 'with_events' in fields);
    assert.ok(events);
    await person.post(page, { ...events.fields, 'events[approver]': '1' });
    assert.deepEqual(findSetting(server.platform, ada.user, { kind: 'global' }).switches, { approver: true });
  });

  it('thousands of projects are paged and searched, and saving returns to the same place', async () => {
    const { store } = server.platform;
    store.transaction(() => {
      for (let count = 1000; count < 1045; count += 1) {
        createProject(server.platform, ada.user, { name: `Mast ${count}`, path: `mast-${count}` });
      }
    });
    const first = await person.open(page);
    assert.match(first.text, /mast-1000/);
    assert.ok(!first.text.includes('mast-1030'));
    assert.match(first.text, /href="\/-\/profile\/notifications\?page=2#memberships"/);
    const third = await person.open(`${page}?page=3`);
    assert.match(third.text, /lamps\/signals/);
    assert.ok(!third.text.includes('rel="next"'));
    const found = await person.open(`${page}?search=MAST-103`);
    assert.equal(found.text.match(/<li id="project-/g)?.length, 10);
    const form = formsOf(found.text).find(({ action }) => action.startsWith(`${page}/projects/`));
    const saved = await person.post(form?.action ?? '', { ...form?.fields, level: 'watch' });
    assert.match(saved.headers.get('location') ?? '', /^\/-\/profile\/notifications\?search=MAST-103&done=1#project-\d+$/);
    assert.match(textOf((await person.open(`${page}?search=%25`)).text), /No group or project matches\./);
  });

  it('a group or project that the user cannot see is not found', async () => {
    const rita = actor(server.platform, 'rita');
    const hidden = projectWith(server.platform, rita, { name: 'Hidden' });
    const token = formsOf((await person.open(page)).text)[0]?.fields['authenticity_token'] ?? '';
    for (const path of [`projects/${hidden.project.id}`, 'projects/4711', 'groups/4711', 'groups/x']) {
      const response = await person.post(`${page}/${path}`, { authenticity_token: token, level: 'watch' });
      assert.equal(response.status, 404, path);
    }
  });
});
