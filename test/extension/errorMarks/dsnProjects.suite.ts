import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { errorTypesIn } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import { createTrackedProject, sendErrorAt, type TrackedProject } from '../../support/host/suite/trackedProject.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

describe('projects of DSNs in the open folder', () => {
  let platform: RunningPlatform;
  let view: View;
  let shop: TrackedProject;
  let stock: TrackedProject;
  before(async () => {
    platform = await startPlatform('none');
    shop = await createTrackedProject(platform, 'shop');
    stock = await createTrackedProject(platform, 'stock');
    await sendErrorAt(shop, 'ShopError', 'server.js', 2);
    await sendErrorAt(stock, 'StockError', 'server.js', 3);
    workbench.writeFile('server.js', 'one();\ntwo();\nthree();\nfour();\n');
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, 'root');
    view = await workbench.openView('Tracked Errors');
  });
  after(() => platform?.close());
  afterEach(async () => {
    await workbench.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of ['.env', 'src', 'lib']) rmSync(path.join(workspaceFolder(), name), { recursive: true, force: true });
  });

  it('a DSN in a file of the open folder selects its project without asking, and the choice of the user wins after a reload', async () => {
    const unknown = shop.dsn.replace(/\d+$/, '999');
    const elsewhere = shop.dsn.replace(/@[^/]+/, '@errors.example.com');
    workbench.writeFile('.env', `SENTRY_DSN=${stock.dsn.replace('127.0.0.1', 'localhost')}\n`);
    workbench.writeFile('src/other.yaml', `dsn: ${elsewhere}\ndsn: ${unknown}\n`);
    await workbench.reload();
    await until(view.description, (text) => text.startsWith(stock.path), 'the project of the DSN');
    await view.untilRow(({ label }) => label === 'StockError', 'its error');
    assert.deepEqual(await workbench.toasts(), []);

    await workbench.run('Signalbox: Select Project…');
    await workbench.choose('shop');
    await until(view.description, (text) => text.startsWith(shop.path), 'the selected project');
    await workbench.reload();
    await until(view.description, (text) => text.startsWith(shop.path), 'the selected project after a reload');
  });

  it('marks are of all projects whose DSNs are in the folder, and leave with the DSN', async () => {
    workbench.writeFile('src/config.json', JSON.stringify({ dsn: shop.dsn }));
    const second = workbench.writeFile('lib/config.py', `DSN = '${stock.dsn}'\n`);
    await workbench.reload();
    const { document } = await workbench.openFile('server.js');
    const untilTypes = (types: readonly string[]): Promise<unknown> =>
      until(
        () => errorTypesIn(document),
        (all) => all.join() === types.join(),
        `marks of ${types.join(', ')}`,
      );
    await untilTypes(['ShopError', 'StockError']);
    await vscode.workspace.fs.writeFile(vscode.Uri.file(second), Buffer.from('DSN = None\n'));
    await untilTypes(['ShopError']);
    workbench.writeFile('lib/config.py', `DSN = '${stock.dsn}'\n`);
    await untilTypes(['ShopError', 'StockError']);
  });
});
