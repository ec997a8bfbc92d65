import { copyFileSync, globSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { prepare } from '../../scripts/vscode-host.ts';
import { createResponseCache } from '../../src/activity/cache.ts';
import { readActivityEvent } from '../../src/contract/activity.ts';
import { DEMO_USER, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { openOwnEditor } from '../support/host/installation.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { type Limit, median, pairAt, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { sharesSinceNow, untilQuiet } from './processes.ts';
import { slowExtension, slowness } from './slowness.ts';

const MAX_ROUNDS = 41;
const LIMIT: Limit = { atMost: 1.3 };
const WARM_UP = 2;
const EVENTS = 10_000;
/** Matches the command lines of the VS Code processes that run on Node: extension host and server. */
const EXTENSION_HOST = /--type=extensionHost|server-main/;
/** Matches the command lines of the page, the extension host and the server between them: one works while the others wait for it. */
const EDITOR = /--type=renderer|--type=extensionHost|server-main/;
const silent = (): void => undefined;

/**
 * Measures how long a person waits in a window that was just opened: from the click on the icon in the activity bar until the view has
 * painted its first row, with 10,000 events cached on disk, compared with the time until it has painted its welcome text, with an empty
 * cached response. The instance does not respond in the meantime. Both sides run alternately in a real VS Code, each in a window that was
 * reloaded and has become idle: what VS Code does in the first half minute after its start changed single rounds tenfold.
 */
export async function firstRow(): Promise<Ratio> {
  prepare('current', console.log);
  using folder = temporaryFolder();
  const full = await cachedResponse(path.join(folder.path, 'full'), EVENTS);
  const empty = await cachedResponse(path.join(folder.path, 'empty'), 0);
  const platform = await startPlatform();
  const { nodeArguments, slow } = slowExtension(folder.path, slowness());
  const editor = await openOwnEditor({ userSettings: { 'signalbox.instances': [{ url: platform.origin }] }, nodeArguments });
  const { workbench, context } = editor;
  const isSignedIn = (): Promise<void> =>
    workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
  try {
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, context, platform, DEMO_USER.username);
    const mine = await workbench.openView('My Activity');
    await mine.untilRows((rows) => rows.length > 0, 'loaded');
    await workbench.untilSaved(/"auth\.sessions":\[[^\]]*"http:\/\//);
    const file = await storedFile(editor.userDataDir);
    platform.freeze();

    const opening = async (stored: string, selector: string): Promise<number> => {
      await showSearch(workbench);
      copyFileSync(stored, file);
      await workbench.reload();
      await isSignedIn();
      return untilPainted(workbench.page, selector);
    };
    const times: { readonly full: number; readonly empty: number }[] = [];
    const pair = async (index: number): Promise<number> => {
      const openFull = (): Promise<number> => opening(full, '.monaco-list-row');
      const openEmpty = (): Promise<number> => opening(empty, '.welcome-view-content a');
      const [ofFull, ofEmpty] = await pairAt(index, openFull, openEmpty);
      times.push({ full: ofFull, empty: ofEmpty });
      return ofFull / ofEmpty;
    };
    // The first pairs only warm the file system and the browser cache.
    for (let index = 0; index < WARM_UP; index += 1) await pair(index);
    slow({ rows: (slowness() - 1) * median(times.map((one) => one.full)) });
    times.length = 0;
    const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, pair);
    return ratio(
      'first row of 10,000 cached events',
      'time from the click to the first painted row of 10,000 cached events / to the welcome text of an empty cache, in a real VS Code',
      rounds,
      LIMIT,
      {
        fullMilliseconds: rounded(median(times.map((one) => one.full))),
        emptyMilliseconds: rounded(median(times.map((one) => one.empty))),
      },
    );
  } finally {
    platform.thaw();
    await editor.close();
    await platform.close();
  }
}

/** Returns the text of a cached response with `count` events, in the format of the extension. */
async function cachedResponse(folder: string, count: number): Promise<string> {
  const cache = createResponseCache(folder, { debug: silent, info: silent, warn: silent, error: silent });
  const now = Date.now();
  const events = Array.from({ length: count }, (_, at) => readActivityEvent(wireEvent(count - at, now - at * 60_000)));
  await cache.write('somebody', 'mine', { at: now, events: events.filter((event) => event !== undefined), next: undefined }, []);
  return onlyFile(folder);
}

/** Returns the path of the one list that the extension has cached. */
async function storedFile(userDataDir: string): Promise<string> {
  return onlyFile(userDataDir, '**/globalStorage/signalbox.signalbox/cache/activity');
}

function onlyFile(folder: string, below = '.'): string {
  const files = globSync(`${below}/*/*.jsonl`, { cwd: folder });
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error(`expected one cached response, found ${files.length}`);
  return path.join(folder, file);
}

/** Shows another view, so that the reloaded window opens with it and the click has a view to open. */
export async function showSearch({ page, untilSaved }: Workbench): Promise<void> {
  const title = page.locator('.sidebar .composite.title', { hasText: 'Search' });
  if (!(await title.isVisible())) await page.locator('.activitybar a.action-label[aria-label^="Search"]').click();
  await title.waitFor();
  await untilSaved(/^workbench\.view\.search$/);
}

/**
 * Clicks the icon and returns the milliseconds until the view shows `selector` on the screen, by the clock of the page, without the
 * time in which the editor was ready to run and other programs had the processors. Several editor processes may have waited at the same
 * time, so the result is at least the time in which they had the processors.
 */
export async function untilPainted(page: Page, selector: string, view = 'My Activity'): Promise<number> {
  await page.locator('.sidebar .composite.title', { hasText: 'Search' }).waitFor();
  const icon = page.locator('.activitybar a.action-label[aria-label^="Signalbox"]').first();
  const measured = page.evaluate(
    ([wanted, title]) =>
      new Promise<number>((resolve, reject) => {
        setTimeout(() => reject(new Error(`${wanted} is missing from the view`)), 20_000);
        addEventListener(
          'mousedown',
          () => {
            const started = performance.now();
            const look = (): void => {
              const pane = [...document.querySelectorAll('.sidebar .pane')].find((candidate) =>
                candidate.querySelector('.pane-header')?.getAttribute('aria-label')?.startsWith(title),
              );
              const found = [...(pane?.querySelectorAll(wanted) ?? [])].some((element) => element.checkVisibility());
              // The row is painted by the frame after the one in which it was found.
              if (found) requestAnimationFrame(() => resolve(performance.now() - started));
              else requestAnimationFrame(look);
            };
            look();
          },
          { capture: true, once: true },
        );
      }),
    [selector, view] as const,
  );
  const box = await icon.boundingBox();
  if (box === null) throw new Error('the icon is hidden');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await untilQuiet(EXTENSION_HOST);
  const shares = sharesSinceNow(EDITOR);
  await page.mouse.down();
  await page.mouse.up();
  const time = await measured;
  const { ran, waited } = shares();
  return Math.max(ran, time - waited);
}

function wireEvent(id: number, at: number): Readonly<Record<string, unknown>> {
  const author = {
    id: 7,
    username: 'ana',
    name: 'Ana Novak',
    state: 'active',
    avatar_url: null,
    web_url: 'https://x.example/ana',
  };
  return {
    id,
    title: null,
    project_id: id % 12,
    action_name: 'commented on',
    target_id: id,
    target_iid: id,
    target_type: 'Note',
    author_id: 7,
    target_title: `Relay ${id} flickers when the lamp is warm`,
    created_at: new Date(at).toISOString(),
    author,
    author_username: 'ana',
    note: { id, body: `Seen at signal ${id}. `.repeat(8), author, system: false, noteable_type: 'Issue', noteable_iid: id % 300 },
  };
}
