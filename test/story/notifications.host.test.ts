import assert from 'node:assert/strict';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const PROFILE = 'signalbox.notificationProfile';
describe('notification settings in the editor', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  before(async () => {
    platform = await startPlatform();
    for (const [scope, level] of [
      ['', 'participating'],
      ['/groups/tidemark', 'global'],
      [`/projects/${encodeURIComponent('tidemark/season-plan')}`, 'global'],
    ])
      await platform.putAs(DEMO_USER.username, `/api/v4${scope}/notification_settings`, { level });
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
    await workbench.openView('My Activity');
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    await workbench.widenSideBar(560);
    for (const other of ['My Activity', 'Project Activity', 'Tracked Errors']) await workbench.view(other).collapse();
    view = await workbench.openView('Notifications');
    await view.untilRow(({ label }) => label === 'Tidemark', 'groups');
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(() => workbench.clear());

  beforeEach(() => view.collapseRows());

  it('a level is set and inherited with its source, and an event that is ticked makes it custom', async () => {
    await view.clickRowAction('Tidemark', 'Set Notification Level…');
    await workbench.choose('Watch');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === 'Watch', 'the level of the group');
    await view.toggleRow('Tidemark');
    const project = await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Watch, from group tidemark',
      'the inherited level with its source',
    );
    assert.equal(project.name, 'project, Season Plan, Watch, from group tidemark');
    await pictures(workbench, 'notifications-groups');
    await view.toggleRow('Season Plan');
    await view.untilChecked('New comment', true);
    await view.untilChecked('Pipeline succeeded', false);
    await view.clickCheckbox('Pipeline succeeded');
    await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Custom · was Watch, from group tidemark',
      'custom after a tick',
    );
    await view.untilChecked('Pipeline succeeded', true);
    await pictures(workbench, 'notifications-custom');
    await view.toggleRow('Season Plan');
    await view.toggleRow('Tidemark');
  });

  it('a user with a keyboard only ticks an event and sets a level', async () => {
    const { page } = workbench;
    await workbench.run('Signalbox: Focus on Notifications View');
    // The view may be painted again at any time, and then it ignores a key.
    await until(
      async () => {
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowRight');
        return view.rows();
      },
      (rows) => rows.some(({ label }) => label === 'New comment'),
      'global events',
    );
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await view.untilChecked('New release', false);
    await page.keyboard.press('Space');
    await view.untilRow(
      ({ label, description }) => label === 'Global' && description.startsWith('Custom · was Participating'),
      'custom',
    );
    await view.untilChecked('New release', true);
    await workbench.clear();
    await workbench.run('Signalbox: Set Notification Level…');
    await workbench.choose('Global');
    await workbench.choose('Participating');
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Participating'), 'the level');
  });
});

describe('notification settings in German', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ language: 'de', userSettings: THEME_SETTINGS });
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a user whose VS Code is in German sees German levels, sources, events and profiles', async () => {
    const { workbench } = editor;
    const view = await workbench.openView('Benachrichtigungen');
    await view.untilWelcome(
      (text) => text.startsWith('Hier erscheinen Ihre Benachrichtigungseinstellungen'),
      'the server is stopped',
    );
    await workbench.run('Signalbox: Lokalen Server starten');
    await view.untilWelcome((text) => text.includes('Melden Sie sich dazu an'), 'signed out');
    await workbench.run('Signalbox: Als Demobenutzer anmelden…');
    await workbench.choose(DEMO_USER.name);
    await workbench.widenSideBar(560);
    await workbench.view('Meine Aktivität').collapse();
    await workbench.view('Projektaktivität').collapse();
    await view.untilRow(({ label }) => label === 'Tidemark', 'groups');
    await view.clickRowAction('Global', 'Benachrichtigungsstufe festlegen…');
    await workbench.choose('Beobachten');
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Beobachten'), 'the level');
    await view.toggleRow('Global');
    await view.untilRow(({ label, description }) => label === 'Neuer Kommentar' && description === 'Ein', 'an event');
    await workbench.run('Signalbox: Befristetes Benachrichtigungsprofil starten…');
    await workbench.choose('Nur Erwähnungen');
    await workbench.choose('1 Stunde lang');
    await workbench.untilStatus(PROFILE, (text) => text.startsWith('Nur Erwähnungen bis '), 'the profile');
    await pictures(workbench, 'notifications-german');
    await workbench.run('Signalbox: Befristetes Benachrichtigungsprofil beenden');
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Beobachten'), 'restored');
    assert.deepEqual(await workbench.toasts(), []);
  });
});
