import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { trackErrorsOf } from '../support/host/errorViews.ts';
import { sendError } from '../support/sentErrors.ts';
import { keysOf } from '../support/host/keys.ts';
import { pictures } from '../support/host/pictures.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
const UNDO = 'Undo Last Change of an Error';

describe('several tracked errors', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  /** File of the settings of the workspace. */
  let settings: string;
  let dsn: string;
  /** Types of the errors that the test has sent. */
  let sent = new Set<string>();
  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-groups-'));
    const workspace = path.join(container, 'open');
    settings = path.join(workspace, '.vscode/settings.json');
    mkdirSync(path.dirname(settings), { recursive: true });
    editor = await openEditor({ workspace, userSettings: THEME_SETTINGS });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    view = await workbench.openView('Tracked Errors');
    // Only visible rows are painted, so this view gets the space of the others.
    for (const title of ['My Activity', 'Project Activity']) await workbench.view(title).collapse();
    dsn = await trackErrorsOf(PROJECT.name, workbench, view);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.clear();
    const left = (await view.rows()).map(({ label }) => label).filter((label) => sent.has(label));
    sent = new Set();
    if (left.length === 0) return;
    await view.selectRows(...left);
    await workbench.run('Signalbox: Resolve Error');
    await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved');
    await workbench.clear();
  });

  it('several tracked errors are merged with the keyboard only, found by typing', async () => {
    const [buoy, tide, lamp] = ['BuoyLost', 'TideMissing', 'LampBroken'];
    for (const type of [lamp, tide, buoy]) await send(type);
    const apart = { [buoy]: 1, [tide]: 1, [lamp]: 1 };
    await untilErrors(apart);
    const { page } = workbench;
    const keys = keysOf(page);
    await keys.run('Signalbox: Focus on Tracked Errors View');
    await page.keyboard.press('Home');
    await page.keyboard.type(buoy);
    await until(keys.focusedRow, (name) => name.includes(titleOf(buoy)), 'found by typing');
    await keys.chooseInRowMenu('Merge Errors…');
    await until(workbench.choices, (labels) => labels.includes(titleOf(lamp)), 'errors to merge');
    await page.keyboard.type('TideM');
    await until(workbench.choices, (labels) => labels[0] === titleOf(tide) && !labels.includes(titleOf(lamp)), 'found');
    await page.keyboard.press('ArrowDown');
    await until(keys.focusedChoice, (label) => label.includes(titleOf(tide)), 'focused');
    await page.keyboard.press('Space');
    await page.locator('.quick-input-list .monaco-list-row[aria-checked="true"]').waitFor();
    await pictures(workbench, 'error-merge');
    await page.keyboard.press('Enter');
    await workbench.untilToast(({ message }) => message === `Merged 1 error into: ${titleOf(buoy)}`, 'merged');
    await untilErrors({ [buoy]: 2, [lamp]: 1 });
    await keys.run(`Signalbox: ${UNDO}`);
    await untilErrors(apart);
  });

  /** Sends an error of this type from a place of its own. */
  async function send(type: string, times = 1): Promise<void> {
    sent.add(type);
    const frame = { filename: `src/${type}.js`, function: `sail${type}`, lineno: 7, colno: 3, in_app: true };
    for (let n = 0; n < times; n += 1) await sendError(dsn, { type, value: 'at berth 7', stacktrace: { frames: [frame] } });
  }

  /** Waits until exactly these errors of the test are shown, with their numbers of events. */
  async function untilErrors(expected: Readonly<Record<string, number>>): Promise<void> {
    const shown = (rows: readonly Row[]): Readonly<Record<string, number>> =>
      Object.fromEntries(rows.filter(({ label }) => sent.has(label)).map((row) => [row.label, eventsOf(row)]));
    const text = sorted(expected);
    await view.untilRows((rows) => sorted(shown(rows)) === text, text);
  }
});

const titleOf = (type: string): string => `${type}: at berth 7`;
const eventsOf = ({ description }: Row): number => Number(/(\d+) events? · /.exec(description)?.[1]);
const sorted = (counts: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.entries(counts).toSorted(([one], [other]) => one.localeCompare(other)));
