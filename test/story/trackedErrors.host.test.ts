import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { readDsn } from '../../src/contract/dsn.ts';
import { isJsonObject, stringMember } from '../../src/contract/json.ts';
import { errorEvent, trackedProject } from '../server/errorTracking/senders.ts';
import { testEnvironment } from '../support/environment.ts';
import { MissingDependency, npmPackages } from '../support/clientSuite.ts';
import { sendError, viewsBadge } from '../support/host/errorViews.ts';
import { picture } from '../support/host/pictures.ts';
import { selectInstance, startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { openedTab, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const STATUS = 'signalbox.status';
const ROOT = path.join(import.meta.dirname, '../..');
const DEMO = path.join(ROOT, 'media/demo-workspace');
const SDK = path.join(ROOT, 'test/clients/node/sentry');
/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;
/** Position of `name?.trim()` in the demo workspace's greet.js. */
const [LINE, COLUMN] = [3, 26];

describe('tracked errors of an application', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  let packages: string;
  let plain: PlainPlatform;
  /** The instance that the views show. */
  let current = 'Local server';
  before(async function (this: Context) {
    try {
      packages = await npmPackages(SDK);
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-errors-'));
    for (const location of ['open', 'deployed/demo']) cpSync(DEMO, path.join(container, location), { recursive: true });
    plain = await startPlainPlatform();
    editor = await openEditor({
      workspace: path.join(container, 'open'),
      userSettings: { 'signalbox.instances': [{ url: plain.origin }] },
    });
    workbench = editor.workbench;
    await workbench.openView('My Activity');
    await startLocally(workbench);
    view = await workbench.openView('Tracked Errors');
    // Only visible rows are painted, so this view gets the space of the others.
    for (const title of ['My Activity', 'Project Activity']) await workbench.view(title).collapse();
    await view.untilWelcome((text) => text.includes('Select a project'), 'no project');
  });
  after(async () => {
    await editor?.close();
    await plain?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('tracked errors appear automatically when error tracking is enabled, open the line that failed, and can be resolved', async () => {
    await select('Local server', PROJECT);
    await view.untilWelcome((text) => text.includes('Error tracking is disabled'), 'error tracking disabled');
    await view.clickWelcomeButton('Enable Error Tracking');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'no errors yet');
    assert.ok((await view.description()).includes(PROJECT.path));
    await workbench.setClipboard('');
    await workbench.clickToast('Error tracking enabled', 'Create Client Key');
    await workbench.clickToast(' created for ', 'Copy DSN');
    const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.clear();

    const program = [path.join(import.meta.dirname, 'crash.mjs'), path.join(packages, 'package.json'), dsn];
    const file = path.join(container, 'deployed/demo/greet.js');
    await assert.rejects(
      promisify(execFile)(process.execPath, [...program, file], { env: testEnvironment() }),
      /name\?\.trim is not a function/,
    );

    const error = await view.untilRow(({ label }) => label.startsWith('TypeError'), 'the error, without a refresh');
    assert.equal(error.label, 'TypeError');
    assert.match(
      error.description,
      /^● · .*greet.* · name\?\.trim is not a function · 1 event · (?:1 user · )?(?:now|\d+ seconds? ago)$/,
    );
    assert.match(error.name, /^New, TypeError: name\?\.trim is not a function, /);
    await until(
      () => viewsBadge(workbench),
      (text) => text.includes('1 new error'),
      'a badge for the new error',
    );
    await view.toggleRow(error.label);
    await view.untilRow(({ label, description }) => label === error.label && !description.startsWith('●'), 'read once opened');
    await until(
      () => viewsBadge(workbench),
      (text) => !text.includes('new error'),
      'no badge for an error that was opened',
    );
    const frame = await view.untilRow(({ label }) => label === 'greet', 'the frame that failed');
    assert.equal(frame.description, `greet.js:${LINE}`);
    await view.clickRow('greet');
    const position = workbench.page.locator('.statusbar-item', { hasText: `Ln ${LINE}, Col ${COLUMN}` });
    await position.waitFor();
    const tab = workbench.page.locator('.tab.active');
    assert.equal(await tab.getAttribute('data-resource-name'), 'greet.js');

    await view.chooseFromRowMenu(error.label, 'Resolve Error');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'resolved');
    await workbench.clickToast('Resolved: TypeError: name?.trim is not a function', 'Undo');
    await view.untilRow(({ label }) => label === error.label, 'unresolved again');
    await view.chooseFromRowMenu(error.label, 'Resolve Error');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'resolved again');
    assert.deepEqual(
      (await workbench.toasts()).map(({ severity, buttons }) => [severity, buttons]),
      [['info', ['Undo']]],
    );
    await workbench.clear();

    await view.chooseFromRowMenu('Client Keys', 'Disable Error Tracking…');
    assert.equal((await workbench.dialog('')).message, `Disable error tracking for ${PROJECT.path}?`);
    await workbench.clickDialogButton('Disable');
    await view.untilWelcome((text) => text.includes('Error tracking is disabled'), 'error tracking disabled again');
    await workbench.clear();
  });

  it('tracked errors can be sorted, filtered by several statuses and a text, loaded to the end and ignored', async () => {
    await select('Local server', TRACKED);
    await view.untilRows((rows) => errors(rows).length > 2, 'errors');
    await workbench.run('Signalbox: Sort Errors…');
    await workbench.choose('Events');
    const often = (rows: readonly Row[]): readonly number[] => errors(rows).map(({ description }) => timesOf(description));
    const sorted = await view.untilRows(
      (rows) => often(rows).length > 2 && often(rows).every((times, at, all) => at === 0 || times <= (all[at - 1] ?? 0)),
      'sorted by events',
    );
    assert.ok((await view.description()).includes('Events'));

    const counted = new Map<string, number>();
    for (const { label } of errors(sorted)) counted.set(label, (counted.get(label) ?? 0) + 1);
    const ignored = [...counted].find(([, count]) => count === 1)?.[0];
    assert.ok(ignored !== undefined, JSON.stringify(sorted));
    await view.chooseFromRowMenu(ignored, 'Ignore Error');
    await workbench.choose('Until I reopen it');
    const shown = await workbench.untilToast(({ message }) => message.startsWith('Ignored: '), 'ignored');
    assert.deepEqual([shown.severity, shown.buttons], ['info', ['Undo']]);
    await workbench.clear();
    await view.untilRows((rows) => errors(rows).length > 2 && !rows.some(({ label }) => label === ignored), 'one error fewer');

    await view.toEnd();
    await view.clickRow('Load more');
    await view.untilRows((rows) => !rows.some(({ label }) => label === 'Load more'), 'more');
    await view.toEnd();
    const last = (await view.untilRows((rows) => errors(rows).length > 2, 'the end')).at(-1);
    assert.equal(last?.icon, 'error', JSON.stringify(last));
    await view.toStart();

    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Level');
    await until(workbench.choices, (labels) => labels[0] === 'Any level', 'the levels');
    await workbench.goBack();
    await workbench.choose('Status');
    await workbench.tickChoice('Ignored');
    await workbench.page.keyboard.press('Enter');
    await until(view.description, (text) => text.includes('Unresolved, Ignored'), 'the filter next to the title');
    await view.untilRows((all) => errors(all).length > 2, 'errors');
    await view.toStart();
    const both = (all: readonly Row[]): boolean => errors(all).some(isIgnored) && errors(all).some((row) => !isIgnored(row));
    await view.untilRows(both, 'ignored and unresolved errors');

    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Text');
    // The list of the step before has an input field, too.
    await workbench.page.locator('.quick-input-message', { hasText: 'Search in titles' }).waitFor();
    await workbench.fillInput('loadTable');
    await view.untilRows(
      (all) => errors(all).length > 0 && errors(all).every(({ description }) => description.includes('loadTable')),
      'errors that contain a text',
    );
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Clear filter');
    await view.untilRows((all) => errors(all).length > 2 && !errors(all).some(isIgnored), 'unresolved errors');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('tracked errors can be assigned, filtered by assignee, and that is undone from the palette', async () => {
    await select('Local server', TRACKED);
    const [first] = errors(await view.untilRows((rows) => errors(rows).length > 2, 'errors'));
    assert.ok(first);
    const isFirst = ({ label, description }: Row): boolean => label === first.label && description.includes(' · @');
    await view.chooseFromRowMenu(first.label, 'Assign Error…');
    await until(workbench.choices, (labels) => labels[0] === 'Me' && labels[1] === 'Nobody', 'who can be assigned');
    await workbench.choose('Me');
    await view.untilRow(isFirst, 'assigned');
    await picture(workbench, 'errors-view-assigned');
    await workbench.clear();
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Assignee');
    await workbench.choose('Assigned to me');
    await view.untilRows((rows) => errors(rows).length === 1 && errors(rows).every(isFirst), 'only what is assigned to me');
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Clear filter');
    await workbench.run('Signalbox: Undo Last Change of an Error');
    await view.untilRows((rows) => errors(rows).length > 2 && !rows.some(isFirst), 'nobody is assigned again');
    await workbench.clear();
  });

  it('tracked errors are found while typing, and opened in a panel', async () => {
    await select('Local server', TRACKED);
    await view.untilRows((rows) => errors(rows).length > 2, 'errors');
    await view.clickTitleAction('Search Errors…');
    await until(workbench.choices, (labels) => labels.length > 2, 'all errors');
    await workbench.page.keyboard.type('malformed');
    // The second line of a choice has a label of its own.
    const isFound = (labels: readonly string[]): boolean =>
      labels.length <= 2 && labels.some((label) => label.includes('malformed'));
    await until(workbench.choices, isFound, 'the error');
    await picture(workbench, 'errors-search');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.locator('.tab.active', { hasText: 'URIError' }).waitFor();
    await workbench.clear();
  });

  it('tracked errors can be resolved and reopened from the palette, which asks for the error', async () => {
    await select('Local server', TRACKED);
    await view.untilRows((rows) => errors(rows).length > 2, 'errors');
    await workbench.run('Signalbox: Refresh Tracked Errors');
    await workbench.run('Signalbox: Resolve Error');
    await until(workbench.choices, (labels) => labels.length > 2, 'errors to resolve');
    const title = 'URIError: URI malformed';
    await workbench.page.keyboard.type('malformed');
    const isChosen = ({ name }: Row): boolean => name.startsWith(title);
    await workbench.choose(title);
    await workbench.untilToast(({ message }) => message === `Resolved: ${title}`, 'resolved');
    await view.untilRows((rows) => errors(rows).length > 2 && !rows.some(isChosen), 'resolved');
    await workbench.clickToast('Resolved', 'Undo');
    await view.untilRow(isChosen, 'unresolved again');
    await workbench.clear();
  });

  it('tracked errors open a file outside of the open folders after a question, and otherwise the code of the event', async () => {
    await select('Local server', TRACKED);
    await view.untilRows((rows) => errors(rows).length > 2, 'errors');
    await workbench.run('Signalbox: Sort Errors…');
    await workbench.choose('Last seen');
    await view.toStart();
    await view.toggleRow('Client Keys');
    const [key] = await untilKeys(1);
    await workbench.setClipboard('');
    await view.clickRowAction(key?.label ?? '', 'Copy Client Key DSN…');
    const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await view.toggleRow('Client Keys');
    await workbench.clear();
    const deployed = path.join(container, 'deployed/outside.js');
    writeFileSync(deployed, "\n\nthrow new Error('derailed');\n");
    const code = { pre_context: ['', 'def depart():'], context_line: '    raise Derailed()', post_context: ['', 'depart()'] };
    const frames = [
      { filename: 'line.py', function: 'depart', lineno: 12, in_app: true, ...code },
      { filename: 'outside.js', abs_path: deployed, function: 'arrive', lineno: 3, colno: 7, in_app: true },
    ];
    await sendError(dsn, { type: 'Derailed', value: 'at signal 7', stacktrace: { frames } });

    await view.untilRow(({ label }) => label === 'Derailed', 'the error');
    await view.toggleRow('Derailed');
    await view.clickRow('arrive');
    const asked = await workbench.untilToast(({ message }) => message.includes(deployed), 'the question');
    assert.deepEqual(asked.buttons, ['Open File', 'Add Folder to Workspace…']);
    assert.equal(await workbench.page.locator('.tab[data-resource-name="outside.js"]').count(), 0);
    await workbench.clickToast(deployed, 'Open File');
    await workbench.page.locator('.statusbar-item', { hasText: 'Ln 3, Col 7' }).waitFor();
    await workbench.clear();

    await view.clickRow('depart');
    const lines = await until(
      workbench.visibleLines,
      (all) => all.some((line) => line.startsWith('> 12 │')),
      'the code of the event',
    );
    assert.deepEqual(
      lines.filter((line) => line.includes('│')),
      ['  10 │', '  11 │ def depart():', '> 12 │     raise Derailed()', '  13 │', '  14 │ depart()'],
    );
    await workbench.page.locator('.codelens-decoration', { hasText: 'Add Folder to Workspace…' }).waitFor();
    assert.deepEqual(await workbench.toasts(), []);
    await view.chooseFromRowMenu('Derailed', 'Resolve Error');
    await view.untilRows((rows) => errors(rows).length > 2 && !rows.some(({ label }) => label === 'Derailed'), 'resolved');
    await workbench.clear();
  });

  it('client keys can be listed, created, copied and deleted in the Tracked Errors view', async () => {
    await select('Local server', TRACKED);
    await view.untilRows((rows) => errors(rows).length > 2, 'errors');
    await view.toStart();
    await view.toggleRow('Client Keys');
    const [first] = await untilKeys(1);
    await view.clickRowAction('Client Keys', 'Create Client Key…');
    await workbench.untilToast(({ message }) => message.includes(' created for '), 'a new client key');
    const [, created] = await untilKeys(2);
    assert.ok(first !== undefined && created !== undefined);
    await workbench.clear();

    await workbench.setClipboard('');
    await view.clickRowAction(created.label, 'Copy Client Key DSN…');
    const dsn = readDsn(await until(workbench.clipboard, (text) => text !== '', 'a DSN'));
    const [use, shown = ''] = created.description.split(' · ');
    assert.equal(use, 'never used');
    const shortened = shown.replace('…', '');
    assert.ok(dsn?.publicKey.startsWith(shortened) === true && shortened.length > 8, `${dsn?.publicKey} is not ${shortened}…`);

    await view.clickRowAction(created.label, 'Delete Client Key…');
    const number = created.label.replace('Client key ', '');
    assert.equal((await workbench.dialog('')).message, `Delete client key ${number} of ${TRACKED.path}?`);
    await workbench.clickDialogButton('Delete');
    const [left] = await untilKeys(1);
    assert.equal(left?.label, first.label);
    await view.toggleRow('Client Keys');
    await workbench.clear();
  });

  it('tracked errors open on the web pages of an instance where the view cannot resolve, merge or split them, and get issues there', async () => {
    await selectInstance(workbench, plain.label);
    current = plain.label;
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with an access token');
    await workbench.fillInput(plain.token);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${plain.username}`), 'signed in');
    await select(plain.label, plain);
    const error = await view.untilRow(({ label }) => label === 'ValueError', 'the error');
    assert.deepEqual(await view.rowActions(error.label), ['Show Error', 'Open Errors in Browser']);
    const page = await openedTab(editor.context, workbench, () => view.clickRowAction(error.label, 'Open Errors in Browser'));
    // No user is signed in there; after signing in the browser returns to the page.
    assert.match(decodeURIComponent(page.url()), new RegExp(`/${plain.path}/-/error_tracking/\\d+/details$`));
    await page.close();

    const title = 'ValueError: cannot load';
    for (const command of ['Merge Errors…', 'Split Error…']) {
      await workbench.run(`Signalbox: ${command}`);
      await workbench.choose(title);
      const shown = await workbench.untilToast(({ message }) => message.includes('only be changed in the browser'), command);
      assert.deepEqual([shown.severity, shown.buttons], ['info', ['Open in Browser']]);
      const opened = await openedTab(editor.context, workbench, () =>
        workbench.clickToast('only be changed in the browser', 'Open in Browser'),
      );
      assert.match(decodeURIComponent(opened.url()), new RegExp(`/${plain.path}/-/error_tracking/\\d+/details$`));
      await opened.close();
    }
    await view.chooseFromRowMenu(error.label, 'Create Issue from Error…');
    await workbench.fillInput('Ships cannot load');
    await workbench.untilToast(
      ({ message }) => message.startsWith('Issue #1 was created. It has a link to the error, but this instance cannot link'),
      'the issue',
    );
    const description = await plain.descriptionOf('1');
    assert.match(description, /<http:\S+\/-\/error_tracking\/\d+\/details>/);
    assert.match(description, /^ValueError: cannot load\n {4}at load \(app\/ship\.py:10\)/m);
    await workbench.clear();
  });

  /** Selects a project of an instance in the views. */
  async function select(instance: string, project: { readonly path: string; readonly name: string }): Promise<void> {
    const isShown = async (): Promise<boolean> => (await view.description()).split(' · ')[0] === project.path;
    if (instance !== current) await selectInstance(workbench, instance);
    current = instance;
    if (await isShown()) return;
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(project.name);
    await until(isShown, (isDone) => isDone, `${project.path} shown`);
  }

  /** Waits until this number of keys is shown below their row. */
  async function untilKeys(count: number): Promise<readonly Row[]> {
    const keys = (rows: readonly Row[]): readonly Row[] => rows.filter(({ label }) => label.startsWith('Client key '));
    return keys(await view.untilRows((rows) => keys(rows).length === count, `${count} client keys`));
  }
});

const isIgnored = ({ icon }: Row): boolean => icon === 'circle-slash';
/** Returns the visible rows of errors. */
const errors = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ description }) => /\bevents · |\b1 event · /.test(description));
const timesOf = (description: string): number => Number(/([\d,]+) events? · /.exec(description)?.[1]?.replaceAll(',', ''));

interface PlainPlatform {
  readonly origin: string;
  /** Label of the instance in the extension. */
  readonly label: string;
  readonly username: string;
  readonly token: string;
  /** Name and path of a project with one error. */
  readonly name: string;
  readonly path: string;
  /** Returns the description of an issue of the project. */
  descriptionOf(iid: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts an instance without Signalbox's own resource that lists errors: its address is unknown there. */
async function startPlainPlatform(): Promise<PlainPlatform> {
  let server: TestServer | undefined;
  const front = http.createServer((request, response) => {
    if (/\/error_tracking\/errors\b/.test(request.url ?? '')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"404 Not Found"}');
      return;
    }
    const { url, method, headers } = request;
    const onward = http.request(new URL(url ?? '/', server?.origin), { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const address = front.address();
  assert.ok(typeof address === 'object' && address !== null);
  const origin = `http://127.0.0.1:${address.port}`;
  server = await startTestServer({ publicUrl: origin });
  const { owner, path: full, send } = trackedProject(server);
  await send(errorEvent('load'));
  return {
    ...{ origin, label: new URL(origin).host, username: owner.user.username, token: owner.token },
    ...{ name: 'Tracked 1', path: full },
    descriptionOf: async (iid) => {
      const address = `${origin}/api/v4/projects/${encodeURIComponent(full)}/issues/${iid}`;
      const issue: unknown = await (await fetch(address, { headers: { 'PRIVATE-TOKEN': owner.token } })).json();
      return (isJsonObject(issue) && stringMember(issue, 'description')) || '';
    },
    close: async () => {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await server?.close();
    },
  };
}
