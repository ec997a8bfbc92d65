import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { CONTAINER, type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { openWorkbench, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const ALL = 'Activity in All My Projects';
/** A second demo user with some of the same projects. */
const OTHER_USER = 'mei';
/** A project of both users. */
const PROJECT = 'Berth API';
const ISSUE = /^@\S+ opened #\d+ /;
const COMMENT = /^@\S+ commented on /;

describe('two windows with different instances', () => {
  let one: RunningPlatform;
  let two: RunningPlatform;
  let editor: Editor;
  let first: Workbench;
  let second: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-instances-'));
    [one, two] = await Promise.all([startPlatform(), startPlatform()]);
    await Promise.all([one.createIssue(PROJECT, 'Only on the first'), two.createIssue(PROJECT, 'Only on the second')]);
    const userSettings = { 'signalbox.instances': [{ url: one.origin }, { url: two.origin }] };
    editor = await openEditor({ userSettings });
    first = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await Promise.all([one?.close(), two?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('two windows with different instances each have their own account, keep it regardless of the other window, and restore everything after switching and reloading', async () => {
    await signIn(first, one, DEMO_USER.username);
    // The browser passes secrets to a window only when it opens.
    await first.untilSaved(/"auth\.sessions":\[[^\]]*"http:\/\//);
    const url = new URL(editor.host.url);
    url.searchParams.set('folder', folder);
    second = await openWorkbench(editor.context, url.href, CONTAINER);
    await second.untilStatus(STATUS, isOn(DEMO_USER.username, one), 'starts with the last selected instance');
    await signIn(second, two, OTHER_USER);

    const ofFirst = await showAll(first);
    const ofSecond = await showAll(second);
    const onlyOf = async (view: View, title: string): Promise<void> => {
      assert.deepEqual(titles(await view.untilRows((rows) => titles(rows).length > 0, 'the new issue')), [title]);
    };
    await onlyOf(ofFirst, 'Only on the first');
    await onlyOf(ofSecond, 'Only on the second');

    await first.run('Signalbox: Filter Activity…');
    await first.choose('Action');
    await first.tickChoice('comments');
    await first.page.keyboard.press('Enter');
    const description = ofFirst.pane.locator('.pane-header .description');
    await until(
      () => description.innerText(),
      (text) => text.endsWith(' · comments'),
      'filtered',
    );
    await ofFirst.untilRows(
      (rows) => rows.some(({ level }) => level === 2) && rows.every(({ level, label }) => level !== 2 || COMMENT.test(label)),
      'comments',
    );
    const chosen = await ofFirst.untilRow(({ level }) => level === 2, 'a comment');
    await ofFirst.clickRow(chosen.label);
    await until(ofFirst.selectedLabels, (labels) => isDeepStrictEqual(labels, [chosen.label]), 'selected');
    await selectInstance(first, 'Local server');
    await first.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    await selectInstance(first, one.label);
    await until(ofFirst.selectedLabels, (labels) => isDeepStrictEqual(labels, [chosen.label]), 'the row is selected again');
    // Rows of days without comments may be listed until the filtered activity is complete.
    const day = await ofFirst.untilRow(({ level }) => level === 1, 'a day');
    await ofFirst.toggleRow(day.label);
    await ofFirst.untilRow(({ label, expanded }) => label === day.label && expanded === false, 'a closed day');

    await selectInstance(first, 'Local server');
    await first.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    // The window refreshes, which is when it would notice that another window has selected another instance.
    await two.createIssue(PROJECT, 'Second again');
    await second.run('Signalbox: Refresh Activity');
    await second.view(ALL).untilRows((rows) => titles(rows).includes('Second again'), 'its own instance is unchanged');
    await second.untilStatus(STATUS, isOn(OTHER_USER, two), 'still on its own instance');

    await selectInstance(first, one.label);
    await first.untilStatus(STATUS, isOn(DEMO_USER.username, one), 'back');
    const again = first.view(ALL);
    await again.untilRow(({ label, expanded }) => label === day.label && expanded === false, 'the day is still closed');
    assert.match(await description.innerText(), / · comments$/);

    await first.untilSaved(new RegExp(`^(?=.*"activity\\.closed)(?=.*"instances\\.current":"${one.origin}")`, 's'));
    await first.reload();
    await first.untilStatus(STATUS, isOn(DEMO_USER.username, one), 'the same after a reload');
    await first.openContainer();
    await again.untilRow(({ label, expanded }) => label === day.label && expanded === false, 'the day is closed after a reload');
    assert.match(await description.innerText(), / · comments$/);
    await second.untilStatus(STATUS, isOn(OTHER_USER, two), 'the other window is unchanged');

    // The second window knows the first account as well because it started with it.
    await first.run('Signalbox: Sign Out');
    await first.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await selectInstance(second, one.label);
    await second.untilStatus(STATUS, (text) => /signed out|sign in again/.test(text), 'the other window sees it');
    await selectInstance(second, two.label);
    await second.untilStatus(STATUS, isOn(OTHER_USER, two), 'the other account is still signed in');
    for (const window of [first, second]) {
      assert.deepEqual(await window.toasts(), []);
      assert.equal(await window.countDialogs(), 0);
    }
  });

  async function signIn(workbench: Workbench, platform: RunningPlatform, username: string): Promise<void> {
    await workbench.page.bringToFront();
    await selectInstance(workbench, platform.label);
    await workbench.untilStatus(STATUS, (text, spoken) => spoken.includes(platform.label), 'selected');
    await signInAs(workbench, editor.context, platform, username);
    await workbench.untilStatus(STATUS, isOn(username, platform), 'signed in');
  }
});

async function showAll(workbench: Workbench): Promise<View> {
  await workbench.page.bringToFront();
  await workbench.openView('My Activity');
  await workbench.run('Signalbox: Show Activity in All My Projects');
  return workbench.view(ALL);
}

function isOn(username: string, { label }: RunningPlatform): (text: string) => boolean {
  return (text) => text.includes(`@${username}`) && text.includes(label);
}

/** Titles of the issues opened since the demo data was created; those of the demo data are older than the first page. */
function titles(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ label }) => (/\bonly on\b|\bagain$/i.test(label) ? [label.replace(ISSUE, '')] : []));
}
