import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { readDsn } from '../../../src/contract/dsn.ts';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { sendError } from '../../support/sentErrors.ts';
import { textOf } from '../../support/html.ts';
import { DEMO_USER, type RunningPlatform } from '../../support/host/platform.ts';
import { chooseProject } from '../../support/host/suite/clientKeys.ts';
import { activeDocument, errorsOf, lensesOf, selectProject, untilCursor, untilEditor } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { startBehindFront } from '../../support/host/suite/front.ts';
import { panelOf } from '../../support/host/suite/panels.ts';
import { ask, signInAs, startLocally, visitAs } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('tracked errors of the local server', () => {
  let view: View;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-errors-'));
    await start();
    await startLocally();
    view = await workbench.openView('Tracked Errors');
    await view.untilWelcome((text) => text.includes('Select a project'), 'no project');
    await selectProject(view, TRACKED);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    await workbench.run('Signalbox: Sort Errors…');
    await workbench.choose('Last seen');
    await view.untilRows((rows) => errorsOf(rows).length > 2, 'errors');
  });
  afterEach(() => workbench.clear());

  it('tracked errors can be sorted, filtered by several statuses and a text, loaded to the end and ignored', async () => {
    await workbench.run('Signalbox: Sort Errors…');
    await workbench.choose('Events');
    const often = (rows: readonly Row[]): readonly number[] => errorsOf(rows).map(({ description }) => timesOf(description));
    const sorted = await view.untilRows(
      (rows) => often(rows).length > 2 && often(rows).every((times, at, all) => at === 0 || times <= (all[at - 1] ?? 0)),
      'sorted by events',
    );
    assert.ok((await view.description()).includes('Events'));

    const counted = new Map<string, number>();
    for (const { label } of errorsOf(sorted)) counted.set(label, (counted.get(label) ?? 0) + 1);
    const ignored = [...counted].find(([, count]) => count === 1)?.[0];
    assert.ok(ignored !== undefined, JSON.stringify(sorted));
    await view.chooseFromRowMenu(ignored, 'Ignore Error');
    await workbench.choose('Until I reopen it');
    const shown = await workbench.untilToast(({ message }) => message.startsWith('Ignored: '), 'ignored');
    assert.deepEqual([shown.severity, shown.buttons], ['info', ['Undo']]);
    await workbench.clear();
    await view.untilRows((rows) => errorsOf(rows).length > 2 && !rows.some(({ label }) => label === ignored), 'one error fewer');

    const first = (await view.rows()).length;
    await view.clickRow('Load more');
    const all = await view.untilRows((rows) => rows.length > first && !rows.some(({ label }) => label === 'Load more'), 'more');
    assert.equal(errorsOf(all).at(-1), all.at(-1));

    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Level');
    await until(workbench.choices, (labels) => labels[0] === 'Any level', 'the levels');
    await workbench.goBack();
    await workbench.choose('Status');
    await workbench.tickChoice('Ignored');
    await workbench.accept();
    await until(view.description, (text) => text.includes('Unresolved, Ignored'), 'the filter next to the title');
    const both = (rows: readonly Row[]): boolean =>
      errorsOf(rows).some(isIgnored) && errorsOf(rows).some((row) => !isIgnored(row));
    await view.untilRows(both, 'ignored and unresolved errors');

    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Text');
    await workbench.untilInput(({ prompt }) => prompt.startsWith('Search in titles'), 'a text');
    await workbench.fillInput('loadTable');
    await view.untilRows(
      (rows) => errorsOf(rows).length > 0 && errorsOf(rows).every(({ description }) => description.includes('loadTable')),
      'errors that contain a text',
    );
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Clear filter');
    await view.untilRows((rows) => errorsOf(rows).length > 2 && !errorsOf(rows).some(isIgnored), 'unresolved errors');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('tracked errors can be assigned, filtered by assignee, and that is undone from the palette', async () => {
    const [first] = errorsOf(await view.rows());
    assert.ok(first);
    const isFirst = ({ label, description }: Row): boolean => label === first.label && description.includes(' · @');
    await view.chooseFromRowMenu(first.label, 'Assign Error…');
    await until(workbench.choices, (labels) => labels[0] === 'Me' && labels[1] === 'Nobody', 'who can be assigned');
    await workbench.choose('Me');
    await view.untilRow(isFirst, 'assigned');
    await workbench.clear();
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Assignee');
    await workbench.choose('Assigned to me');
    await view.untilRows((rows) => errorsOf(rows).length === 1 && errorsOf(rows).every(isFirst), 'only what is assigned to me');
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose('Clear filter');
    await workbench.run('Signalbox: Undo Last Change of an Error');
    await view.untilRows((rows) => errorsOf(rows).length > 2 && !rows.some(isFirst), 'nobody is assigned again');
  });

  it('tracked errors are found while typing, and opened in a panel', async () => {
    await view.clickTitleAction('Search Errors…');
    await until(workbench.choices, (labels) => labels.length > 2, 'all errors');
    await workbench.type('malformed');
    await until(workbench.choices, (labels) => labels.length === 1 && labels[0]?.includes('malformed') === true, 'the error');
    await workbench.accept();
    const panel = await panelOf((title) => title.includes('URIError'), 'the error');
    panel.close();
  });

  it('tracked errors can be resolved and reopened from the palette, which asks for the error', async () => {
    await workbench.run('Signalbox: Refresh Tracked Errors');
    await workbench.run('Signalbox: Resolve Error');
    // An error further down can be on the next page, depending on what other tests have reported.
    const [title = ''] = await until(workbench.choices, (labels) => labels.length > 2, 'errors to resolve');
    await workbench.type(title.slice(-12));
    const isChosen = ({ name }: Row): boolean => name.startsWith(title);
    await workbench.choose(title);
    await workbench.untilToast(({ message }) => message === `Resolved: ${title}`, 'resolved');
    await view.untilRows((rows) => errorsOf(rows).length > 2 && !rows.some(isChosen), 'resolved');
    await workbench.clickToast('Resolved', 'Undo');
    await view.untilRow(isChosen, 'unresolved again');
  });

  it('tracked errors open a file outside of the open folders after a question, one in them whose path is percent-encoded, and otherwise the code of the event', async () => {
    await view.toggleRow('Client Keys');
    const [key] = await untilKeys(1);
    await workbench.setClipboard('');
    await view.clickRowAction(key?.label ?? '', 'Copy Client Key DSN…');
    const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await view.toggleRow('Client Keys');
    await workbench.clear();
    const deployed = path.join(folder, 'outside.js');
    writeFileSync(deployed, "\n\nthrow new Error('derailed');\n");
    const code = { pre_context: ['', 'def depart():'], context_line: '    raise Derailed()', post_context: ['', 'depart()'] };
    const routes = path.join(workspaceFolder(), 'routes');
    mkdirSync(path.join(routes, '[slug]'), { recursive: true });
    writeFileSync(path.join(routes, '[slug]', 'größe.js'), '\nmeasure();\n');
    const frames = [
      { filename: 'app:///routes/%5Bslug%5D/gr%C3%B6%C3%9Fe.js', function: 'measure', lineno: 2, colno: 3, in_app: true },
      { filename: 'line.py', function: 'depart', lineno: 12, in_app: true, ...code },
      { filename: 'outside.js', abs_path: deployed, function: 'arrive', lineno: 3, colno: 7, in_app: true },
    ];
    await sendError(dsn, { type: 'Derailed', value: 'at signal 7', stacktrace: { frames } });

    await view.untilRow(({ label }) => label === 'Derailed', 'the error, without a refresh');
    await view.toggleRow('Derailed');
    await view.clickRow('arrive');
    const asked = await workbench.untilToast(({ message }) => message.includes(deployed), 'the question');
    assert.deepEqual(asked.buttons, ['Open File', 'Add Folder to Workspace…']);
    assert.deepEqual(openFiles(), []);
    await workbench.clickToast(deployed, 'Open File');
    await untilCursor('outside.js', 3, 7);
    await view.clickRow('measure');
    await untilCursor('größe.js', 2, 3);
    rmSync(routes, { recursive: true });

    await view.clickRow('depart');
    const lines = await untilEditor((text) => text.includes('> 12 │'), 'the code of the event');
    assert.deepEqual(
      lines.filter((line) => line.includes('│')).map((line) => line.trimEnd()),
      ['  10 │', '  11 │ def depart():', '> 12 │     raise Derailed()', '  13 │', '  14 │ depart()'],
    );
    assert.ok((await lensesOf(activeDocument())).includes('Add Folder to Workspace…'));
    assert.deepEqual(await workbench.toasts(), []);
    await view.chooseFromRowMenu('Derailed', 'Resolve Error');
    await view.untilRows((rows) => errorsOf(rows).length > 2 && !rows.some(({ label }) => label === 'Derailed'), 'resolved');
  });

  it('client keys can be listed, created, copied and deleted in the Tracked Errors view', async () => {
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
  });

  /** Returns the paths of the files in visible editors. Panels are editors, too. */
  function openFiles(): readonly string[] {
    const uris = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
    return uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
  }

  /** Waits until this number of keys is shown below their row. */
  async function untilKeys(count: number): Promise<readonly Row[]> {
    const keys = (rows: readonly Row[]): readonly Row[] => rows.filter(({ label }) => label.startsWith('Client key '));
    return keys(await view.untilRows((rows) => keys(rows).length === count, `${count} client keys`));
  }
});

describe('tracked errors of an instance where the view cannot change them', () => {
  let platform: RunningPlatform;
  let view: View;
  before(async () => {
    platform = await startBehindFront((request, response) => {
      const isRefused = /\/error_tracking\/errors\b/.test(request.url ?? '');
      if (isRefused) response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"404 Not Found"}');
      return isRefused;
    });
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
    view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });

  it('tracked errors open on the web pages of an instance where the view cannot resolve, merge or split them, and get issues there', async () => {
    const [error] = errorsOf(await view.untilRows((rows) => errorsOf(rows).length > 0, 'errors'));
    assert.ok(error);
    assert.deepEqual(await view.rowActions(error.label), ['Show Error', 'Open Errors in Browser']);
    await view.clickRowAction(error.label, 'Open Errors in Browser');
    const page = new RegExp(`/${TRACKED.path}/-/error_tracking/(\\d+)/details$`);
    const opened = await workbench.untilPage((address) => page.test(address), 'the error');

    for (const command of ['Merge Errors…', 'Split Error…']) {
      await workbench.run(`Signalbox: ${command}`);
      const [title] = await workbench.choices();
      await workbench.choose(title ?? '');
      const shown = await workbench.untilToast(({ message }) => message.includes('only be changed in the browser'), command);
      assert.deepEqual([shown.severity, shown.buttons], ['info', ['Open in Browser']]);
      const before = workbench.openedPages().length;
      await workbench.clickToast('only be changed in the browser', 'Open in Browser');
      await until(
        workbench.openedPages,
        (all) => all.length > before && page.test(all.at(-1) ?? ''),
        `the page after ${command}`,
      );
    }
    await view.chooseFromRowMenu(error.label, 'Create Issue from Error…');
    await workbench.fillInput('Ships cannot load');
    const created = await workbench.untilToast(
      ({ message }) => /^Issue #\d+ was created\. It has a link to the error, but this instance cannot link/.test(message),
      'the issue',
    );
    const iid = /#(\d+)/.exec(created.message)?.[1];
    const issue = await ask(platform, 'GET', `/api/v4/projects/${encodeURIComponent(TRACKED.path)}/issues/${iid}`);
    const description = (isJsonObject(issue) && stringMember(issue, 'description')) || '';
    assert.ok(description.includes(`<${opened}>`), description);
    assert.match(description, new RegExp(`^${error.label}: .*\\n {4}at `, 'm'));
    const linked = await visitAs(platform, DEMO_USER.username, opened);
    assert.equal(linked.address.href, opened);
    const [, title = ''] = new RegExp(`^(${error.label}: .*)$`, 'm').exec(description) ?? [];
    assert.equal(textOf(/<h1>.*<\/h1>/s.exec(linked.page)?.[0] ?? ''), title);
  });
});

const isIgnored = ({ icon }: Row): boolean => icon === 'circle-slash';
const timesOf = (description: string): number => Number(/([\d,]+) events? · /.exec(description)?.[1]?.replaceAll(',', ''));

/** Responds to these requests like an instance that does not have their routes. */
function withoutRoutes(routes: RegExp, asked: string[]): ReturnType<typeof startBehindFront> {
  return startBehindFront(({ url = '' }, response) => {
    if (/error_tracking|graphql/.test(url)) asked.push(url);
    const isMissing = routes.test(url);
    if (isMissing) response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"404 Not Found"}');
    return isMissing;
  });
}

describe('tracked errors of an instance without error tracking', () => {
  const SENTENCE = 'This instance has no error tracking.';
  const asked: string[] = [];
  let platform: RunningPlatform;
  let view: View;
  before(async () => {
    platform = await withoutRoutes(/\/error_tracking\b|\/api\/graphql/, asked);
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
    view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
    await until(view.message, (message) => message === SENTENCE, 'that there is no error tracking');
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });
  afterEach(() => workbench.clear());

  it('tracked errors of such an instance are one sentence without rows, messages and a badge, and are not requested again', async () => {
    assert.deepEqual([await view.rows(), await view.welcomeText(), await workbench.badge()], [[], '', '']);
    const requests = asked.length;
    view.close();
    await workbench.openView('Tracked Errors');
    await workbench.openFile(workbench.writeFile('src/main.js', 'main();\n'));
    await workbench.run('Signalbox: Refresh Activity');
    await until(view.message, (message) => message === SENTENCE, 'still that there is no error tracking');
    assert.deepEqual([asked.length, await workbench.toasts()], [requests, []]);
  });

  for (const command of [
    'Search Errors…',
    'Filter Errors…',
    'Sort Errors…',
    'Show Error',
    'Resolve Error',
    'Assign Error…',
    'Open Errors in Browser',
    'Enable Error Tracking…',
    'Disable Error Tracking…',
  ])
    it(`the command “${command}” says that the instance has no error tracking`, async () => {
      await workbench.run(`Signalbox: ${command}`);
      const toast = await workbench.untilToast(() => true, 'a message');
      assert.deepEqual([toast.severity, toast.message], ['info', SENTENCE]);
    });

  for (const command of [
    'Create Client Key…',
    'Copy Client Key DSN…',
    'Send Test Error…',
    'Rotate Client Key…',
    'Delete Client Key…',
  ])
    it(`the command “${command}” says that the instance has no error tracking`, async () => {
      await workbench.run(`Signalbox: ${command}`);
      await chooseProject(TRACKED);
      const toast = await workbench.untilToast(() => true, 'a message');
      assert.deepEqual([toast.severity, toast.message], ['info', SENTENCE]);
    });
});

describe('tracked errors of an instance that offers them by GraphQL only', () => {
  const SENTENCE = 'This instance does not offer client keys in its API.';
  let platform: RunningPlatform;
  let view: View;
  before(async () => {
    platform = await withoutRoutes(/\/error_tracking\b/, []);
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
    view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });

  it('the place of client keys says why there are none, and so do their commands', async () => {
    await view.untilRows((rows) => errorsOf(rows).length > 0, 'errors');
    await view.toggleRow('Client Keys');
    await view.untilRow(({ label }) => label === SENTENCE, 'why there are no keys');
    await workbench.run('Signalbox: Create Client Key…');
    await chooseProject(TRACKED);
    await workbench.untilToast(({ message }) => message === SENTENCE, 'why there are no keys');
  });
});
