import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { ADDED, createReleasedCode, type RunInFolder } from '../../support/host/releasedCode.ts';
import { clickLens, clickLink, errorPage, lensesOf, type MarkedLine, markedLines } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { openRepository, removeRepository } from '../../support/host/suite/repository.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import { textOfMarkdown } from '../../support/host/suite/texts.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const TRACKED = 'Berth API';
/** A file in which demo errors happen, and one of their lines. */
const FILE = 'server.js';
const CODE = 'const table = await loadTable(request.params.harbour);';
/** Number of that line (1-based) in the releases. */
const REPORTED = 30;
/** Number of lines that were added above it since, further away than the code of an event is searched. */
const COUNT = 70;
const NOW = REPORTED + COUNT;

describe('marks at lines of errors', () => {
  let container: string;
  let git: RunInFolder;
  let editor: vscode.TextEditor;
  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-marks-'));
    ({ git } = await createReleasedCode(workspaceFolder(), container, FILE, COUNT));
    await openRepository();
    await start({ settings: { 'files.autoSave': 'off' } });
    await startLocally();
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(TRACKED);
  });
  after(async () => {
    await removeRepository();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  beforeEach(async () => {
    editor = await workbench.openFile(`berth-api/${FILE}`);
    await untilMarked(NOW);
  });
  afterEach(async () => {
    await workbench.clear();
    for (const name of ['text', 'gutter', 'codeLens']) await workbench.setSetting(`signalbox.errorMarks.${name}`, undefined);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('marks at lines of errors say beside and at the end of a line how often its errors happen, with a hover', async () => {
    const { text, hasIcon, hover } = await untilMarked(NOW);
    assert.match(text, /^(?:\d+ errors · )?[\d,]+ events? · .*(?:ago|now|yesterday)$/);
    assert.ok(hasIcon);
    const shown = textOfMarkdown(hover);
    assert.match(shown, /^\*\*TypeError: fetch failed\*\*\n\n[\d,]+ events? · /m);
    assert.ok(shown.includes('Release: berth-api@1.4.0'), shown);
  });

  it('marks at lines of errors follow the commits since the release, as the panel does, which also names the suspect commit', async () => {
    await goToMark(NOW - 1, NOW);
    clickLink(hoverOf(await untilMarked(NOW)), 'Show Error');
    const page = await errorPage('');
    const { event } = await page.untilShown((state) => state.event !== null, 'the error');
    const places = await until(
      () => page.messages().findLast((message) => message.type === 'places' && message.places.length > 0),
      (message) => message !== undefined,
      'the places of the frames',
    );
    assert.ok(places?.type === 'places' && places.event === event?.id);
    const place = places.places.find(({ line }) => line === NOW);
    assert.equal(place?.doubt, null, JSON.stringify(places));
    await until(
      () => page.messages().findLast(({ type }) => type === 'suspect'),
      (message) => message?.type === 'suspect' && message.suspect.commit?.title === 'Write the service',
      'the suspect commit',
    );
    goToLine(1);
    page.send({ type: 'openFrame', stack: place?.stack ?? -1, frame: place?.frame ?? -1 });
    await untilCursorAt(NOW);
    page.close();
  });

  it('marks at lines of errors follow unsaved edits, a deleted line and its restoration, until the file is reverted', async () => {
    const insert = (lines: number): Thenable<boolean> =>
      editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '\n'.repeat(lines)));
    // The extension marks the file again after an insertion of 60 lines. After one of few lines, VS Code itself moves the marks.
    await insert(60);
    await untilMarked(NOW + 60);
    await insert(3);
    await goToMark(NOW + 62, NOW + 63);
    const before = markedCode();
    assert.ok(before.some(hasCode));
    await vscode.commands.executeCommand('editor.action.deleteLines');
    await until(markedCode, (all) => all.join() === before.filter((line) => !hasCode(line)).join(), 'the other marks');
    await vscode.commands.executeCommand('undo');
    await until(markedCode, (all) => all.join() === before.join(), 'the mark of the line again');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await untilMarked(NOW);
    await goToMark(NOW - 1, NOW);
  });

  it('marks at lines of errors are at the reported lines while the release is checked out', async () => {
    try {
      await checkOut('v1.4.0');
      await untilMarked(REPORTED);
      await goToMark(REPORTED - 1, REPORTED);
    } finally {
      await checkOut('main');
    }
    await untilMarked(NOW);
    await goToMark(NOW - 1, NOW);
  });

  it('marks at lines of errors can be shown as code lenses, which open the panel', async () => {
    const { document } = editor;
    const lenses = (titles: readonly string[]): readonly string[] => titles.filter((title) => / · [\d,]+ events?$/.test(title));
    assert.deepEqual(lenses(await lensesOf(document)), []);
    await workbench.setSetting('signalbox.errorMarks.codeLens', true);
    await until(
      () => lensesOf(document),
      (titles) => lenses(titles).some((title) => title.includes('There is no berth')),
      'code lenses',
    );
    await clickLens(document, 'There is no berth');
    const page = await errorPage('There is no berth');
    await page.untilShown(({ detail }) => detail.title.includes('There is no berth'), 'the error');
    page.close();
    await workbench.setSetting('signalbox.errorMarks.codeLens', undefined);
    await until(
      () => lensesOf(document),
      (titles) => lenses(titles).length === 0,
      'no code lenses',
    );
  });

  it('marks at lines of errors can be visited one after another from the palette', async () => {
    goToLine(1);
    await workbench.run('Signalbox: Next Error in File');
    const first = await until(cursorLine, (at) => at > 1, 'the first marked line');
    await workbench.run('Signalbox: Next Error in File');
    await until(cursorLine, (at) => at > first, 'the line after it');
    await workbench.run('Signalbox: Previous Error in File');
    await untilCursorAt(first);
  });

  it('marks at lines of errors are shown in the file that fits best, and in none of two that fit equally well', async () => {
    const file = (name: string): vscode.Uri => vscode.Uri.file(path.join(workspaceFolder(), name, 'payments.js'));
    const change = async (add: (edit: vscode.WorkspaceEdit) => void): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      add(edit);
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    const untilCount = (document: vscode.TextDocument, accept: (count: number) => boolean, what: string): Promise<number> =>
      until(() => markedLines(document).length, accept, what);
    try {
      const best = (await workbench.openFile('berth-api/payments.js')).document;
      await untilCount(best, (count) => count > 0, 'marks in the best file');
      const text = best.getText();
      workbench.writeFile('copy/berth-api/payments.js', text);
      const { document } = await vscode.window.showTextDocument(file('copy/berth-api'), { viewColumn: vscode.ViewColumn.Beside });
      await untilCount(best, (count) => count > 0, 'marks in the best file');
      assert.deepEqual(markedLines(document), []);

      await change((edit) => edit.deleteFile(file('berth-api')));
      await untilCount(document, (count) => count > 0, 'marks in the only file');
      await change((edit) => edit.createFile(file('other/berth-api'), { contents: Buffer.from(text) }));
      await untilCount(document, (count) => count === 0, 'marks in neither of both files');
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      for (const name of ['copy', 'other']) rmSync(path.join(workspaceFolder(), name), { recursive: true, force: true });
      await git('checkout', '--quiet', '--force', 'main');
    }
  });

  it('marks at lines of errors offer actions in their hover, and leave when the error is resolved', async () => {
    const { document } = await workbench.openFile('berth-api/tides.js');
    const before = await until(
      () => markedLines(document),
      (all) => all.some(({ code }) => code.includes('await fetch(')),
      'a mark',
    );
    clickLink(hoverOf(before.find(({ code }) => code.includes('await fetch('))), 'Resolve');
    await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved');
    const textsOf = (all: readonly MarkedLine[]): string => JSON.stringify(all.map(({ code, text }) => [code, text]));
    await until(
      () => markedLines(document),
      (all) => textsOf(all) !== textsOf(before),
      'other marks',
    );
    await workbench.clickToast('Resolved: ', 'Undo');
    await until(
      () => markedLines(document),
      (all) => all.length === before.length,
      'the mark again',
    );
  });

  it('marks at lines of errors can be turned off one by one', async () => {
    const set = (name: string, value: false | undefined): Promise<void> =>
      workbench.setSetting(`signalbox.errorMarks.${name}`, value);
    const marks = (): readonly MarkedLine[] => markedLines(editor.document);
    await set('text', false);
    await until(marks, (all) => all.length > 0 && all.every(({ text, hasIcon }) => text === '' && hasIcon), 'no texts');
    assert.ok(marks().every(({ hover }) => hover !== undefined));
    await set('gutter', false);
    await until(marks, (all) => all.length === 0, 'no icons');
    await set('text', undefined);
    await until(marks, (all) => all.length > 0 && all.every(({ text, hasIcon }) => text !== '' && !hasIcon), 'texts');
    await set('gutter', undefined);
    await until(marks, (all) => all.length > 0 && all.every(({ text, hasIcon }) => text !== '' && hasIcon), 'both');
  });

  /** Waits until the line of the error that is looked at is marked where it is expected. */
  async function untilMarked(line: number): Promise<MarkedLine> {
    const isIt = (mark: MarkedLine): boolean => mark.line === line && hasCode(mark.code);
    const all = await until(
      () => markedLines(editor.document),
      (marks) => marks.some(isIt),
      `a mark at line ${line}`,
    );
    const found = all.find(isIt);
    assert.ok(found);
    return found;
  }

  /** Returns the lines of code with a mark, from the top. */
  function markedCode(): readonly string[] {
    return markedLines(editor.document).map(({ code }) => code);
  }

  function cursorLine(): number {
    const { activeTextEditor } = vscode.window;
    return (activeTextEditor?.selection.active.line ?? -1) + 1;
  }

  function goToLine(line: number): void {
    const at = new vscode.Position(line - 1, 0);
    editor.selection = new vscode.Selection(at, at);
  }

  async function untilCursorAt(line: number): Promise<void> {
    await until(cursorLine, (at) => at === line, `the cursor at line ${line}`);
  }

  /** Goes from a line to the next mark, which must be at `expected`. */
  async function goToMark(from: number, expected: number): Promise<void> {
    goToLine(from);
    await untilCursorAt(from);
    await workbench.run('Signalbox: Next Error in File');
    await untilCursorAt(expected);
  }

  /** Checks out a release or `main`, and waits until the editor shows the file of that commit. */
  async function checkOut(revision: string): Promise<void> {
    await git('checkout', '--quiet', '--force', revision);
    await until(
      () => editor.document.getText().includes(ADDED),
      (hasAdded) => hasAdded === (revision === 'main'),
      `${FILE} of ${revision}`,
    );
  }
});

/** Returns true for the line of the error that is looked at. */
function hasCode(line: string): boolean {
  return line.includes(CODE);
}

function hoverOf(mark: MarkedLine | undefined): vscode.MarkdownString {
  assert.ok(mark?.hover, 'no hover');
  return mark.hover;
}
