import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isJsonObject } from '../../src/contract/json.ts';
import { openMergeRequest, TITLE } from '../support/host/mergeRequest.ts';
import { inheritLevels } from '../support/host/notificationLevels.ts';
import { picture, pictures } from '../support/host/pictures.ts';
import { ask, DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import {
  documentViolations,
  frameOfDocument,
  openSource,
  renderedDocument,
  untilInView,
  untilRendered,
} from '../support/host/renderedDocument.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { createProject, setStepSeconds, STORAGES, storageOptions } from '../support/host/storages.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { openedTab, THEME_SETTINGS, THEMES, type Theme, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const COMMENT = /^Commented on /;
const ISSUE_COMMENT = /^Commented on #\d+ /;
/** Longer than a screen. */
const DESCRIPTION = [
  '# Why',
  'See #174 and <https://example.com/lamps>. **Amber** carries further than `#fff`.',
  '* one lamp\n* another lamp\n\n| Pier | Lamps |\n|---|---|\n| north | 4 |\n\n> Seen from the ferry?',
  ...Array.from({ length: 40 }, (_, index) => `Lamp ${index + 1} is amber.`),
].join('\n\n');
/** Color beside a text of an editor. */
const COLOR = '.colorpicker-color-decoration';
/** Kinds of the themes as webviews name them. */
const THEME_KINDS: Readonly<Record<Theme, string>> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  contrast: 'vscode-high-contrast',
};

describe('views of an instance', () => {
  let home: string;
  let platform: RunningPlatform;
  /** Number of the merge request that was opened last. */
  let number: number;
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-instance-'));
    platform = await startPlatform('demo', storageOptions(home), path.join(home, 'data'));
    number = await openMergeRequest(platform, DESCRIPTION);
    await inheritLevels(platform);
    await makeAdministrator(platform);
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    await workbench.openContainer();
    await workbench.run('Signalbox: Select Project…');
    await workbench.search('berth-api', 'Berth API');
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.clear();
    await workbench.run('View: Close All Editors');
  });

  it('an activity view opens an issue with its comments as a rendered document, with buttons that open the page and the source', async () => {
    const { page } = workbench;
    const mine = await workbench.openOnly('My Activity');
    await mine.untilRows(
      (rows) => events(rows).length >= 10 && events(rows).some((row) => !COMMENT.test(row.label)),
      'whole feed',
    );
    const comment = await mine.untilRow(({ label }) => ISSUE_COMMENT.test(label), 'a comment');
    const issue = /#\d+/.exec(comment.label)?.[0] ?? '';
    await openRow(mine, comment.label, `.tab[aria-label*="${issue}"][aria-label*=".md"]`);
    const text = await untilRendered(workbench, (all) => all.startsWith(`${issue} `), 'the issue');
    assert.ok(text.includes(' opened by '), text);
    const title = page.locator('.editor-group-container .editor-actions');
    const open = title.getByRole('button', { name: 'Open in Browser', exact: true });
    const issuePage = await openedTab(editor.context, workbench, () => open.click());
    assert.ok(decodeURIComponent(issuePage.url()).endsWith(`/-/issues/${issue.slice(1)}`), issuePage.url());
    await issuePage.close();
    await title.getByRole('button', { name: 'Refresh Document', exact: true }).click();
    await untilRendered(workbench, (all) => all === text, 'the issue, refreshed');

    // Links of documents open like those of rows.
    const link = renderedDocument(workbench)
      .getByRole('link', { name: /\/issues\/\d+$/ })
      .first();
    const address = await link.getAttribute('href');
    const opened = editor.context.waitForEvent('page');
    await link.click();
    const tab = await opened;
    await tab.waitForURL((url) => url.href === address);
    await tab.close();

    await openSource(workbench);
    await until(workbench.visibleLines, ([first = '']) => first.startsWith(`# ${issue} `), 'the source of the issue');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('an activity view opens comments of a project at their place in the merge request or commit, and a push', async () => {
    const project = await workbench.openOnly('Project Activity');
    const comment = await project.untilRow(({ label }) => label.includes(`commented on !${number} `), 'the comment');
    await openRow(project, comment.label, `.tab[aria-label*="!${number} Amber lamps"]`);
    // The comment is far from the beginning.
    await untilInView(workbench, 'p', 'Seen from the ferry.');
    assert.ok((await (await frameOfDocument(workbench)).evaluate(() => scrollY)) > 0);

    const onCommit = await project.untilRow(({ label }) => label.includes('commented on commit'), 'the comment on a commit');
    await openRow(project, onCommit.label, `.tab[aria-label*=" ${TITLE}.md"]`);
    await untilInView(workbench, 'p', 'Brighter than before.');

    const push = await project.untilRow(({ label }) => label.includes('created branch amber-lamps'), 'the push');
    await project.chooseFromRowMenu(push.label, 'Open');
    await untilRendered(workbench, (text) => text.includes('Changed files (1)'), 'the push');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a rendered document can be read in every theme without accessibility violations, stays open after a reload, and its source has no color beside a reference such as #174', async () => {
    const { page } = workbench;
    const project = await workbench.openOnly('Project Activity');
    const row = await project.untilRow(({ label }) => label.includes(`opened !${number} `), 'the merge request');
    await openRow(project, row.label, `.tab.active[aria-label*="!${number} Amber lamps"]`);
    await untilRendered(workbench, (text) => text.startsWith(`!${number} ${TITLE}`), 'the merge request');
    const violations: string[] = [];
    await page.mouse.move(900, 880);
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await renderedDocument(workbench).locator(`body[data-vscode-theme-kind="${THEME_KINDS[theme]}"]`).waitFor();
      const frame = await frameOfDocument(workbench);
      await frame.evaluate(() => scrollTo(0, 0));
      await picture(workbench, `document-${theme}`);
      await frame.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await picture(workbench, `document-end-${theme}`);
      violations.push(...(await documentViolations(workbench)).map((violation) => `${theme}: ${violation}`));
    }
    assert.deepEqual(violations, []);

    // The commit has the same title.
    await workbench.untilSaved(new RegExp(`editorResource.*(?:!|%21)${number} Amber lamps`));
    await workbench.reload();
    await untilRendered(workbench, (text) => text.startsWith(`!${number} ${TITLE}`), 'the merge request after the reload');

    await openSource(workbench);
    await until(workbench.visibleLines, (lines) => lines.some((line) => line.includes('See #174')), 'the reference');
    // VS Code looks for colors with a delay. It has shown the one of a second text only after it has looked at the first one.
    await workbench.run('View: Split Editor Right');
    await workbench.run('File: New Untitled Text File');
    await page.keyboard.type('See #174 there.');
    await page.locator('.editor-instance', { hasText: 'See #174 there.' }).locator(COLOR).waitFor();
    assert.equal(await page.locator(COLOR).count(), 1);
    await workbench.run('View: Revert and Close Editor');
  });

  it('a notification level is inherited with its source, and events are ticked with the mouse and with keys', async () => {
    const { page } = workbench;
    const view = await workbench.openOnly('Notifications');
    await workbench.widenSideBar(560);
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
    await workbench.clickDialogButton('Continue');
    await view.untilRow(
      ({ label, description }) => label === 'Season Plan' && description === 'Custom · was Watch, from group tidemark',
      'custom after a tick',
    );
    await view.untilChecked('Pipeline succeeded', true);
    await pictures(workbench, 'notifications-custom');
    await view.collapseRows();
    await workbench.clear();

    // From here on, only keys are pressed.
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
    // Its first button has the focus.
    assert.match((await workbench.dialog('events of its own')).detail, /events are then on for all threads/);
    await page.keyboard.press('Enter');
    await view.untilRow(
      ({ label, description }) => label === 'Global' && description.startsWith('Custom · was Participating'),
      'custom',
    );
    await view.untilChecked('New release', true);
    await workbench.run('Signalbox: Set Notification Level…');
    await workbench.choose('Global');
    await workbench.choose('Participating');
    await view.untilRow(({ label, description }) => label === 'Global' && description.startsWith('Participating'), 'the level');
  });

  it('a project moves to another storage from the menu of its storage', async () => {
    await setStepSeconds(platform, 0);
    const project = await createProject(platform, 'Buoy lights');
    const storages = await workbench.openOnly('Storages');
    await storages.chooseFromRowMenu('default', 'Move Project to Another Storage…');
    await workbench.search('buoy', 'Buoy lights');
    assert.deepEqual(await workbench.choices(), [...STORAGES, 'Select by weight']);
    await workbench.choose('attic');
    await workbench.untilToast(({ message }) => message === `${project} is now on attic.`, 'the end of the move');
    await storages.untilRow((row) => row.label === 'attic' && row.description === '1 project', 'the new storage');
    const { expanded } = await storages.untilRow(({ label }) => label === 'default', 'the old storage');
    if (expanded === false) await storages.toggleRow('default');
    await storages.untilRow((row) => row.label === project && row.description === 'moved · to attic', 'the move');
    await pictures(workbench, 'storages-moved-one');
  });

  /** Clicks a row until its tab is open: a row that is repainted between the two halves of a click is selected, but not opened. */
  async function openRow(view: View, label: string, tab: string): Promise<void> {
    await until(
      async () => {
        await view.clickRow(label);
        return workbench.page
          .locator(tab)
          .waitFor({ timeout: 5_000 })
          .then(
            () => true,
            () => false,
          );
      },
      (isOpen) => isOpen,
      `the tab of ${label}`,
    );
  }
});

/** Makes the demo user an administrator, who sees the storages. */
async function makeAdministrator(platform: RunningPlatform): Promise<void> {
  const [user] = (await ask(platform, 'GET', `/api/v4/users?username=${DEMO_USER.username}`)) as readonly unknown[];
  assert.ok(isJsonObject(user));
  await ask(platform, 'PUT', `/api/v4/users/${String(user['id'])}`, { admin: true });
}

function events(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ level }) => level === 2);
}
