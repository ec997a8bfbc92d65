import assert from 'node:assert/strict';
import type { Context } from 'mocha';
import type { Page } from 'playwright-core';
import { DEMO_PERSON, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';
import { type Row, until, type View, type Workbench } from '../support/host/workbench.ts';

/** Title of the view while it shows one's own activity, and while it shows everybody's. */
const MINE = 'My Activity';
const ALL = 'Activity of All My Projects';
const COMMENT = /^Commented on #\d+ /;

describe('the activity views', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let mine: View;
  before(async () => {
    platform = await startPlatform();
    editor = await openEditor({ userSettings: { 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_PERSON.username);
    mine = await workbench.openView(MINE);
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
  afterEach(async function (this: Context) {
    if (this.currentTest?.state === 'failed')
      console.log(`pictures: ${(await editor.picture(this.currentTest.title)).join(', ')}`);
  });

  it('shows comments alone, says so beside its title, and everything again with one command', async () => {
    await workbench.run('Signalbox: Filter Activity…');
    await workbench.choose('Action');
    await workbench.choose('comments');
    await mine.untilRows((rows) => events(rows).length > 0 && events(rows).every(({ label }) => COMMENT.test(label)), 'comments');
    assert.match(await descriptionOf(mine), / · comments$/);
    await workbench.run('Signalbox: Clear Filter of Activity');
    await mine.untilRows((rows) => events(rows).some(({ label }) => !COMMENT.test(label)), 'everything');
    assert.doesNotMatch(await descriptionOf(mine), /comments/);
  });

  it('opens an issue with its comments beside the code, read-only, with the browser one click away', async () => {
    const comment = await mine.untilRow(({ label }) => COMMENT.test(label), 'a comment');
    await mine.clickRow(comment.label);
    const { page } = workbench;
    const number = /#\d+/.exec(comment.label)?.[0] ?? '';
    await page.locator(`.tab[aria-label*="${number}"][aria-label*=".md"]`).waitFor();
    const text = await until(
      () => page.locator('.editor-instance .view-lines').innerText(),
      (shown) => shown.includes('opened'),
      'text of the issue',
    );
    assert.ok(text.replaceAll('\u00a0', ' ').startsWith(`# ${number} `), text);
    const title = page.locator('.editor-group-container .editor-actions');
    await title.getByRole('button', { name: 'Open in Browser', exact: true }).waitFor();
    await title.getByRole('button', { name: 'Refresh Document', exact: true }).waitFor();
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('sends nothing while the window has not the focus, and makes up for it when it has', async () => {
    const isOfAll = (path: string): boolean => path.includes('scope=all');
    try {
      await setFocus(workbench.page, false);
      // Another list, which would be loaded at once; clicked by script, because a pointer brings the focus back. A toolbar that VS Code
      // is just painting anew does not hear the click, so it is clicked until the list is another.
      const action = mine.pane.locator('.pane-header .actions').getByLabel('Show Activity of All My Projects', { exact: true });
      const all = workbench.view(ALL);
      await until(
        async () => {
          const isOther = (await all.pane.count()) > 0;
          // It may be gone between two looks.
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
      await until(platform.apiRequests, (paths) => paths.some(isOfAll), 'asked for the other list');
      await all.untilRows((rows) => events(rows).some(({ label }) => label.startsWith('@')), 'rows with their authors');
    } finally {
      await setFocus(workbench.page, true);
      await workbench.run('Signalbox: Show My Activity');
    }
    await mine.untilRows((rows) => events(rows).some(({ label }) => COMMENT.test(label)), 'my own again');
  });
});

/**
 * Takes the focus of the system from the page, or gives it back, as far as a page can tell: Playwright's Chromium reports every page as
 * focused, whatever is in front. The workbench asks again whenever the page comes or goes.
 */
async function setFocus(page: Page, hasFocus: boolean): Promise<void> {
  await page.evaluate((has) => {
    document.hasFocus = () => has;
    document.dispatchEvent(new Event('visibilitychange'));
  }, hasFocus);
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
