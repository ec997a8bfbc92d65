import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testEnvironment } from '../support/environment.ts';
import { chooseProject, type CreatedKey, createKey, deleteKey } from '../support/host/clientKeys.ts';
import { trackErrorsOf } from '../support/host/errorViews.ts';
import { sendError } from '../support/sentErrors.ts';
import { pictures } from '../support/host/pictures.ts';
import { startLocally } from '../support/host/signIn.ts';
import { outputOf, TERMINAL_SETTINGS, typeCommand, untilPrompt } from '../support/host/terminal.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** A project of the demo user with error tracking, of which the folder becomes a clone. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;
/** Another project of the demo user. */
const OTHER_PROJECT = 'Billing';
/** ID of a public project of somebody else. */
const PUBLIC_PROJECT = 7;
/** File that git tracks. */
const TRACKED = 'tide.yaml';

describe('DSNs in files and terminals', () => {
  let editor: Editor;
  let workbench: Workbench;
  let container: string;
  let folder: string;
  /** Newest key of the project; no test deletes it. */
  let stored: CreatedKey;

  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-dsns-'));
    folder = path.join(container, 'open');
    mkdirSync(folder);
    // VS Code discovers repositories when it opens the folder, and its file search finds files only some time after they were created.
    for (const name of ['copy.yaml', 'docs.yaml', 'other.yaml', 'shop.yaml', TRACKED]) writeFileSync(path.join(folder, name), '');
    git('init', '--quiet');
    git('add', TRACKED);
    editor = await openEditor({
      workspace: folder,
      userSettings: { ...THEME_SETTINGS, ...TERMINAL_SETTINGS, 'editor.minimap.enabled': false },
    });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    stored = await createKey(workbench, PROJECT);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.stepBack();
  });

  it('the DSN of a deleted key is reported in .env, and the keyboard replaces it by that of a key of the project', async () => {
    const gone = await createKey(workbench, PROJECT);
    await deleteKey(workbench, PROJECT, gone);
    const text = (dsn: string): string => `# Settings of the shop\nSENTRY_DSN=${dsn}\nSHOP_DSN=${stored.dsn}\n`;
    writeFileSync(path.join(folder, '.env'), text(gone.dsn));
    // The search for files does not list it.
    await workbench.run('View: Show Explorer');
    await workbench.page.locator('.explorer-folders-view .monaco-list-row[aria-label^=".env"]').dblclick();
    await workbench.page.locator('.tab.active[data-resource-name=".env"]').waitFor();
    await untilProblems('warning', 1);
    assert.match(await nextProblem(), /amara\/berth-api has no such client key any more/);
    await pictures(workbench, 'dsn-problem');
    await workbench.page.keyboard.press('Escape');

    await applyFix(`Use Client Key ${stored.id} of ${PROJECT.path}`, () => pictures(workbench, 'dsn-fixes'));
    await untilProblems('warning', 0);
    await save('.env', text(stored.dsn));
    await workbench.run('View: Close All Editors');
  });

  it('the hover of a DSN says its project, the state of its key and its last event', async () => {
    await sendError(stored.dsn, { type: 'RangeError', value: 'no lamp' }, { release: 'lamps@1.0.0', server_name: 'berth-1' });
    writeFileSync(path.join(folder, 'docs.yaml'), `used: ${stored.dsn}\ngone: ${unknownKey()}\n`);
    await workbench.openFile('docs.yaml');
    await untilProblems('warning', 1);
    const used = await hover('used:', /Last event/);
    assert.match(used, new RegExp(`DSN of client key ${stored.id} of ${PROJECT.path}, which is active\\.`));
    assert.match(used, /Last event: .+, of lamps@1\.0\.0 · berth-1 · /);
    assert.match(used, /Copy DSN \| Rotate Client Key… \| Send Test Error…/);
    await pictures(workbench, 'dsn-hover', () => hover('used:', /Last event/));
    const gone = await hover('gone:', /This DSN belongs to/);
    assert.match(gone, /This DSN belongs to amara\/berth-api\./);
    assert.match(gone, /amara\/berth-api has no such client key any more/);
    await pictures(workbench, 'dsn-hover-deleted', () => hover('gone:', /This DSN belongs to/));
    await workbench.page.mouse.move(1, 1);
    await workbench.run('View: Close All Editors');
  });

  it('DSNs of another project and of another instance are reported in a clone, and replaced by that of a key of its project', async () => {
    const view = await workbench.openView('Tracked Errors');
    for (const title of ['My Activity', 'Project Activity']) await workbench.view(title).collapse();
    const billing = await trackErrorsOf(OTHER_PROJECT, workbench, view);
    const elsewhere = stored.dsn.replace(/@[^/]+/, '@errors.example.com');
    git('remote', 'add', 'origin', `${new URL(stored.dsn).origin}/${PROJECT.path}.git`);
    try {
      writeFileSync(path.join(folder, 'other.yaml'), `own: ${stored.dsn}\nbilling: ${billing}\nelsewhere: ${elsewhere}\n`);
      await workbench.openFile('other.yaml');
      await untilProblems('info', 2);
      assert.match(await nextProblem(), /This DSN is of \S+\/billing, but this folder is a clone of amara\/berth-api\./);
      await pictures(workbench, 'dsn-other-project');
      await workbench.page.keyboard.press('Escape');
      await applyFix(`Use Client Key ${stored.id} of ${PROJECT.path}`);
      await untilProblems('info', 1);
      assert.match(await nextProblem(), /This DSN is of errors\.example\.com, but this folder is a clone from Local server\./);
      await pictures(workbench, 'dsn-other-instance');
      await workbench.page.keyboard.press('Escape');
      await applyFix(`Use Client Key ${stored.id} of ${PROJECT.path}`);
      await untilProblems('info', 0);
      const { dsn } = stored;
      await save('other.yaml', `own: ${dsn}\nbilling: ${dsn}\nelsewhere: ${dsn}\n`);
    } finally {
      git('remote', 'remove', 'origin');
    }
    await workbench.run('View: Close All Editors');
  });

  it('problems of DSNs can be switched off', async () => {
    const settings = path.join(folder, '.vscode/settings.json');
    mkdirSync(path.dirname(settings), { recursive: true });
    writeFileSync(path.join(folder, 'shop.yaml'), `dsn: ${unknownKey()}\n`);
    await workbench.openFile('shop.yaml');
    await untilProblems('warning', 1);
    writeFileSync(settings, '{"signalbox.dsn.diagnostics": false}');
    await untilProblems('warning', 0);
    writeFileSync(settings, '{}');
    await untilProblems('warning', 1);
    await workbench.run('View: Close All Editors');
  });

  it('the DSN of a public project is reported in a file that git tracks', async () => {
    const dsn = stored.dsn.replace(/\d+$/, String(PUBLIC_PROJECT));
    for (const [name, problems] of [
      ['copy.yaml', 0],
      [TRACKED, 1],
    ] as const) {
      writeFileSync(path.join(folder, name), `dsn: ${dsn}\n`);
      await workbench.openFile(name);
      await until(workbench.visibleLines, (lines) => lines.some((line) => line.includes(dsn)), name);
      await untilProblems('info', problems);
    }
    await workbench.run('View: Close All Editors');
  });

  it('a terminal has the DSN of a client key in SENTRY_DSN', async () => {
    await workbench.run('Signalbox: Open Terminal with DSN…');
    await chooseProject(workbench, PROJECT);
    await workbench.choose(`Client key ${stored.id}`);
    const text = await untilPrompt(workbench);
    // Lines are wrapped at the width of the terminal.
    const message = `In this terminal, SENTRY_DSN is the DSN of client key ${stored.id} of ${PROJECT.path}.`;
    assert.ok(text.replaceAll(' ', '').includes(message.replaceAll(' ', '')), text);
    await pictures(workbench, 'dsn-terminal');
    const written = await outputOf(workbench, 'printenv SENTRY_DSN', path.join(container, 'variable'));
    assert.equal(written, `${stored.dsn}\n`);
    await typeCommand(workbench, 'exit');
    await workbench.page.locator('.terminal-wrapper.active').waitFor({ state: 'detached' });
  });

  /** Returns a DSN of the project with a key that it does not have. */
  function unknownKey(): string {
    return stored.dsn.replace(/glet_\w+/, `glet_${'0'.repeat(32)}`);
  }

  function git(...args: readonly string[]): void {
    const { status, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8', env: testEnvironment(['git']) });
    assert.equal(status, 0, stderr);
  }

  function untilProblems(severity: 'warning' | 'info', expected: number): Promise<number> {
    const squiggles = workbench.page.locator(`.editor-instance .squiggly-${severity}`);
    return until(
      () => squiggles.count(),
      (count) => count === expected,
      `${expected} problems`,
    );
  }

  /** Goes to the next problem with the keyboard, and returns its text. */
  async function nextProblem(): Promise<string> {
    await workbench.page.keyboard.press('F8');
    const peek = workbench.page.locator('.marker-widget').first();
    await peek.waitFor();
    return peek.innerText();
  }

  /** Applies a fix at the cursor with the keyboard. */
  async function applyFix(title: string, look: () => Promise<void> = async () => {}): Promise<void> {
    await workbench.page.keyboard.press('Control+.');
    const menu = workbench.page.locator('.action-widget').first();
    const focused = menu.locator('.monaco-list-row.focused');
    await focused.waitFor();
    assert.equal((await focused.innerText()).trim(), title);
    await look();
    await workbench.page.keyboard.press('Enter');
    await menu.waitFor({ state: 'hidden' });
  }

  /** Saves the open file, and waits until it has this text. */
  async function save(name: string, text: string): Promise<void> {
    await workbench.run('File: Save');
    await until(
      () => readFileSync(path.join(folder, name), 'utf8'),
      (saved) => saved === text,
      `${name} saved`,
    );
  }

  /** Hovers over a line until the hover matches, and returns its text. */
  async function hover(line: string, accept: RegExp): Promise<string> {
    const shown = workbench.page.locator('.monaco-hover:visible').first();
    return until(
      async () => {
        await workbench.page.mouse.move(1, 1);
        await workbench.page
          .locator('.editor-instance .view-line', { hasText: line })
          .first()
          .hover({ position: { x: 200, y: 8 } });
        return shown.innerText({ timeout: 2_000 }).catch(() => '');
      },
      (text) => accept.test(text),
      `hover of “${line}”`,
    );
  }
});
