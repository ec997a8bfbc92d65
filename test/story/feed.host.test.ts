import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
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
const ALL = 'Activity in All My Projects';
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

  it('an activity view filters to comments, shows the filter next to the title, and removes it with one command', async () => {
    await workbench.run('Signalbox: Filter Activity…');
    await workbench.choose('Type');
    await until(workbench.choices, (labels) => labels.includes('snippets'), 'the types');
    await workbench.goBack();
    await workbench.choose('Action');
    await workbench.tickChoice('comments');
    await workbench.page.keyboard.press('Enter');
    await mine.untilRows((rows) => events(rows).length > 0 && events(rows).every(({ label }) => COMMENT.test(label)), 'comments');
    assert.match(await descriptionOf(mine), / · comments$/);
    await workbench.run('Signalbox: Clear Activity Filter');
    await mine.untilRows((rows) => events(rows).some(({ label }) => !COMMENT.test(label)), 'everything');
    assert.doesNotMatch(await descriptionOf(mine), /comments/);
  });

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

  it('an activity view opens comments of a project at their place in the merge request or commit, and a push, each with an outline', async () => {
    const { page } = workbench;
    const project = await workbench.openView('Project Activity');
    const comment = await project.untilRow(({ label }) => label.includes(`commented on !${number} `), 'the comment');
    await project.clickRow(comment.label);
    await page.locator(`.tab[aria-label*="!${number} Amber lamps"]`).waitFor();
    // The comment is far from the beginning.
    await untilInView(workbench, 'p', 'Seen from the ferry.');
    assert.ok((await (await frameOfDocument(workbench)).evaluate(() => scrollY)) > 0);
    await openSource(workbench);
    await untilOutline([`!${number} ${TITLE}`, 'Comments', DEMO_USER.name, 'Commits (1)', 'Changed files (1)', 'pier.txt (new)']);

    const onCommit = await project.untilRow(({ label }) => label.includes('commented on commit'), 'the comment on a commit');
    await project.clickRow(onCommit.label);
    await page.locator(`.tab[aria-label*=" ${TITLE}.md"]`).waitFor();
    await untilInView(workbench, 'p', 'Brighter than before.');
    await openSource(workbench);
    await untilOutline([TITLE, 'Comments', DEMO_USER.name, 'Changed files (1)', 'pier.txt (new)']);

    const push = await project.untilRow(({ label }) => label.includes('created branch amber-lamps'), 'the push');
    await project.chooseFromRowMenu(push.label, 'Open');
    await page.locator('.tab[aria-label*="Created branch amber-lamps"]').waitFor();
    await untilRendered(workbench, (text) => text.includes('Changed files (1)'), 'the push');
    await openSource(workbench);
    await untilOutline(['Created branch amber-lamps', 'Commits (1)', TITLE, 'Changed files (1)', 'pier.txt (new)']);
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

    await workbench.untilSaved(/editorResource.*Amber lamps/);
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

  it('the search for projects and groups runs on the instance as the user types, and opens their pages', async () => {
    const { page } = workbench;
    for (const [command, typed, pathname] of [
      ['Signalbox: Open Project in Browser…', 'berth', '/amara/berth-api'],
      ['Signalbox: Open Group in Browser…', 'tidemark', '/groups/tidemark'],
    ] as const) {
      await workbench.run(command);
      const [first] = await workbench.choices();
      assert.notEqual(first, undefined);
      await page.keyboard.type('no such thing');
      await until(workbench.choices, (labels) => labels.join() === 'No results for “no such thing”', 'nothing matches');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(typed);
      await until(workbench.choices, (labels) => labels[0]?.toLowerCase().includes(typed) === true, 'what matches');
      // The row that Enter selects.
      await page.locator('.quick-input-list .monaco-list-row.focused').first().waitFor();
      const opened = editor.context.waitForEvent('page');
      await page.keyboard.press('Enter');
      const tab = await opened;
      await tab.waitForURL((url) => url.pathname === pathname);
      await tab.close();
    }
    assert.deepEqual(await workbench.toasts(), []);
  });

  async function openMergeRequestDocument(): Promise<void> {
    const project = await workbench.openView('Project Activity');
    const opened = await project.untilRow(({ label }) => label.includes(`opened !${number} `), 'the merge request');
    await project.clickRow(opened.label);
    await untilRendered(workbench, (text) => text.startsWith(`!${number} ${TITLE}`), 'the merge request');
  }

  /** Waits until the outline of the active document contains all of these symbols, in this order. */
  async function untilOutline(expected: readonly string[]): Promise<void> {
    await until(
      async () => {
        await workbench.run('Go to Symbol in Editor...');
        const labels = await workbench.choices();
        await workbench.stepBack();
        return labels;
      },
      (labels) => {
        let at = 0;
        for (const label of labels) if (at < expected.length && label.includes(expected[at] ?? '')) at += 1;
        return at === expected.length;
      },
      `outline with ${expected.join(', ')}`,
    );
  }

  it('an activity view sends no requests while the window is not focused, and refreshes when it gets the focus', async () => {
    const isOfAll = (requested: string): boolean => requested.includes('scope=all');
    try {
      await setFocus(workbench.page, false);
      // Switches to another list, which would be loaded at once. The click is scripted because a pointer would return the focus. A toolbar
      // that VS Code is repainting ignores the click, so it is repeated until the list has changed.
      const action = mine.pane.locator('.pane-header .actions').getByLabel('Show Activity in All My Projects', { exact: true });
      const all = workbench.view(ALL);
      await until(
        async () => {
          const isOther = (await all.pane.count()) > 0;
          // The action may disappear between two attempts.
          if (!isOther)
            await action
              .first()
              .evaluate(click, undefined, { timeout: 1_000 })
              .catch(() => {});
          return isOther;
        },
        (isOther) => isOther,
        'the other list',
      );
      assert.match(await descriptionOf(all), /^all my projects/);
      assert.deepEqual((await platform.apiRequests()).filter(isOfAll), []);

      await setFocus(workbench.page, true);
      await until(platform.apiRequests, (paths) => paths.some(isOfAll), 'requests for the other list');
      await all.untilRows((rows) => events(rows).some(({ label }) => label.startsWith('@')), 'rows with their authors');
    } finally {
      await setFocus(workbench.page, true);
      await workbench.run('Signalbox: Show My Activity');
    }
    await mine.untilRows((rows) => events(rows).some(({ label }) => COMMENT.test(label)), 'own activity again');
  });
});

/**
 * Takes the system focus from the page or returns it, as far as a page can tell: Playwright's Chromium reports every page as focused,
 * whatever is in front. The workbench checks whenever the page is shown or hidden.
 */
async function setFocus(page: Page, hasFocus: boolean): Promise<void> {
  await page.evaluate((has) => {
    document.hasFocus = () => has;
    document.dispatchEvent(new Event('visibilitychange'));
  }, hasFocus);
}

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

/** Runs in the page. */
function click(element: Element): void {
  if (element instanceof HTMLElement) element.click();
}

function events(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ level }) => level === 2);
}

function descriptionOf(view: View): Promise<string> {
  return view.pane.locator('.pane-header .description').innerText();
}
