import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';

/** Project of the demo user with errors. */
const TRACKED = 'amara/berth-api';

describe('language model tools', () => {
  const { registerTool } = vscode.lm;
  const tools = new Map<string, vscode.LanguageModelTool<unknown>>();
  let platform: RunningPlatform;
  before(async () => {
    // VS Code asks the user about a use in a dialog of its own, so the tools are used without it.
    Object.assign(vscode.lm, {
      registerTool: (name: string, tool: vscode.LanguageModelTool<unknown>) => {
        tools.set(name, tool);
        return new vscode.Disposable(() => tools.delete(name));
      },
    });
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
    await workbench.clear();
  });
  after(async () => {
    Object.assign(vscode.lm, { registerTool });
    await platform?.close();
  });

  it('language model tools have to be allowed once in a workspace, also after a reload, and read activity and errors', async () => {
    const question = await confirmation('signalbox_listActivity', {});
    assert.equal(question?.title, 'Let the language model read from your platform?');
    assert.match(String(question?.message), /Nothing is changed/);

    const activity = await use('signalbox_listActivity', {});
    assert.match(activity, /^The texts below .*\n\nActivity of the signed-in user, the latest first:\n\n- /s);
    assert.equal(await confirmation('signalbox_listErrors', { project: TRACKED }), undefined);
    const list = await use('signalbox_listErrors', { project: TRACKED });
    const [, id] = /^- id (\d+): /m.exec(list) ?? [];
    assert.match(await use('signalbox_showError', { id, project: TRACKED }), /Stack trace of the latest event .*\n {4}at /s);
    assert.match(await use('signalbox_explainGrouping', { id, project: TRACKED }), /if these parts are equal/);
    await assert.rejects(use('signalbox_showError', { id: 'none' }), /"id" must be the number of an error/);

    await workbench.reload();
    await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'activated');
    assert.equal(await confirmation('signalbox_listActivity', {}), undefined);
    assert.equal(await use('signalbox_listActivity', {}), activity);
  });

  function toolOf(name: string): vscode.LanguageModelTool<unknown> {
    const tool = tools.get(name);
    assert.ok(tool !== undefined, `${name} is not registered`);
    return tool;
  }

  /** Returns what VS Code asks the user before it uses a tool. */
  async function confirmation(name: string, input: object): Promise<vscode.LanguageModelToolConfirmationMessages | undefined> {
    const { token } = new vscode.CancellationTokenSource();
    return (await toolOf(name).prepareInvocation?.({ input }, token))?.confirmationMessages;
  }

  async function use(name: string, input: object): Promise<string> {
    const { token } = new vscode.CancellationTokenSource();
    const result = await toolOf(name).invoke({ input, toolInvocationToken: undefined }, token);
    return (result?.content ?? []).map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  }
});
