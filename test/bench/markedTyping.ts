import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { prepare } from '../../scripts/vscode-host.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { openOwnEditor } from '../support/host/installation.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Limit, median, pairAt, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { errorSender } from './errorSender.ts';
import { sharesSinceNow, untilQuiet } from './processes.ts';
import { slowExtension, slowness } from './slowness.ts';

const MAX_ROUNDS = 41;
const LIMIT: Limit = { atMost: 1.1 };
const WARM_UP = 2;
const LINES = 5_000;
/** 20 errors with 25 frames each mark 500 lines. */
const ERRORS = 20;
const FRAMES = 25;
/** Characters that are typed in a measurement; every tenth is followed by a new line. */
const CHARACTERS = 240;
const FILE = 'marked.js';
const PROJECT = 'Berth API';
/** Matches the command lines of the page and of the extension host. */
const EDITOR = /--type=renderer|--type=extensionHost/;
const MARKED = {};
const UNMARKED = {
  ...{ 'signalbox.errorMarks.gutter': false, 'signalbox.errorMarks.text': false },
  ...{ 'signalbox.errorMarks.explorer': false, 'signalbox.errorMarks.codeLens': false },
};

/**
 * Measures what marks cost somebody who types: the processor time of the page and of the extension host for the same characters and new
 * lines in the middle of a file of 5,000 lines, of which 500 are marked, with the marks that are on by default and without marks, in
 * turns in one real VS Code.
 */
export async function markedTyping(): Promise<Ratio> {
  prepare('current', console.log);
  using folder = temporaryFolder();
  const workspace = path.join(folder.path, 'workspace');
  const settings = path.join(workspace, '.vscode/settings.json');
  mkdirSync(path.dirname(settings), { recursive: true });
  writeFileSync(path.join(workspace, FILE), Array.from({ length: LINES }, (_, line) => `${codeOf(line + 1)}\n`).join(''));
  writeFileSync(settings, JSON.stringify(MARKED));
  const platform = await startPlatform();
  await sendErrors(platform);
  const { nodeArguments, slow } = slowExtension(folder.path, slowness());
  const editor = await openOwnEditor({
    workspace,
    nodeArguments,
    userSettings: {
      'signalbox.instances': [{ url: platform.origin }],
      ...{ 'editor.minimap.enabled': false, 'files.autoSave': 'off', 'editor.cursorBlinking': 'solid' },
      ...{ 'editor.quickSuggestions': { other: 'off' }, 'editor.wordBasedSuggestions': 'off' },
    },
  });
  const { workbench, context } = editor;
  const { page } = workbench;
  try {
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, context, platform, DEMO_USER.username);
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(PROJECT);
    await workbench.openFile(FILE);
    let perEdit = 0;
    const typing = async (isMarked: boolean): Promise<number> => {
      writeFileSync(settings, JSON.stringify(isMarked ? MARKED : UNMARKED));
      await goToMiddle(workbench);
      await until(
        () => marks(page),
        (count) => count > 0 === isMarked,
        isMarked ? 'marks' : 'no marks',
      );
      slow({ edits: isMarked ? perEdit : 0 });
      return typingTime(page);
    };
    const times: { readonly marked: number; readonly unmarked: number }[] = [];
    const pair = async (index: number): Promise<number> => {
      const [marked, unmarked] = await pairAt(
        index,
        () => typing(true),
        () => typing(false),
      );
      times.push({ marked, unmarked });
      return marked / unmarked;
    };
    for (let index = 0; index < WARM_UP; index += 1) await pair(index);
    perEdit = ((slowness() - 1) * median(times.map(({ marked }) => marked))) / (CHARACTERS * 1.1);
    times.length = 0;
    const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, pair);
    return ratio(
      'typing among 500 marked lines',
      'processor time of page and extension host for typing in a file of 5,000 lines, with 500 marked lines / without marks',
      rounds,
      LIMIT,
      {
        markedMilliseconds: rounded(median(times.map(({ marked }) => marked))),
        unmarkedMilliseconds: rounded(median(times.map(({ unmarked }) => unmarked))),
      },
    );
  } finally {
    await editor.close();
    await platform.close();
  }
}

function codeOf(line: number): string {
  return `export const value${line} = compute(${line});`;
}

/** Sends errors with frames in lines all over the file, as an SDK does. */
async function sendErrors(platform: RunningPlatform): Promise<void> {
  const send = await errorSender(platform, PROJECT);
  for (let error = 0; error < ERRORS; error += 1) {
    const frames = Array.from({ length: FRAMES }, (_, frame) => {
      const line = 1 + (frame * ERRORS + error) * (LINES / ERRORS / FRAMES);
      return { filename: `/app/${FILE}`, function: `step${line}`, lineno: line, context_line: codeOf(line), in_app: true };
    });
    await send({ platform: 'node', exception: { values: [{ type: `Error${error}`, value: 'failed', stacktrace: { frames } }] } });
  }
}

async function goToMiddle({ page, run }: Workbench): Promise<void> {
  await run('View: Focus Active Editor Group');
  await page.keyboard.press('Control+G');
  await page.keyboard.type(String(LINES / 2));
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** Returns the number of marked lines on the screen. VS Code draws their texts as pseudo-elements. */
function marks(page: Page): Promise<number> {
  return page
    .locator('.editor-instance .view-line span')
    .evaluateAll((parts) => parts.filter((part) => / · /.test(getComputedStyle(part, '::after').content)).length);
}

/** Types at the end of the line, and returns the milliseconds that the processes worked. The file is reverted afterwards. */
async function typingTime(page: Page): Promise<number> {
  await page.keyboard.press('End');
  await untilQuiet(EDITOR);
  const shares = sharesSinceNow(EDITOR);
  for (let typed = 1; typed <= CHARACTERS; typed += 1) {
    await page.keyboard.press('x');
    if (typed % 10 === 0) await page.keyboard.press('Enter');
  }
  // The work that the editor does after the last key is part of typing.
  await untilQuiet(EDITOR);
  const { ran } = shares();
  const cursor = await page.locator('[id="status.editor.selection"]').innerText();
  checkSameWork('position of the cursor', cursor.trim(), `Ln ${LINES / 2 + CHARACTERS / 10}, Col 1`);
  await page.keyboard.press('Control+Shift+P');
  await page.locator('.quick-input-widget input.input').fill('>File: Revert File');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Revert File' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active:not(.dirty)').waitFor();
  return ran;
}
