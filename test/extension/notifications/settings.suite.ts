import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../../../src/contract/json.ts';
import { inheritLevels } from '../../support/host/notificationLevels.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { globalStorageFolder, start } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const PROFILE = 'signalbox.notificationProfile';
/** Level of groups and projects at the start of each test. */
const INHERITED = 'Participating, from your global setting';

/** Returns the row with this label. */
const rowOf = (rows: readonly Row[], label: string): Row | undefined => rows.find((row) => row.label === label);

describe('notification settings in their view', () => {
  let platform: RunningPlatform;
  let view: View;
  before(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
    view = await workbench.openView('Notifications');
    await view.untilRow(({ label }) => label === 'Tidemark', 'groups');
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });

  beforeEach(async () => {
    // Each test starts with the same settings, whichever ran before.
    await workbench.clear();
    if (await workbench.hasStatus(PROFILE)) await workbench.run('Signalbox: End Timed Notification Profile');
    await until(
      () => workbench.hasStatus(PROFILE),
      (isShown) => !isShown,
      'no profile in the status bar',
    );
    await inheritLevels(platform);
    await workbench.run('Signalbox: Refresh Notification Settings');
    await collapseAll();
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === INHERITED, 'the initial settings');
    for (const { label } of (await view.rows()).filter(({ icon }) => icon === 'pinned')) {
      await view.clickRowAction(label, 'Unpin in Notifications…');
      await view.untilRows((rows) => rowOf(rows, label) === undefined, `${label} unpinned`);
    }
  });

  async function setLevel(label: string, level: string): Promise<void> {
    await view.clickRowAction(label, 'Set Notification Level…');
    await workbench.choose(level);
  }

  it('a level is set, inherited with its source, and an event that is ticked makes it custom until that is undone', async () => {
    await setLevel('Global', 'Participating');
    await view.untilRow(
      ({ label, description }) => label === 'Global' && description.startsWith('Participating'),
      'the global level',
    );
    await setLevel('Tidemark', 'Watch');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === 'Watch', 'the level of the group');
    await view.toggleRow('Tidemark');
    const project = await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Watch, from group tidemark',
      'the inherited level with its source',
    );
    assert.equal(project.name, 'project, Season Plan, Watch, from group tidemark');

    await view.toggleRow('Season Plan');
    await view.untilRow(
      ({ label, description }) => label === 'New comment' && description === 'On, from group tidemark',
      'the events',
    );
    await view.untilChecked('New comment', true);
    await view.untilChecked('Pipeline succeeded', false);
    await view.clickCheckbox('Pipeline succeeded');
    const { message, detail } = await workbench.dialog('events of its own');
    assert.equal(message, 'Give tidemark/season-plan events of its own?');
    assert.match(detail, /^Its level becomes Custom\. 20 events are then on for all threads/);
    await workbench.cancelDialog();
    await view.untilChecked('Pipeline succeeded', false);
    await view.clickCheckbox('Pipeline succeeded');
    await workbench.clickDialogButton('Continue');
    await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Custom · was Watch, from group tidemark',
      'custom after a tick',
    );
    await view.untilChecked('Pipeline succeeded', true);
    await view.untilChecked('New comment', true);

    await view.chooseFromRowMenu('New release', 'Reset to Default');
    await view.untilRow(({ label, description }) => label === 'New release' && description === 'Default (off)', 'the default');
    await view.untilChecked('New release', false);
    await workbench.run('Signalbox: Undo Last Notification Change');
    await view.untilChecked('New release', true);

    await workbench.clear();
    await workbench.reload();
    await view.open();
    await workbench.run('Signalbox: Undo Last Notification Change');
    await view.untilRow(({ label }) => label === 'Tidemark', 'the rows after a reload');
    if (!(await view.rows()).some(({ label }) => label === 'Season Plan')) await view.toggleRow('Tidemark');
    await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Watch, from group tidemark',
      'inherited again',
    );
    if (!(await view.rows()).some(({ label }) => label === 'Pipeline succeeded')) await view.toggleRow('Season Plan');
    await view.untilChecked('Pipeline succeeded', false);
    await view.toggleRow('Season Plan');
    await workbench.clear();
  });

  it('settings are copied to several projects after the differences were shown, and undone together', async () => {
    await setLevel('Tidemark', 'Watch');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === 'Watch', 'the level of the group');
    await view.toggleRow('Tidemark');
    await view.chooseFromRowMenu('Tidemark', 'Copy Notification Settings to…');
    await until(workbench.choices, (labels) => labels.includes('Season Plan') && labels.includes('Berth API'), 'targets');
    for (const label of ['Season Plan', 'Berth API']) await workbench.tickChoice(label);
    await workbench.accept();
    await until(
      workbench.entries,
      (entries) =>
        JSON.stringify(entries.map(({ label, detail }) => [label, detail]).toSorted()) ===
        JSON.stringify([
          ['amara/berth-api', 'Inherited → Watch'],
          ['tidemark/season-plan', 'Inherited → Watch'],
        ]),
      'the differences',
    );
    await workbench.accept();
    await workbench.untilToast(({ message }) => message === 'Notification settings copied to 2 groups and projects.', 'copied');
    await view.untilRow(({ label, description }) => label === 'Season Plan' && description === 'Watch', 'copied');
    await workbench.clickToast('Notification settings copied', 'Undo');
    await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Watch, from group tidemark',
      'undone',
    );
    await workbench.clear();
  });

  it('projects are found by a search and pinned to the top', async () => {
    await view.clickTitleAction('Search Notification Settings…');
    await workbench.fillInput('berth');
    await view.untilRows((rows) => rows.length > 0 && rows.every(({ label }) => /berth/.test(label)), 'results');
    await view.clickRowAction('amara/berth-api', 'Pin in Notifications…');
    await view.clickTitleAction('Clear Search of Notification Settings');
    const rows = await view.untilRows(
      (all) => all[0]?.label === 'Global' && rowOf(all, 'amara/berth-api')?.icon === 'pinned',
      'the pinned project',
    );
    assert.deepEqual(
      rows.slice(0, 2).map(({ label }) => label),
      ['Global', 'amara/berth-api'],
    );
    await view.clickRowAction('amara/berth-api', 'Unpin in Notifications…');
    await view.untilRows((all) => rowOf(all, 'amara/berth-api') === undefined, 'unpinned');
  });

  it('a timed profile shows in the status bar and restores the settings at the next start, although its end has passed', async () => {
    await workbench.run('Signalbox: Pin in Notifications…');
    await workbench.search('berth-api', 'Berth API');
    await view.untilRow(({ label }) => label === 'amara/berth-api', 'the pinned project');
    await workbench.run('Signalbox: Start Timed Notification Profile…');
    await workbench.choose('Mentions only');
    await workbench.choose('Global level and pinned groups and projects');
    await workbench.choose('For 1 hour');
    await workbench.untilStatus(PROFILE, (text) => text.startsWith('Mentions only until '), 'the profile');
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('On Mention'), 'the profile');
    await view.untilRow(({ label, description }) => label === 'amara/berth-api' && description === 'On Mention', 'the pin');

    await workbench.reload();
    await workbench.untilStatus(PROFILE, (text) => text.startsWith('Mentions only until'), 'still on after a restart');

    const folder = globalStorageFolder();
    const [file, ...others] = globSync('**/notificationProfiles/*.json', { cwd: folder });
    assert.ok(file !== undefined && others.length === 0);
    const location = path.join(folder, file);
    const stored: unknown = JSON.parse(readFileSync(location, 'utf8'));
    assert.ok(isJsonObject(stored));
    writeFileSync(location, JSON.stringify({ ...stored, until: Date.now() - 3_600_000 }));
    await workbench.reload();
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Participating'), 'restored');
    await view.untilRow(
      ({ label, description }) => label === 'amara/berth-api' && description === 'Participating, from your global setting',
      'the pinned project restored',
    );
    await until(
      () => workbench.hasStatus(PROFILE),
      (isShown) => !isShown,
      'no profile in the status bar',
    );
    await view.clickRowAction('amara/berth-api', 'Unpin in Notifications…');
  });

  it('a timed profile is ended by a click on the status bar', async () => {
    await workbench.run('Signalbox: Start Timed Notification Profile…');
    await workbench.choose('No notifications');
    await workbench.choose('Until another time…');
    await workbench.fillInput('90m');
    await workbench.untilStatus(PROFILE, (text) => text.startsWith('No notifications until'), 'the profile');
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Disabled'), 'disabled');
    await workbench.clickStatus(PROFILE);
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Participating'), 'restored');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('events are selected in one list, saved as a profile, and the profile is started and ended', async () => {
    await view.chooseFromRowMenu('Tidemark', 'Select Notification Events…');
    await workbench.tickChoice('Pipeline succeeded');
    await workbench.accept();
    await view.untilRow(
      ({ label, description }) => label === 'Tidemark' && description === `Custom · was ${INHERITED}`,
      'the events of the group',
    );
    await view.clickRowAction('Tidemark', 'Pin in Notifications…');
    await view.untilRow(({ label }) => label === 'tidemark', 'the pinned group');
    await workbench.run('Signalbox: Save Notification Profile…');
    await workbench.fillInput('Evening');
    await view.chooseFromRowMenu('Tidemark', 'Inherit Notification Settings…');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === INHERITED, 'inherited');

    await workbench.run('Signalbox: Start Timed Notification Profile…');
    await workbench.choose('Evening');
    await workbench.choose('For 1 hour');
    await workbench.untilStatus(PROFILE, (text) => text.startsWith('Evening until '), 'the profile');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === 'Custom', 'the saved events');
    await workbench.run('Signalbox: End Timed Notification Profile');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === INHERITED, 'restored');
    await workbench.run('Signalbox: Delete Notification Profile…');
    await workbench.choose('Evening');
    await view.clickRowAction('tidemark', 'Unpin in Notifications…');
    await view.untilRows((rows) => rowOf(rows, 'tidemark') === undefined, 'unpinned');
    assert.deepEqual(await workbench.toasts(), []);
  });

  async function collapseAll(): Promise<void> {
    for (const { label } of (await view.rows()).filter(({ expanded, level }) => expanded === true && level === 1))
      await view.toggleRow(label);
  }
});
