import assert from 'node:assert/strict';
import { readCommit } from '../../src/contract/changes.ts';
import { readMergeRequest } from '../../src/contract/mergeRequests.ts';
import { picture } from '../support/host/pictures.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import {
  documentViolations,
  frameOfDocument,
  openSource,
  renderedDocument,
  untilInView,
  untilRendered,
} from '../support/host/renderedDocument.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { THEME_SETTINGS, THEMES, type Theme, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** Titles of the view in its two modes: the user's own activity, and activity in all projects. */
const MINE = 'My Activity';
const COMMENT = /^Commented on /;
const ISSUE_COMMENT = /^Commented on #\d+ /;
const TITLE = 'Amber lamps at the pier';
/** Longer than a screen. */
const DESCRIPTION = [
  '# Why',
  'See #174 and <https://example.com/lamps>. **Amber** carries further than `#fff`.',
  '* one lamp\n* another lamp\n\n| Pier | Lamps |\n|---|---|\n| north | 4 |\n\n> Seen from the ferry?',
  ...Array.from({ length: 40 }, (_, index) => `Lamp ${index + 1} is amber.`),
].join('\n\n');
/** Kinds of the themes as webviews name them. */
const THEME_KINDS: Readonly<Record<Theme, string>> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  contrast: 'vscode-high-contrast',
};

describe('the activity views', () => {
  let platform: RunningPlatform;
  /** Number of the merge request that was opened last. */
  let number: number;
  let editor: Editor;
  let workbench: Workbench;
  let mine: View;
  before(async () => {
    platform = await startPlatform();
    number = await openMergeRequest(platform);
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    mine = await workbench.openView(MINE);
    await workbench.run('Signalbox: Select Project…');
    await workbench.search('berth-api', 'Berth API');
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
  });
  beforeEach(async () => {
    await mine.untilRows(
      (rows) => events(rows).length >= 10 && events(rows).some((row) => !COMMENT.test(row.label)),
      'whole feed',
    );
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('an activity view opens an issue with its comments as a rendered document, with buttons that open the page and the source', async () => {
    const comment = await mine.untilRow(({ label }) => ISSUE_COMMENT.test(label), 'a comment');
    await mine.clickRow(comment.label);
    const { page } = workbench;
    const number = /#\d+/.exec(comment.label)?.[0] ?? '';
    await page.locator(`.tab[aria-label*="${number}"][aria-label*=".md"]`).waitFor();
    const text = await untilRendered(workbench, (all) => all.startsWith(`${number} `), 'the issue');
    assert.ok(text.includes(' opened by '), text);
    const title = page.locator('.editor-group-container .editor-actions');
    await title.getByRole('button', { name: 'Open in Browser', exact: true }).waitFor();
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
    await until(workbench.visibleLines, ([first = '']) => first.startsWith(`# ${number} `), 'the source of the issue');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('an activity view opens comments of a project at their place in the merge request or commit, and a push', async () => {
    const { page } = workbench;
    const project = await workbench.openView('Project Activity');
    const comment = await project.untilRow(({ label }) => label.includes(`commented on !${number} `), 'the comment');
    await project.clickRow(comment.label);
    await page.locator(`.tab[aria-label*="!${number} Amber lamps"]`).waitFor();
    // The comment is far from the beginning.
    await untilInView(workbench, 'p', 'Seen from the ferry.');
    assert.ok((await (await frameOfDocument(workbench)).evaluate(() => scrollY)) > 0);

    const onCommit = await project.untilRow(({ label }) => label.includes('commented on commit'), 'the comment on a commit');
    await project.clickRow(onCommit.label);
    await page.locator(`.tab[aria-label*=" ${TITLE}.md"]`).waitFor();
    await untilInView(workbench, 'p', 'Brighter than before.');

    const push = await project.untilRow(({ label }) => label.includes('created branch amber-lamps'), 'the push');
    await project.chooseFromRowMenu(push.label, 'Open');
    await untilRendered(workbench, (text) => text.includes('Changed files (1)'), 'the push');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a rendered document can be read in every theme without accessibility violations, and stays open after a reload', async () => {
    await openMergeRequestDocument();
    const violations: string[] = [];
    await workbench.page.mouse.move(900, 880);
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
  });

  it('the source of a document has no color beside a reference such as #174', async () => {
    const { page } = workbench;
    const colors = page.locator('.editor-instance .colorpicker-color-decoration');
    await openMergeRequestDocument();
    await openSource(workbench);
    await until(workbench.visibleLines, (lines) => lines.some((line) => line.includes('See #174')), 'the reference');
    assert.equal(await colors.count(), 0);
    // VS Code looks for colors with a delay. It has shown the one of a second text only after it has looked at the first one.
    await workbench.run('View: Split Editor Right');
    await workbench.run('File: New Untitled Text File');
    await page.keyboard.type('See #174 there.');
    await colors.first().waitFor();
    assert.equal(await colors.count(), 1);
    await workbench.run('View: Revert and Close Editor');
    await workbench.run('View: Close All Editors');
  });

  async function openMergeRequestDocument(): Promise<void> {
    const project = await workbench.openView('Project Activity');
    const opened = await project.untilRow(({ label }) => label.includes(`opened !${number} `), 'the merge request');
    // A row that is repainted between the two halves of a click is selected, but not opened.
    await until(
      async () => {
        await project.clickRow(opened.label);
        return workbench.page
          .locator(`.tab.active[aria-label*="!${number} Amber lamps"]`)
          .waitFor({ timeout: 5_000 })
          .then(
            () => true,
            () => false,
          );
      },
      (isOpen) => isOpen,
      'the tab of the merge request',
    );
    await untilRendered(workbench, (text) => text.startsWith(`!${number} ${TITLE}`), 'the merge request');
  }
});

/**
 * As the demo user, creates a branch with a commit, a merge request for it and comments on both. Returns the number of the merge request.
 */
async function openMergeRequest({ origin, adminToken }: RunningPlatform): Promise<number> {
  const send = async (resource: string, body: object): Promise<unknown> => {
    const response = await fetch(`${origin}/api/v4/projects/${encodeURIComponent('amara/berth-api')}/${resource}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, sudo: DEMO_USER.username, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    return JSON.parse(text);
  };
  const actions = [{ action: 'create', file_path: 'pier.txt', content: 'amber\n' }];
  const branch = 'amber-lamps';
  const commit = readCommit(await send('repository/commits', { branch, start_branch: 'main', commit_message: TITLE, actions }));
  assert.ok(commit !== undefined);
  await send(`repository/commits/${commit.id}/comments`, { note: 'Brighter than before.' });
  const input = { source_branch: branch, target_branch: 'main', title: TITLE, description: DESCRIPTION };
  const opened = readMergeRequest(await send('merge_requests', input));
  assert.ok(opened !== undefined);
  await send(`merge_requests/${opened.iid}/discussions`, { body: 'Seen from the ferry.' });
  return opened.iid;
}

function events(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ level }) => level === 2);
}
