import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { type GitClient, gitClient } from '../../support/gitClient.ts';
import { chooseProject, type CreatedKey, createKey, deleteKey } from '../../support/host/suite/clientKeys.ts';
import { trackErrorsOf } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { openRepository, removeRepository } from '../../support/host/suite/repository.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import { textOfMarkdown } from '../../support/host/suite/texts.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { TERMINAL_SETTINGS } from '../../support/host/terminal.ts';
import { sendError } from '../../support/sentErrors.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user with error tracking, of which the folder becomes a clone. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;
/** Another project of the demo user, without error tracking. */
const OTHER_PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
/** ID of a public project of somebody else. */
const PUBLIC_PROJECT = 7;
/** File that git tracks. */
const TRACKED = 'tide.yaml';

describe('DSNs in files and terminals', () => {
  let container: string;
  let git: GitClient['succeed'];
  /** Newest key of the project; no test deletes it. */
  let stored: CreatedKey;

  before(async () => {
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-dsns-'));
    const { succeed } = gitClient(container);
    git = (...args) => succeed('-C', workspaceFolder(), ...args);
    workbench.writeFile(TRACKED, '');
    await git('init', '--quiet');
    await git('add', TRACKED);
    await openRepository();
    await start({ settings: { ...TERMINAL_SETTINGS, 'files.autoSave': 'off' } });
    await startLocally();
    stored = await createKey(PROJECT);
  });
  after(async () => {
    await removeRepository();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(async () => {
    await workbench.clear();
    await workbench.setSetting('signalbox.dsn.diagnostics', undefined);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('the DSN of a deleted key is reported in .env, and replaced by that of a key of the project', async () => {
    const gone = await createKey(PROJECT);
    await deleteKey(PROJECT, gone);
    const text = (dsn: string): string => `# Settings of the shop\nSENTRY_DSN=${dsn}\nSHOP_DSN=${stored.dsn}\n`;
    const document = await open('.env', text(gone.dsn));
    const [problem] = await untilProblems(document, 1);
    assert.equal(problem?.severity, vscode.DiagnosticSeverity.Warning);
    assert.match(problem.message, /amara\/berth-api has no such client key any more/);
    assert.equal(document.getText(problem.range), gone.dsn);
    await applyFix(document, problem, `Use Client Key ${stored.id} of ${PROJECT.path}`, true);
    await untilProblems(document, 0);
    await save(document, text(stored.dsn));
  });

  it('the hover of a DSN says its project, the state of its key and its last event', async () => {
    await sendError(stored.dsn, { type: 'RangeError', value: 'no lamp' }, { release: 'lamps@1.0.0', server_name: 'berth-1' });
    const document = await open('docs.yaml', `used: ${stored.dsn}\ngone: ${unknownKey()}\n`);
    const [problem] = await untilProblems(document, 1);
    const used = await hover(document, 0);
    assert.ok(used.includes(`DSN of client key ${stored.id} of ${PROJECT.path}, which is active.`), used);
    assert.match(used, /Last event: .+, of lamps@1\.0\.0 · berth-1 · /);
    assert.equal(
      used
        .replaceAll(/\(command:[^)]*\)/g, '')
        .split('\n')
        .at(-1),
      '[Copy DSN] | [Rotate Client Key…] | [Send Test Error…]',
    );
    // The editor adds the problem.
    assert.equal(await hover(document, 1), 'This DSN belongs to amara/berth-api.');
    assert.equal(problem?.range.start.line, 1);
    assert.match(problem.message, /amara\/berth-api has no such client key any more/);
  });

  it('DSNs of another project and of another instance are reported in a clone, and replaced by that of a key of its project', async () => {
    const billing = await trackErrorsOf(OTHER_PROJECT, await workbench.openView('Tracked Errors'));
    const elsewhere = stored.dsn.replace(/@[^/]+/, '@errors.example.com');
    const { dsn, id } = stored;
    await git('remote', 'add', 'origin', `${new URL(dsn).origin}/${PROJECT.path}.git`);
    try {
      const document = await open('other.yaml', `own: ${dsn}\nbilling: ${billing}\nelsewhere: ${elsewhere}\n`);
      const [ofBilling, ofInstance] = await untilProblems(document, 2);
      assert.ok(ofBilling && ofInstance);
      for (const { severity } of [ofBilling, ofInstance]) assert.equal(severity, vscode.DiagnosticSeverity.Information);
      assert.match(ofBilling.message, /^This DSN is of \S+\/billing, but this folder is a clone of amara\/berth-api\.$/);
      assert.equal(document.getText(ofBilling.range), billing);
      await applyFix(document, ofBilling, `Use Client Key ${id} of ${PROJECT.path}`, false);
      const [left] = await untilProblems(document, 1);
      assert.match(
        left?.message ?? '',
        /^This DSN is of errors\.example\.com, but this folder is a clone from Managed server\.$/,
      );
      await applyFix(document, left, `Use Client Key ${id} of ${PROJECT.path}`, false);
      await untilProblems(document, 0);
      await save(document, `own: ${dsn}\nbilling: ${dsn}\nelsewhere: ${dsn}\n`);
    } finally {
      await git('remote', 'remove', 'origin');
    }
  });

  it('problems of DSNs can be switched off', async () => {
    const document = await open('shop.yaml', `dsn: ${unknownKey()}\n`);
    await untilProblems(document, 1);
    await workbench.setSetting('signalbox.dsn.diagnostics', false);
    await untilProblems(document, 0);
    await workbench.setSetting('signalbox.dsn.diagnostics', undefined);
    await untilProblems(document, 1);
  });

  it('the DSN of a public project is reported in a file that git tracks', async () => {
    const dsn = stored.dsn.replace(/\d+$/, String(PUBLIC_PROJECT));
    const untracked = await open('copy.yaml', `dsn: ${dsn}\n`);
    const tracked = await open(TRACKED, `dsn: ${dsn}\n`, vscode.ViewColumn.Beside);
    const [problem] = await untilProblems(tracked, 1);
    assert.equal(problem?.severity, vscode.DiagnosticSeverity.Information);
    assert.match(problem.message, /^Git tracks this file, and \S+ is public: everybody can read this DSN/);
    assert.deepEqual(problemsOf(untracked), []);
  });

  it('a terminal has the DSN of a client key in SENTRY_DSN', async () => {
    await workbench.run('Signalbox: Open Terminal with DSN…');
    await chooseProject(PROJECT);
    await workbench.choose(`Client key ${stored.id}`);
    const terminals = await until(
      () => vscode.window.terminals,
      (all) => all.length > 0,
      'a terminal',
    );
    const [terminal] = terminals;
    assert.ok(terminal);
    const { message } = terminal.creationOptions as vscode.TerminalOptions;
    assert.equal(message, `In this terminal, SENTRY_DSN is the DSN of client key ${stored.id} of ${PROJECT.path}.`);
    const file = path.join(container, 'variable');
    terminal.sendText(`printenv SENTRY_DSN >${file}.new; mv ${file}.new ${file}; exit`);
    await until(
      () => existsSync(file),
      (exists) => exists,
      'the variable',
    );
    assert.equal(readFileSync(file, 'utf8'), `${stored.dsn}\n`);
    await until(
      () => vscode.window.terminals.length,
      (count) => count === 0,
      'the end of the terminal',
    );
  });

  /** Returns a DSN of the project with a key that it does not have. */
  function unknownKey(): string {
    return stored.dsn.replace(/glet_\w+/, `glet_${'0'.repeat(32)}`);
  }

  /** Shows a file of the folder with this text in an editor. */
  async function open(name: string, text: string, viewColumn = vscode.ViewColumn.One): Promise<vscode.TextDocument> {
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(workbench.writeFile(name, text)), { viewColumn });
    await until(
      () => document.getText(),
      (shown) => shown === text,
      name,
    );
    return document;
  }
});

/** Returns the problems of DSNs in a document, from the top. */
function problemsOf({ uri }: vscode.TextDocument): readonly vscode.Diagnostic[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ code }) => String(code).startsWith('dsn.'))
    .toSorted((one, other) => one.range.start.compareTo(other.range.start));
}

function untilProblems(document: vscode.TextDocument, count: number): Promise<readonly vscode.Diagnostic[]> {
  return until(
    () => problemsOf(document),
    (all) => all.length === count,
    `${count} problems`,
  );
}

/** Applies the first fix of a problem, which must have this title. */
async function applyFix(
  { uri }: vscode.TextDocument,
  problem: vscode.Diagnostic | undefined,
  title: string,
  isPreferred: boolean,
): Promise<void> {
  const actions: unknown = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, problem?.range);
  assert.ok(Array.isArray(actions));
  const [first] = actions as readonly vscode.CodeAction[];
  assert.equal(first?.title, title);
  assert.equal(first.isPreferred === true, isPreferred);
  assert.ok(first.edit && (await vscode.workspace.applyEdit(first.edit)));
}

/** Saves a document, whose file must then have this text. */
async function save(document: vscode.TextDocument, text: string): Promise<void> {
  assert.ok(await document.save());
  assert.equal(readFileSync(document.fileName, 'utf8'), text);
}

/** Returns the text of the hover of the DSN in a line (0-based). */
async function hover(document: vscode.TextDocument, line: number): Promise<string> {
  const { range } = document.lineAt(line);
  const hovers: unknown = await vscode.commands.executeCommand(
    'vscode.executeHoverProvider',
    document.uri,
    range.end.translate(0, -10),
  );
  assert.ok(Array.isArray(hovers));
  const contents = (hovers as readonly vscode.Hover[]).flatMap((one) => one.contents);
  return contents.map((one) => (typeof one === 'string' ? one : textOfMarkdown(one))).join('\n\n');
}
