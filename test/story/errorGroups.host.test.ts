import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sendError, trackErrorsOf, viewsBadge } from '../support/host/errorViews.ts';
import { keysOf } from '../support/host/keys.ts';
import { pictures } from '../support/host/pictures.ts';
import { renderedDocument } from '../support/host/renderedDocument.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { openedTab, THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
/** A project of the demo user with demo errors. */
const OTHER = 'amara/berth-api';
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
    writeFileSync(settings, '{}');
    const shown = await view.description();
    if (shown.includes(' · ')) await filter('Clear filter');
    if (shown.startsWith('2 projects')) await selectProjects({ [OTHER]: 'false' });
    const left = (await view.rows()).map(({ label }) => label).filter((label) => sent.has(label));
    sent = new Set();
    if (left.length === 0) return;
    await view.selectRows(...left);
    await workbench.run('Signalbox: Resolve Error');
    await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved');
    await workbench.clear();
  });

  it('several tracked errors are merged into one, split again, and both are undone', async () => {
    const [crane, lock] = ['CraneStuck', 'LockShut'];
    await send(lock);
    await send(crane, 2);
    const apart = { [crane]: 2, [lock]: 1 };
    await untilErrors(apart);
    await view.selectRows(crane, lock);
    await view.chooseFromRowMenu(lock, 'Merge Errors…');
    await pictures(workbench, 'error-merge-remaining');
    await workbench.choose(titleOf(crane));
    await workbench.untilToast(({ message }) => message === `Merged 1 error into: ${titleOf(crane)}`, 'merged');
    await untilErrors({ [crane]: 3 });
    await workbench.clickToast('Merged 1 error', 'Undo');
    await untilErrors(apart);
    await workbench.clear();

    await view.selectRows(crane, lock);
    await workbench.run('Signalbox: Merge Errors…');
    await workbench.choose(titleOf(lock));
    await workbench.untilToast(({ message }) => message === `Merged 1 error into: ${titleOf(lock)}`, 'merged again');
    // An error is named after its latest event.
    await untilErrors({ [crane]: 3 });
    await workbench.clear();
    await view.chooseFromRowMenu(crane, 'Split Error…');
    await until(workbench.choices, (labels) => labels.join() === `${titleOf(crane)},${titleOf(lock)}`, 'the groupings');
    await pictures(workbench, 'error-split');
    await workbench.choose(titleOf(crane));
    await workbench.untilToast(({ message }) => message === `Split: ${titleOf(crane)}`, 'split');
    await untilErrors(apart);
    await workbench.run(`Signalbox: ${UNDO}`);
    await untilErrors({ [crane]: 3 });
    await view.chooseFromRowMenu(crane, UNDO);
    await untilErrors(apart);
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

  it('several tracked errors are resolved by one action, and that is undone for all', async () => {
    const [anchor, winch, radar] = ['AnchorLost', 'WinchJammed', 'RadarBlind'];
    for (const type of [anchor, winch, radar]) await send(type);
    const all = { [anchor]: 1, [winch]: 1, [radar]: 1 };
    await untilErrors(all);
    await view.selectRows(anchor, radar);
    await view.chooseFromRowMenu(radar, 'Resolve Error');
    await workbench.untilToast(({ message }) => message === 'Resolved: 2 errors', 'both are resolved');
    await untilErrors({ [winch]: 1 });
    await workbench.clickToast('Resolved: 2 errors', 'Undo');
    await untilErrors(all);
  });

  it('an issue is created from the tracked error of the menu, linked in both directions, and unlinked again', async () => {
    const [ferry, gate] = ['FerryLate', 'GateOpen'];
    await send(ferry);
    await send(gate);
    await untilErrors({ [ferry]: 1, [gate]: 1 });
    // The menu belongs to one row, even if others are selected.
    await view.selectRows(ferry, gate);
    await view.chooseFromRowMenu(gate, 'Create Issue from Error…');
    const input = workbench.page.locator('.quick-input-widget input.input');
    await until(
      () => input.inputValue(),
      (text) => text === titleOf(gate),
      'the suggested title',
    );
    await pictures(workbench, 'error-issue');
    await workbench.fillInput('The gate stays open');
    const created = await workbench.untilToast(({ message }) => message.endsWith('linked with the error.'), 'the issue');
    const number = /^Issue #(\d+) was created/.exec(created.message)?.[1];
    assert.deepEqual([created.severity, created.buttons], ['info', ['Open Issue']]);

    const issue = await openedTab(editor.context, workbench, () => workbench.clickToast('Issue #', 'Open Issue'));
    await issue.getByRole('heading', { level: 1, name: 'The gate stays open' }).waitFor();
    assert.match(issue.url(), new RegExp(`/${PROJECT.path}/-/issues/${number}$`));
    await issue.locator('pre', { hasText: `${titleOf(gate)}\n    at sail${gate} (src/${gate}.js:7:3)` }).waitFor();
    await issue.getByRole('link', { name: /\/-\/error_tracking\/\d+\/details$/ }).click();
    await issue
      .getByRole('heading', { name: titleOf(gate) })
      .first()
      .waitFor();
    await issue.close();

    assert.match(await view.hoverText(gate), new RegExp(`Issue: #${number} The gate stays open`));
    await view.clickRowAction(gate, 'Show Error');
    const panel = renderedDocument(workbench);
    await panel.getByRole('button', { name: `Open Issue #${number}` }).waitFor();
    await panel.getByRole('button', { name: 'Undo', exact: true }).click();
    await panel.getByRole('button', { name: 'Create Issue…' }).waitFor();
    await workbench.run('View: Close All Editors');
    await view.chooseFromRowMenu(gate, 'Create Issue from Error…');
    await workbench.stepBack();
  });

  it('tracked errors of several projects are shown together, and changed by one action', async () => {
    const [rudder] = ['RudderBent'];
    await selectProjects({ [OTHER]: 'true' });
    await until(view.description, (text) => text.startsWith('2 projects'), 'two projects');
    const project = await view.untilRow(({ label, description }) => label === OTHER && description.endsWith('errors'), OTHER);
    assert.equal(project.icon, 'repo');
    await send(rudder);
    await untilErrors({ [rudder]: 1 });
    const rows = await view.rows();
    const at = rows.findIndex(({ label }) => label === OTHER);
    assert.deepEqual(
      [PROJECT.path, rudder].map((label) => rows.findIndex((row) => row.label === label) < at),
      [true, true],
    );
    const labels = rows.map(({ label }) => label);
    const other = rows.slice(at).find(({ label }) => isAlone(labels, label) && label.endsWith('Error'))?.label ?? '';
    await view.selectRows(rudder, other);
    await view.chooseFromRowMenu(rudder, 'Resolve Error');
    await workbench.untilToast(({ message }) => message === 'Resolved: 2 errors', 'errors of both projects');
    await view.untilRows((all) => !all.some(({ label }) => [rudder, other].includes(label)), 'resolved');
    await workbench.clickToast('Resolved: 2 errors', 'Undo');
    await untilErrors({ [rudder]: 1 });
    await view.untilRow(({ label }) => label === other, 'unresolved again');
    await view.selectRows(rudder, other);
    await view.chooseFromRowMenu(other, 'Merge Errors…');
    await workbench.untilToast(({ message }) => message === 'Select errors of one project for this action.', 'not merged');
    await selectProjects({ [OTHER]: 'false' });
    await until(view.description, (text) => text === PROJECT.path, 'one project');
  });

  it('a filter of tracked errors is saved, chosen and deleted', async () => {
    const [sail, keel] = ['SailTorn', 'KeelCracked'];
    await send(sail);
    await send(keel);
    await untilErrors({ [sail]: 1, [keel]: 1 });
    await filter('Text');
    await workbench.page.locator('.quick-input-message', { hasText: 'Search in titles' }).waitFor();
    await workbench.fillInput(keel);
    await untilErrors({ [keel]: 1 });
    await filter('Save this filter…');
    await workbench.page.locator('.quick-input-message', { hasText: 'Name of the filter' }).waitFor();
    await workbench.fillInput('Broken keels');
    await filter('Clear filter');
    await untilErrors({ [sail]: 1, [keel]: 1 });
    await filter('Saved filters…');
    await workbench.choose('Broken keels');
    await untilErrors({ [keel]: 1 });
    assert.ok((await view.description()).includes(keel));

    await filter('Saved filters…');
    const saved = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Broken keels' });
    await saved.hover();
    await saved.getByRole('button', { name: 'Delete Filter' }).click();
    await until(workbench.choices, (all) => all[0] === 'Status' && !all.includes('Saved filters…'), 'no saved filter');
    await workbench.choose('Clear filter');
    await untilErrors({ [sail]: 1, [keel]: 1 });
  });

  it('tracked errors that are new are not told of, counted, or named in one message, as the setting says', async () => {
    const [fog, gale, hail] = ['FogBank', 'GaleForce', 'HailStorm'];
    const mode = (text: string): void => writeFileSync(settings, JSON.stringify({ 'signalbox.errorTracking.newErrors': text }));
    const badge = (accept: (text: string) => boolean, what: string): Promise<string> =>
      until(() => viewsBadge(workbench), accept, what);
    const isRead = (text: string): boolean => !text.includes('new error');
    await workbench.run('Signalbox: Mark All Errors as Read');
    await badge(isRead, 'no new errors');
    await send(fog);
    await badge((text) => text.includes('1 new error'), 'counted by default');
    assert.deepEqual(await workbench.toasts(), []);

    mode('off');
    await badge(isRead, 'not counted');
    await send(gale);
    await view.untilRow(({ label, description }) => label === gale && description.startsWith('●'), 'a new error');
    assert.ok(isRead(await viewsBadge(workbench)));
    assert.deepEqual(await workbench.toasts(), []);

    mode('notify');
    await workbench.untilToast(({ message }) => message === `2 new errors in ${PROJECT.path}`, 'the errors so far');
    await badge((text) => text.includes('2 new errors'), 'counted');
    await workbench.clickToast('2 new errors', 'Mark as Read');
    await badge(isRead, 'marked as read');
    await send(hail, 2);
    await untilErrors({ [fog]: 1, [gale]: 1, [hail]: 2 });
    const message = `New error in ${PROJECT.path}: ${titleOf(hail)}`;
    await workbench.untilToast((toast) => toast.message === message, 'the new error');
    await pictures(workbench, 'error-new');
    assert.deepEqual(await workbench.toasts(), [{ severity: 'info', message, buttons: ['Show Error', 'Mark as Read'] }]);
    await workbench.clickToast(message, 'Show Error');
    await renderedDocument(workbench)
      .getByRole('heading', { level: 1, name: titleOf(hail) })
      .waitFor();
    await badge(isRead, 'opened');
    assert.deepEqual(await workbench.toasts(), []);
    await workbench.run('View: Close All Editors');
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

  async function filter(part: string): Promise<void> {
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose(part);
  }

  /** Selects or deselects projects of the view. */
  async function selectProjects(projects: Readonly<Record<string, 'true' | 'false'>>): Promise<void> {
    await workbench.run('Signalbox: Select Projects of Tracked Errors…');
    for (const [label, expected] of Object.entries(projects)) await workbench.tickChoice(label, expected);
    await workbench.page.keyboard.press('Enter');
  }
});

const titleOf = (type: string): string => `${type}: at berth 7`;
const eventsOf = ({ description }: Row): number => Number(/(\d+) events? · /.exec(description)?.[1]);
const sorted = (counts: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.entries(counts).toSorted(([one], [other]) => one.localeCompare(other)));
const isAlone = (labels: readonly string[], label: string): boolean => labels.filter((one) => one === label).length === 1;
