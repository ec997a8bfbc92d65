import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import * as vscode from 'vscode';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { programPath } from '../../support/environment.ts';
import { ask, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { errorPage, selectProject } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import { createRepository, createTrackedProject, type TrackedProject } from '../../support/host/suite/trackedProject.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { sendError } from '../../support/sentErrors.ts';
import { until } from '../../support/until.ts';

const TEXT = '  const berth = harbour.find(ship);';
/** Every file has the same lines. `swordfish` is what must not leave the machine where a frame is refused. */
const CODE = ['// swordfish above', 'export function moor(ship) {', TEXT, '  return berth; // swordfish below', '}', ''].join(
  '\n',
);

/** A frame that names the line, with everything right about it. */
const RIGHT = {
  filename: 'src/moor.js',
  abs_path: '/app/src/moor.js',
  function: 'moor',
  lineno: 3,
  context_line: TEXT,
  in_app: true,
};
type Frame = Partial<Record<keyof typeof RIGHT, unknown>>;
const named = (filename: string): Frame => ({ filename, abs_path: `/app/${filename}` });

/** Errors whose latest event has one frame, with the reason for which its code is left out; none if no file is found. */
const hostile: readonly (readonly [type: string, frame: Frame, because?: string])[] = [
  ['EnvError', named('.env'), 'dot files'],
  ['KeyError', named('keys/id_rsa'), 'dot files, keys'],
  ['TrackedKeyError', named('keys/server.pem'), 'dot files, keys'],
  ['IgnoredError', named('local.js'), 'git does not track the file'],
  ['AddedError', named('added.js'), 'git ignores the file'],
  ['UntrackedError', named('untracked.js'), 'git does not track the file'],
  ['LinkError', named('link.js'), 'a symbolic link'],
  ['OtherLineError', { context_line: '  const berth = 1;' }, 'the file has another line'],
  ['OtherNumberError', { lineno: 4 }, 'the file has another line'],
  ['SnippedError', { context_line: "'{snip}  {snip}" }, 'the file has another line'],
  ['OtherFunctionError', { context_line: undefined, function: 'berth' }, 'the function of the frame'],
  ['OtherFolderError', named('stock/stock.js')],
  ['LooseError', named('loose/loose.js')],
];

describe('code that leaves the machine', () => {
  const { registerTool } = vscode.lm;
  const tools = new Map<string, vscode.LanguageModelTool<unknown>>();
  let platform: RunningPlatform;
  let shop: TrackedProject;
  let outside: string;
  before(async function (this: Context) {
    if (programPath('git') === undefined) {
      console.log('skipped: git is not installed');
      this.skip();
    }
    Object.assign(vscode.lm, {
      registerTool: (name: string, tool: vscode.LanguageModelTool<unknown>) => {
        tools.set(name, tool);
        return new vscode.Disposable(() => tools.delete(name));
      },
    });
    platform = await startPlatform('none');
    shop = await createTrackedProject(platform, 'shop');
    const stock = await createTrackedProject(platform, 'stock');
    outside = mkdtempSync(path.join(os.tmpdir(), 'signalbox-outside-'));
    plant(stock);
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, 'root');
  });
  after(async () => {
    Object.assign(vscode.lm, { registerTool });
    if (outside !== undefined) rmSync(outside, { recursive: true, force: true });
    await platform?.close();
  });
  afterEach(() => workbench.clear());

  function plant(stock: TrackedProject): void {
    const addressOf = ({ path: project }: TrackedProject): string => `${platform.origin}/${project}.git`;
    const git = createRepository('shop', { origin: addressOf(shop) });
    const other = createRepository('stock', { origin: addressOf(stock) });
    const files = ['src/moor.js', '.env', 'keys/id_rsa', 'keys/server.pem', 'local.js', 'added.js', 'untracked.js'];
    for (const file of [...files.map((name) => `shop/${name}`), 'stock/stock.js', 'loose/loose.js'])
      workbench.writeFile(file, CODE);
    workbench.writeFile('shop/.gitignore', '.env\nlocal.js\nadded.js\n');
    writeFileSync(path.join(outside, 'moor.js'), CODE);
    symlinkSync(path.join(outside, 'moor.js'), path.join(workspaceFolder(), 'shop/link.js'));
    git('add', '--force', '--', 'src', 'keys', 'added.js', 'link.js');
    other('add', '--', 'stock.js');
  }

  async function use(name: string, input: object): Promise<string> {
    const tool = tools.get(name);
    assert.ok(tool !== undefined, `${name} is not registered`);
    const { token } = new vscode.CancellationTokenSource();
    const result = await tool.invoke({ input, toolInvocationToken: undefined }, token);
    return (result?.content ?? []).map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  }

  /** Sends an error with these frames, the innermost one first, and returns what the tool says of it. */
  async function toolText(type: string, frames: readonly Frame[]): Promise<string> {
    await send(type, frames);
    const list = await use('signalbox_listErrors', { project: shop.path, search: type });
    const [, id] = new RegExp(`^- id (\\d+): ${type}`, 'm').exec(list) ?? [];
    assert.ok(id !== undefined, list);
    return use('signalbox_showError', { id, project: shop.path });
  }

  async function send(type: string, frames: readonly Frame[]): Promise<void> {
    const sent = frames.map((frame) => ({ ...RIGHT, ...frame })).toReversed();
    await sendError(shop.dsn, { type, value: 'failed', stacktrace: { frames: sent } });
  }

  for (const [type, frame, because] of hostile) {
    it(`code that leaves the machine is not sent to a language model for the frame of ${type}`, async () => {
      const text = await toolText(type, [frame]);
      assert.doesNotMatch(text, /swordfish/);
      const found = /\(in the workspace.*\):\nThe line is left out, because (.*)\.$/m.exec(text)?.[1];
      if (because === undefined) assert.equal(found, undefined);
      else assert.ok(found?.startsWith(because), text);
    });
  }

  it('code that leaves the machine is not sent to a language model for a file of another project that is named by its exact path', async () => {
    const file = path.join(workspaceFolder(), 'stock/stock.js');
    const text = await toolText('ExactPathError', [{ filename: file, abs_path: file }]);
    assert.doesNotMatch(text, /swordfish/);
  });

  it('code that leaves the machine is sent to a language model for a line that the event has, and for a function near the line', async () => {
    for (const [type, frame] of [
      ['SameLineError', { function: undefined }],
      ['SameFunctionError', { context_line: undefined }],
    ] as const) {
      const text = await toolText(type, [frame]);
      assert.ok(
        text.includes(`shop/src/moor.js:3 (in the workspace, which may have changed since):\n  1 // swordfish above`),
        text,
      );
      assert.ok(text.includes(`\n> 3 ${TEXT}\n  4   return berth; // swordfish below`), text);
    }
  });

  it('code that leaves the machine is only that of the event in copied texts and in issues', async () => {
    const type = 'CopiedError';
    await send(type, [RIGHT, ...hostile.map(([, frame]) => frame)]);
    const view = await workbench.openView('Tracked Errors');
    await selectProject(view, { path: shop.path, name: 'shop' });
    await view.untilRow(({ label }) => label === type, 'the error');
    await view.clickRowAction(type, 'Show Error');
    const page = await errorPage(type);
    await page.untilShown(({ event, isBusy }) => event !== null && !isBusy, 'the event');
    for (const as of ['markdown', 'stack', 'json'] as const) {
      await workbench.setClipboard('');
      page.send({ type: 'copy', as });
      const text = await until(workbench.clipboard, (copied) => copied !== '', as);
      assert.match(text, /moor\.js/);
      assert.doesNotMatch(text, /swordfish/, as);
    }
    page.close();
    await view.chooseFromRowMenu(type, 'Create Issue from Error…');
    await workbench.fillInput('Ships cannot moor');
    const { message } = await workbench.untilToast((toast) => toast.message.startsWith('Issue #'), 'the issue');
    const iid = /#(\d+)/.exec(message)?.[1];
    const issue = await ask(platform, 'GET', `/api/v4/projects/${shop.id}/issues/${iid}`);
    const description = (isJsonObject(issue) && stringMember(issue, 'description')) || '';
    assert.ok(description.includes(TEXT), description);
    assert.doesNotMatch(description, /swordfish/);
  });
});
