// `npm run screenshots`: takes screenshots of every view and page in light, dark and high contrast, and writes them to .cache/screenshots/.
// They are for visual review; nothing compares them. `npm run screenshots -- walkthrough` takes only those whose name matches the regular
// expression.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser, openContext } from '../test/support/host/browser.ts';
import { walkApiPages } from '../test/support/host/apiPages.ts';
import { walkAuthorizePages } from '../test/support/host/authorizePages.ts';
import { walkDeprecationPages } from '../test/support/host/deprecationPages.ts';
import { walkDevicePages } from '../test/support/host/devicePages.ts';
import { markedLines } from '../test/support/host/errorViews.ts';
import { walkErrorPages } from '../test/support/host/errorPages.ts';
import { walkFlowPages } from '../test/support/host/flowPages.ts';
import type { Walk } from '../test/support/host/pageChecks.ts';
import { decideOnDevicePage, DEMO_USER, type RunningPlatform, startPlatform } from '../test/support/host/platform.ts';
import { untilRendered } from '../test/support/host/renderedDocument.ts';
import { walkResourcePages } from '../test/support/host/resourcePages.ts';
import { walkSettingsPages } from '../test/support/host/settingsPages.ts';
import { openCodePage, readCode, selectInstance } from '../test/support/host/signIn.ts';
import { openOwnEditor } from '../test/support/host/installation.ts';
import { THEME_SETTINGS, type Theme, THEMES } from '../test/support/host/workbench.ts';
import { until } from '../test/support/until.ts';
import { startTestServer } from '../test/support/server.ts';
import { prepare } from './vscode-host.ts';

const ROOT = path.dirname(import.meta.dirname);
const FOLDER = path.join(ROOT, '.cache', 'screenshots');
const STATUS = 'signalbox.status';
const SIZE = { width: 1280, height: 800 };
const WANTED = new RegExp(process.argv[2] ?? '');

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const build = spawnSync(process.execPath, ['esbuild.js'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
if (build.status !== 0) process.exit(1);
prepare('current', console.log);
const isOfPages = WANTED.source.startsWith('page-');
if (!isOfPages) await views();
const walks = [
  walkDevicePages,
  walkAuthorizePages,
  walkSettingsPages,
  walkFlowPages,
  walkResourcePages,
  walkErrorPages,
  walkDeprecationPages,
  walkApiPages,
];
if (isOfPages || process.argv[2] === undefined) for (const walk of walks) await pages(walk);
console.log(`Wrote the screenshots to ${path.relative(process.cwd(), FOLDER)}.`);

async function views(): Promise<void> {
  const platform = await startPlatform('none');
  try {
    const editor = await openOwnEditor({
      workspace: path.join(ROOT, 'media', 'demo-workspace'),
      userSettings: {
        ...THEME_SETTINGS,
        'signalbox.instances': [{ url: platform.origin }],
        'editor.minimap.enabled': false,
        'editor.lightbulb.enabled': 'off',
        'editor.overviewRulerBorder': false,
        'editor.scrollbar.horizontal': 'hidden',
      },
    });
    const { workbench, context, host } = editor;
    try {
      await workbench.page.setViewportSize(SIZE);
      const mine = await workbench.openView('My Activity');
      await workbench.widenSideBar(560);
      await selectInstance(workbench, 'Local server');
      await mine.untilWelcome((text) => text.includes('Start Local Server'), 'stopped');
      await shoot('views-stopped');

      await mine.clickWelcomeLink('Open the walkthrough');
      const walkthrough = workbench.walkthrough();
      // It takes the focus when it opens, which closes the palette.
      await walkthrough.openStep('Choose an instance');
      // With a side bar there is not enough space for its screenshots.
      await workbench.run('View: Toggle Primary Side Bar Visibility');
      for (const [name, title] of [
        ['instance', 'Choose an instance'],
        ['sign-in', 'Sign in'],
        ['activity', 'Follow the activity'],
        ['programs', 'Connect your own tools'],
      ] as const) {
        await walkthrough.openStep(title);
        await shoot(`walkthrough-${name}`);
      }
      await workbench.run('View: Toggle Primary Side Bar Visibility');
      await workbench.run('View: Close All Editors');

      // A file in place of the server's folder.
      const obstacle = path.join(path.dirname(host.settingsFile), 'globalStorage', 'signalbox.signalbox', 'local');
      mkdirSync(path.dirname(obstacle), { recursive: true });
      writeFileSync(obstacle, '');
      await workbench.run('Signalbox: Start Local Server');
      await mine.untilWelcome((text) => text.includes('Start Again'), 'failed');
      await workbench.untilToast(({ severity }) => severity === 'error', 'why it failed');
      await shoot('views-failed');
      rmSync(obstacle);
      await workbench.clear();

      await workbench.run('Signalbox: Start Local Server');
      await mine.untilWelcome((text) => text.includes('Sign in with your browser'), 'signed out');
      await shoot('views-signed-out');

      await workbench.run('Signalbox: Sign In');
      const code = await readCode(workbench, 'Local server');
      await shoot('sign-in-code');
      const tab = await openCodePage(workbench, context, DEMO_USER.name);
      const localOrigin = new URL(tab.url()).origin;
      await workbench.page.bringToFront();
      await workbench.untilToast(({ message }) => message.includes('waiting'), 'waiting');
      await shoot('sign-in-waiting');
      await decideOnDevicePage(tab, code, 'Approve');
      await tab.close();
      await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
      await mine.untilRows((rows) => rows.filter(({ level }) => level === 2).length >= 10, 'rows');
      await shoot('views-no-project');

      await workbench.run('Signalbox: Select Project…');
      await workbench.choices();
      await shoot('select-project');
      const [project] = await workbench.choices();
      if (project === undefined) throw new Error('no project to choose');
      await workbench.choose(project);
      const ofProject = await workbench.openView('Project Activity');
      await ofProject.untilRows((rows) => rows.filter(({ level }) => level === 2).length >= 5, 'rows of the project');
      await workbench.openFile('README.md');
      await shoot('views-filled');

      const event = (await mine.rows()).find(({ level }) => level === 2);
      if (event === undefined) throw new Error('no event');
      for (const theme of themes()) {
        await workbench.setTheme(theme);
        await mine.hoverText(event.label);
        await workbench.screenshot(file(`hover-${theme}`));
        await pointAway();
      }

      const aboutIssue = (await mine.rows()).find(({ label }) => /^(?:Opened|Closed|Commented on) #/.test(label));
      if (aboutIssue === undefined) throw new Error('no event about an issue');
      await mine.clickRow(aboutIssue.label);
      await untilRendered(workbench, (text) => text.startsWith('#'), 'the issue');
      await shoot('document-issue');
      await workbench.run('Signalbox: Filter Activity…');
      await workbench.choices();
      await shoot('filter');
      await workbench.choose('Action');
      await workbench.tickChoice('comments');
      await workbench.page.keyboard.press('Enter');
      await mine.untilRows(
        (rows) => rows.filter(({ level }) => level === 2).every(({ label }) => label.startsWith('Commented')),
        'comments',
      );
      await shoot('views-filtered');
      await workbench.run('Signalbox: Clear Activity Filter');
      await workbench.run('Signalbox: Copy Diagnostics');
      await workbench.untilToast(({ message }) => message.startsWith('Diagnostics copied'), 'diagnostics');
      await shoot('diagnostics');
      await workbench.clear();
      await workbench.run('View: Close All Editors');
      await workbench.run('Signalbox: Sign In as Demo User…');
      await workbench.choices();
      await shoot('use-as');
      await workbench.page.keyboard.press('Escape');

      await workbench.run('Signalbox: Open Terminal for This Instance');
      await workbench.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
      await shoot('terminal');
      await workbench.run('Terminal: Kill All Terminals');

      await workbench.run('Signalbox: Select Instance…');
      await workbench.choices();
      await shoot('select-instance');
      await workbench.page.keyboard.press('Escape');

      // One view at a time, because several do not fit.
      await mine.collapse();
      await ofProject.collapse();
      const tracked = await workbench.openView('Tracked Errors');
      await selectProject('Billing');
      await tracked.untilWelcome((text) => text.includes('Error tracking is disabled'), 'not tracked');
      await shoot('errors-off');
      await tracked.clickWelcomeButton('Enable Error Tracking');
      await until(tracked.message, (text) => text.startsWith('No unresolved errors'), 'no errors');
      await tracked.toggleRow('Client Keys');
      await tracked.untilRow(({ label }) => label === 'No client keys yet', 'no client key');
      await shoot('errors-none');
      await workbench.clear();
      await selectProject('Berth API');
      await tracked.untilRows((rows) => rows.length > 10, 'errors');
      const { label } = await tracked.untilRow(({ icon }) => icon === 'error', 'an error');
      await shoot('errors-list');
      await tracked.toggleRow('Client Keys');
      const key = await tracked.untilRow(({ label: name }) => name.startsWith('Client key '), 'a client key');
      await tracked.toggleRow(label);
      const frame = await tracked.untilRow(({ icon }) => icon === 'debug-stackframe', 'a frame');
      await tracked.clickRow(key.label);
      await shoot('errors-keys');
      await tracked.toggleRow('Client Keys');
      await tracked.untilRows((rows) => rows.every(({ label: name }) => name !== key.label), 'no client keys');
      await tracked.clickRow(frame.label);
      await workbench.page.locator('.tab.active[aria-label*=".js"]').waitFor();
      await until(
        () => markedLines(workbench),
        (marks) => marks.length > 0,
        'marks at the lines of errors',
      );
      await mine.expand();
      await mine.untilRows((rows) => rows.some(({ level }) => level === 2), 'activity');
      await workbench.widenSideBar(400);
      await shoot('overview');
      await workbench.widenSideBar(560);
      await workbench.run('View: Close All Editors');
      await tracked.collapse();
      await ofProject.expand();

      const flows = await workbench.openView('OAuth Flows');
      const wrong = { grant_type: 'authorization_code', client_id: 'lamp-board', code: 'c', redirect_uri: 'http://127.0.0.1/' };
      await fetch(`${localOrigin}/oauth/token`, { method: 'POST', body: new URLSearchParams(wrong) });
      const flow = await flows.untilRow(({ icon }) => icon === 'error', 'what a client did wrong');
      await flows.toggleRow(flow.label);
      await flows.untilRow(({ level }) => level === 2, 'its request');
      await shoot('views-oauth-flows');

      await selectInstance(workbench, platform.label);
      const browserTab = await context.newPage();
      await platform.signIn(browserTab, 'root');
      await browserTab.close();
      await workbench.run('Signalbox: Sign In');
      const deniedCode = await readCode(workbench, platform.label);
      const deniedTab = await openCodePage(workbench, context);
      await decideOnDevicePage(deniedTab, deniedCode, 'Deny');
      await deniedTab.close();
      await workbench.untilToast(({ message }) => message.includes('denied'), 'denied');
      await shoot('sign-in-denied');
      await workbench.clickToast('denied', 'Try Again');
      await readCode(workbench, platform.label, deniedCode);
      await (await openCodePage(workbench, context)).close();
      await platform.advance(301);
      await workbench.untilToast(({ message }) => message.includes('expired'), 'expired');
      await shoot('sign-in-expired');
      await workbench.clickToast('expired', 'Get a New Code');
      const rootCode = await readCode(workbench, platform.label, deniedCode);
      const rootTab = await openCodePage(workbench, context);
      await decideOnDevicePage(rootTab, rootCode, 'Approve');
      await rootTab.close();
      await mine.untilWelcome((text) => text.includes('No activity yet'), 'empty');
      await shoot('views-empty');

      await createProject(platform, 'Relay house');
      await platform.createIssue('Relay house', 'Lamp 7 stays dark');
      await workbench.run('Signalbox: Refresh Activity');
      await mine.untilRows((rows) => rows.some(({ level }) => level === 2), 'rows of root');
      await platform.close();
      await workbench.run('Signalbox: Refresh Activity');
      await until(mine.message, (text) => text !== '', 'message above the rows');
      await shoot('views-stale');
      await selectInstance(workbench, 'Local server');
      await mine.untilRows((rows) => rows.length > 0, 'rows of the local server');
      // Without the previous responses there is nothing to show.
      const stored = path.join(path.dirname(host.settingsFile), 'globalStorage', 'signalbox.signalbox', 'cache');
      rmSync(stored, { recursive: true, force: true });
      await selectInstance(workbench, platform.label);
      await mine.untilWelcome((text) => text.includes("can't be reached"), 'unreachable');
      await shoot('views-unreachable');
    } catch (error) {
      console.error(`Last screenshot of VS Code: ${(await editor.screenshot('screenshots')).join(', ')}`);
      throw error;
    } finally {
      await editor.close();
    }

    async function selectProject(name: string): Promise<void> {
      await workbench.run('Signalbox: Select Project…');
      await workbench.choose(name);
    }

    async function shoot(name: string): Promise<void> {
      if (!WANTED.test(name)) return;
      for (const theme of themes()) {
        await workbench.setTheme(theme);
        await pointAway();
        await workbench.screenshot(file(`${name}-${theme}`));
      }
    }

    /** Moves the pointer away, so that nothing is highlighted. */
    async function pointAway(): Promise<void> {
      await workbench.page.mouse.move(SIZE.width - 400, SIZE.height - 250);
    }
  } finally {
    await platform.close();
  }
}

async function createProject({ origin, adminToken }: RunningPlatform, name: string): Promise<void> {
  const response = await fetch(`${origin}/api/v4/projects`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`no project: ${response.status}`);
}

async function pages(walk: Walk): Promise<void> {
  const browser = await openBrowser();
  const server = await startTestServer();
  try {
    const context = await openContext(browser, { viewport: SIZE });
    const page = await context.newPage();
    for await (const name of walk(page, server)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await picture(page, `page-${name}-${colorScheme}`);
        await page.setViewportSize({ width: 320, height: 640 });
        await picture(page, `page-${name}-${colorScheme}-320`);
        await page.setViewportSize(SIZE);
      }
      await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
      await picture(page, `page-${name}-contrast`);
      await page.emulateMedia({ colorScheme: null, forcedColors: null });
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

async function picture(page: Page, name: string): Promise<void> {
  if (!WANTED.test(name)) return;
  await page.screenshot({ path: file(name), fullPage: true, animations: 'disabled', caret: 'hide' });
}

function themes(): readonly Theme[] {
  return (Object.keys(THEMES) as Theme[]).toSorted();
}

function file(name: string): string {
  return path.join(FOLDER, `${name}.png`);
}
