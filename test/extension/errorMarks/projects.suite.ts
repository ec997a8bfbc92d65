import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Context } from 'mocha';
import * as vscode from 'vscode';
import { programPath } from '../../support/environment.ts';
import { type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { clickLink, errorPage, errorTypesIn, markedLines } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { selectInstance, signInAs } from '../../support/host/suite/signIn.ts';
import { textOfMarkdown } from '../../support/host/suite/texts.ts';
import {
  createProject,
  createRepository,
  createTrackedProject,
  sendErrorAt,
  type TrackedProject,
} from '../../support/host/suite/trackedProject.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
/** Number of projects of which one folder is a clone: more than are asked about. */
const MANY = 25;
const MAX_PROJECTS = 20;

describe('marks of several projects', () => {
  let first: RunningPlatform;
  let second: RunningPlatform;
  let untracked: { readonly id: number; readonly path: string };
  let shop: TrackedProject;
  let stock: TrackedProject;
  /** Project that no folder is a clone of in the first place. */
  let tools: TrackedProject;
  /** Project of the second server with the path of a project of the first one. */
  let twin: TrackedProject;
  before(async function (this: Context) {
    if (programPath('git') === undefined) {
      console.log('skipped: git is not installed');
      this.skip();
    }
    [first, second] = await Promise.all([startPlatform('none'), startPlatform('none')]);
    shop = await createTrackedProject(first, 'shop');
    stock = await createTrackedProject(first, 'stock');
    tools = await createTrackedProject(first, 'tools');
    twin = await createTrackedProject(second, 'shop');
    untracked = await createProject(first, 'plain');
    await sendErrorAt(shop, 'ShopError', 'server.js', 3);
    await sendErrorAt(stock, 'StockError', 'server.js', 3);
    await sendErrorAt(stock, 'SharedError', 'shared.js', 2);
    await sendErrorAt(tools, 'ToolsError', 'server.js', 3);
    await sendErrorAt(twin, 'TwinError', 'server.js', 3);
    const { port } = new URL(first.origin);
    createRepository('shop', {
      origin: addressOf(first, shop.path),
      stock: addressOf(first, stock.path),
      tools: addressOf(first, tools.path),
    });
    createRepository('stock', {
      origin: `http://localhost:${port}/${stock.path}.git`,
      capitals: addressOf(first, stock.path.toUpperCase()),
    });
    createRepository('twin', { origin: addressOf(second, twin.path) });
    createRepository('bare', { origin: addressOf(first, untracked.path), hidden: addressOf(first, 'root/no-such-project') });
    createRepository(
      'many',
      Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`r${at}`, addressOf(first, `root/many-${at}`)])),
    );
    for (const folder of ['shop', 'stock', 'twin', 'bare', 'many', 'loose']) {
      workbench.writeFile(`${folder}/server.js`, lines(folder));
      workbench.writeFile(`${folder}/shared.js`, lines(folder));
    }
    await start({ settings: { 'signalbox.instances': [{ url: first.origin }, { url: second.origin }] } });
    await signInAs(second, 'root');
    await signInAs(first, 'root');
  });
  after(async () => {
    await Promise.all([first?.close(), second?.close()]);
  });
  afterEach(async () => {
    await workbench.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('marks of several projects are in the files of the folder of each project, by its own account, and not in files of the same name elsewhere', async () => {
    assert.deepEqual(await untilTypes('stock/server.js', ['StockError']), ['StockError']);
    assert.deepEqual(await untilTypes('twin/server.js', ['TwinError']), ['TwinError']);
    // One of the other remotes of the folder leads to a project that has a folder of its own, the other one to a project that has none.
    assert.deepEqual(await untilTypes('shop/server.js', ['ShopError', 'ToolsError']), ['ShopError', 'ToolsError']);
  });

  it('marks of several projects are requested only while a file of their folder is visible, and projects without errors to see once', async () => {
    const requestsOf = async (names: readonly (string | number)[]): Promise<readonly string[]> =>
      (await first.apiRequests()).filter((one) => names.some((name) => one.startsWith(`/api/v4/projects/${name}/`)));
    const ofUntracked = [untracked.id, encodeURIComponent(untracked.path)];
    const ofStock = [stock.id, encodeURIComponent(stock.path)];
    const before = (await requestsOf(ofStock)).length;
    const bare = await workbench.openFile('bare/server.js');
    await until(
      () => requestsOf(ofUntracked),
      (all) => all.length > 0,
      'the project without error tracking',
    );
    await until(
      () => first.statuses('/api/v4/projects/root%2Fno-such-project'),
      (all) => all.length > 0,
      'the project that nobody sees',
    );
    assert.deepEqual(errorTypesIn(bare.document), []);
    const after = await requestsOf(ofUntracked);
    assert.equal((await requestsOf(ofStock)).length, before);
    await untilTypes('stock/server.js', ['StockError']);
    await workbench.openFile('bare/server.js');
    await untilTypes('stock/server.js', ['StockError']);
    assert.deepEqual(await first.statuses('/api/v4/projects/root%2Fno-such-project'), [404]);
    assert.deepEqual(await requestsOf(ofUntracked), after);
  });

  it('marks of several projects ask about a limited number of projects', async () => {
    await workbench.openFile('many/server.js');
    const asked = async (): Promise<number> => {
      const requests = await first.apiRequests();
      return new Set(requests.filter((one) => one.includes('root%2Fmany-'))).size;
    };
    await until(asked, (count) => count > 0, 'the projects');
    await untilTypes('stock/server.js', ['StockError']);
    assert.ok((await asked()) <= MAX_PROJECTS, String(await asked()));
  });

  it('marks of several projects act on their own project, and stay when another project is selected', async () => {
    const { document } = await workbench.openFile('stock/shared.js');
    const hover = await untilHover(document, 'SharedError');
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose('plain');
    clickLink(hover, 'Show Error');
    const page = await errorPage('SharedError');
    await page.untilShown(({ detail }) => detail.title.includes('SharedError'), 'the error');
    page.close();
    assert.deepEqual(errorTypesIn(document), ['SharedError']);
    clickLink(await untilHover(document, 'SharedError'), 'Resolve');
    await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved');
    await until(
      () => errorTypesIn(document),
      (types) => types.length === 0,
      'no mark',
    );
    await workbench.clickToast('Resolved: ', 'Undo');
    await untilHover(document, 'SharedError');
  });

  it('marks of several projects leave with the account that sees them, and those of other accounts stay', async () => {
    const ofFirst = (await workbench.openFile('stock/server.js')).document;
    const ofSecond = (
      await vscode.window.showTextDocument(vscode.Uri.file(path.join(workspaceFolder(), 'twin/server.js')), {
        viewColumn: vscode.ViewColumn.Beside,
      })
    ).document;
    await untilHover(ofFirst, 'StockError');
    await untilHover(ofSecond, 'TwinError');
    await selectInstance(second.label);
    await untilSignedIn(second);
    await untilHover(ofFirst, 'StockError');
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await until(
      () => errorTypesIn(ofSecond),
      (types) => types.length === 0,
      'no marks of the second server',
    );
    assert.deepEqual(errorTypesIn(ofFirst), ['StockError']);
    await signInAs(second, 'root');
    await untilHover(ofSecond, 'TwinError');
    await selectInstance(first.label);
    await untilSignedIn(first);
  });

  it('a DSN in one of several folders is compared with the project of its own folder', async () => {
    const [own, other] = [await createTrackedProject(first, 'own-key'), await createTrackedProject(first, 'other-key')];
    createRepository('keys', { origin: addressOf(first, own.path) });
    const { uri } = await vscode.workspace.openTextDocument(
      workbench.writeFile('keys/settings.yaml', `own: ${own.dsn}\nother: ${other.dsn}\n`),
    );
    await vscode.window.showTextDocument(uri);
    const problems = await until(
      () => vscode.languages.getDiagnostics(uri).map(({ message }) => message),
      (all) => all.length > 0 && all.every((message) => message.includes(own.path)),
      'the problem of the other DSN',
    );
    assert.deepEqual(problems, [`This DSN is of ${other.path}, but this folder is a clone of ${own.path}.`]);
    rmSync(path.join(workspaceFolder(), 'keys'), { recursive: true });
  });

  it('marks of several projects leave when their folder is no longer a clone of the project', async () => {
    const moved = await createTrackedProject(first, 'moved');
    await sendErrorAt(moved, 'MovedError', 'gone.js', 3);
    workbench.writeFile('gone/gone.js', lines('gone'));
    createRepository('gone', { origin: addressOf(first, moved.path) });
    const { document } = await workbench.openFile('gone/gone.js');
    await untilHover(document, 'MovedError');
    rmSync(path.join(workspaceFolder(), 'gone/.git'), { recursive: true });
    await until(
      () => errorTypesIn(document),
      (types) => types.length === 0,
      'no marks',
    );
  });

  function addressOf({ origin }: RunningPlatform, project: string): string {
    return `${origin}/${project}.git`;
  }

  async function untilSignedIn({ label }: RunningPlatform): Promise<void> {
    await workbench.untilStatus(
      STATUS,
      (text, spoken) => `${text} ${spoken}`.includes(label) && text.includes('@root'),
      'signed in',
    );
  }

  /** Opens a file and waits until its marks are of at least these types. Returns the types of all. */
  async function untilTypes(name: string, types: readonly string[]): Promise<readonly string[]> {
    const { document } = await workbench.openFile(name);
    return until(
      () => errorTypesIn(document),
      (all) => types.every((type) => all.includes(type)),
      `${types.join(', ')} in ${name}`,
    );
  }

  async function untilHover(document: vscode.TextDocument, type: string): Promise<vscode.MarkdownString> {
    const all = await until(
      () => markedLines(document).flatMap(({ hover }) => (hover && textOfMarkdown(hover).includes(type) ? [hover] : [])),
      (hovers) => hovers.length > 0,
      `${type} in ${document.fileName}`,
    );
    const [hover] = all;
    assert.ok(hover);
    return hover;
  }
});

/** Returns a program whose lines differ from those of others. */
function lines(folder: string): string {
  return Array.from({ length: 9 }, (_, at) => `${folder}(${at});\n`).join('');
}
