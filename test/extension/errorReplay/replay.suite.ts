import assert from 'node:assert/strict';
import type { Context } from 'mocha';
import * as vscode from 'vscode';
import { orSkip } from '../../support/clientSuite.ts';
import { failInPython, installPythonSdk, PYTHON_FAILURE, writeFailingProgram } from '../../support/host/failingProgram.ts';
import { errorPage, trackErrorsOf } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;

describe('the replay of an error as a debug session', () => {
  let view: View;
  before(async function (this: Context) {
    const sdk = await orSkip(this, installPythonSdk());
    writeFailingProgram(workspaceFolder());
    await start();
    await startLocally();
    view = await workbench.openView('Tracked Errors');
    await failInPython(workspaceFolder(), sdk, await trackErrorsOf(PROJECT, view));
    await view.untilRow(({ label }) => label === PYTHON_FAILURE.type, 'the error of the program');
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
    await view.chooseFromRowMenu(PYTHON_FAILURE.type, 'Replay Error in Debugger');
    const session = await untilSession();
    const crash = await untilStack(session, ([top]) => top?.name === 'load');
    assert.equal(crash[0]?.source?.name, PYTHON_FAILURE.file);
    const variables = await scopeOf(session, crash[0]?.id ?? 0, 'Captured Variables');
    assert.match(variables.find(({ name }) => name === 'order')?.value ?? '', /^\{id: .*7.*, crane: /);
    await until(
      () => vscode.window.activeTextEditor?.document.fileName ?? '',
      (file) => file.endsWith(PYTHON_FAILURE.file),
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
    await workbench.choose(`${PYTHON_FAILURE.type}: ${PYTHON_FAILURE.value}`);
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
    await view.clickRowAction(PYTHON_FAILURE.type, 'Show Error');
    const page = await errorPage(PYTHON_FAILURE.type);
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
