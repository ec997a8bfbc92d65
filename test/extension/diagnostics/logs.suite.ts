import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { start } from '../../support/host/suite/extension.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('the log commands', () => {
  before(() => start({ settings: { 'signalbox.local.seed': 'none' } }));

  it('the log commands show in the Output panel what the extension and the local server logged', async () => {
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs');

    await workbench.run('Signalbox: Show Log');
    const lines = await untilOutput(
      (all) => all.some((line) => line.includes('Local server: running')),
      'the log line of the running local server',
    );
    // VS Code prefixes each line of an extension with time and level.
    assert.match(lines.find((line) => line.includes('Local server: running')) ?? '', /^\d{4}-\d\d-\d\d [\d:.]{12} \[info\] /);

    await workbench.run('Signalbox: Show Local Server Log');
    await untilOutput(
      (all) => all.some((line) => /\[info\] .*127\.0\.0\.1:\d+/.test(line)),
      'a line of the local server with its address',
    );
  });

  /** Waits until what the Output panel shows satisfies `accept`, and returns its lines. */
  function untilOutput(accept: (lines: readonly string[]) => boolean, what: string): Promise<readonly string[]> {
    return until(
      () =>
        vscode.window.visibleTextEditors
          .filter(({ document }) => document.uri.scheme === 'output')
          .flatMap(({ document }) => document.getText().split('\n')),
      accept,
      `Output panel: ${what}`,
    );
  }
});
