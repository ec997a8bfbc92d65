import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import * as vscode from 'vscode';
import { MissingDependency, pythonPackages } from '../../support/clientSuite.ts';
import { testEnvironment } from '../../support/environment.ts';
import { errorPage, trackErrorsOf } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const SDK = path.join(import.meta.dirname, '../../clients/python/sentry/requirements.txt');
/** Fails in `load`, with a breadcrumb before it. */
const PROGRAM = `import sys

import sentry_sdk


def load(order):
    return order['crane'].lift()


sentry_sdk.init(dsn=sys.argv[1], release='ship@1.0.0', environment='test')
sentry_sdk.add_breadcrumb(category='lamp', message='Lamp 7 was lit')
load({'id': 7, 'crane': None})
`;
/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;

describe('the replay of an error as a debug session', () => {
  let view: View;
  before(async function (this: Context) {
    let packages: string;
    try {
      packages = await pythonPackages(SDK);
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    workbench.writeFile('ship.py', PROGRAM);
    await start();
    await startLocally();
    view = await workbench.openView('Tracked Errors');
    const dsn = await trackErrorsOf(PROJECT, view);
    const env = testEnvironment(['python3'], { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' });
    await assert.rejects(
      promisify(execFile)('python3', ['ship.py', dsn], { cwd: workspaceFolder(), env }),
      /object has no attribute 'lift'/,
    );
    await view.untilRow(({ label }) => label === 'AttributeError', 'the error of the program');
  });
  afterEach(async () => {
    await vscode.debug.stopDebugging();
    await until(
      () => vscode.debug.activeDebugSession === undefined,
      (isOver) => isOver,
      'the end of the session',
    );
    await workbench.clear();
  });

  it('the replay of an error stops at the crash of a real program with its variables, steps back to a breadcrumb, and ends', async () => {
    await view.chooseFromRowMenu('AttributeError', 'Replay Error in Debugger');
    const session = await untilSession();
    const crash = await untilStack(session, ([top]) => top?.name === 'load');
    assert.equal(crash[0]?.source?.name, 'ship.py');
    const variables = await scopeOf(session, crash[0]?.id ?? 0, 'Captured Variables');
    assert.match(variables.find(({ name }) => name === 'order')?.value ?? '', /^\{id: .*7.*, crane: /);
    await until(
      () => vscode.window.activeTextEditor?.document.fileName ?? '',
      (file) => file.endsWith('ship.py'),
      'the file that failed',
    );

    await session.customRequest('stepBack', { threadId: 1 });
    const before = await untilStack(session, ([top]) => top?.name === 'lamp: Lamp 7 was lit');
    await scopeOf(session, before[0]?.id ?? 0, 'Breadcrumb');
    await session.customRequest('continue', { threadId: 1 });
    await untilStack(session, ([top]) => top?.name === 'load');
  });

  it('the replay of an error can be started from the palette for an error that the user selects, and again', async () => {
    await workbench.run('Signalbox: Replay Error in Debugger');
    await workbench.choose("AttributeError: 'NoneType' object has no attribute 'lift'");
    const session = await untilSession();
    await untilStack(session, ([top]) => top?.name === 'load');
    await vscode.commands.executeCommand('workbench.action.debug.restart');
    const next = await until(
      () => vscode.debug.activeDebugSession,
      (other) => other !== undefined,
      'the next session',
    );
    assert.ok(next);
    const [top] = await untilStack(next, ([frame]) => frame?.name === 'load');
    await scopeOf(next, top?.id ?? 0, 'Captured Variables');
  });

  it('the replay of an error can be started from its panel', async () => {
    await view.clickRowAction('AttributeError', 'Show Error');
    const page = await errorPage('AttributeError');
    await page.untilShown(({ event }) => event !== null, 'the event');
    page.send({ type: 'replay' });
    await untilStack(await untilSession(), ([top]) => top?.name === 'load');
    page.close();
  });
});

interface Frame {
  readonly id: number;
  readonly name: string;
  readonly source?: { readonly name?: string };
}

async function untilSession(): Promise<vscode.DebugSession> {
  const session = await until(
    () => vscode.debug.activeDebugSession,
    (started) => started !== undefined,
    'a debug session',
  );
  assert.ok(session);
  return session;
}

/** Waits until the stack of a session satisfies `accept`, and returns it from the top. */
async function untilStack(
  session: vscode.DebugSession,
  accept: (frames: readonly Frame[]) => boolean,
): Promise<readonly Frame[]> {
  return until(
    async () => {
      const { threads } = (await session.customRequest('threads')) as { readonly threads: readonly { readonly id: number }[] };
      const stack: unknown = await session.customRequest('stackTrace', { threadId: threads[0]?.id ?? 0 });
      return (stack as { readonly stackFrames: readonly Frame[] }).stackFrames;
    },
    accept,
    'the call stack',
  );
}

/** Returns the variables of a scope of a frame. */
async function scopeOf(
  session: vscode.DebugSession,
  frameId: number,
  name: string,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
  const scopes: unknown = await session.customRequest('scopes', { frameId });
  const all = (scopes as { readonly scopes: readonly { readonly name: string; readonly variablesReference: number }[] }).scopes;
  const scope = all.find((one) => one.name === name);
  assert.ok(scope, `${name}: ${all.map((one) => one.name).join(', ')}`);
  const found: unknown = await session.customRequest('variables', { variablesReference: scope.variablesReference });
  return (found as { readonly variables: readonly { readonly name: string; readonly value: string }[] }).variables;
}
