import assert from 'node:assert/strict';
import { readDsn } from '../../../src/contract/dsn.ts';
import { startLocally } from '../../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../../support/host/vscode.ts';
import { type Workbench } from '../../support/host/workbench.ts';
import { until } from '../../support/until.ts';

/** Project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;

describe('the commands of client keys and error tracking', () => {
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    editor = await openEditor();
    workbench = editor.workbench;
    await workbench.openView('My Activity');
    await startLocally(workbench);
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  /** Runs a command and selects a project. */
  async function runIn(command: string, { path, name }: { readonly path: string; readonly name: string }): Promise<void> {
    await workbench.run(`Signalbox: ${command}`);
    await workbench.search(path.slice(path.indexOf('/') + 1), name);
  }
  const reported = (message: string): Promise<unknown> => workbench.untilToast((toast) => toast.message === message, message);

  it('the commands of client keys and error tracking enable error tracking, create a client key, copy its DSN, and delete it after a confirmation', async () => {
    await runIn('Disable Error Tracking…', PROJECT);
    await reported(`Error tracking was never enabled for ${PROJECT.path}.`);
    await runIn('Enable Error Tracking…', PROJECT);
    await reported(`Error tracking enabled for ${PROJECT.path}.`);
    await workbench.clear();

    await runIn('Create Client Key…', PROJECT);
    const created = await workbench.untilToast(({ message }) => message.includes(' created for '), 'a new client key');
    const number = /^Client key (\d+) created/.exec(created.message)?.[1];
    assert.ok(number !== undefined, created.message);
    await workbench.clickToast(' created for ', 'Copy DSN');
    await reported('DSN copied');
    const copied = await workbench.clipboard();
    assert.match(readDsn(copied)?.publicKey ?? copied, /^glet_[0-9a-f]{32}$/);
    await workbench.clear();

    await workbench.setClipboard('');
    await runIn('Copy Client Key DSN…', PROJECT);
    await workbench.choose(`Client key ${number}`);
    await until(workbench.clipboard, (text) => text === copied, 'the same DSN');

    for (const button of ['Cancel', 'Delete']) {
      await runIn('Delete Client Key…', PROJECT);
      await workbench.choose(`Client key ${number}`);
      assert.equal((await workbench.dialog('')).message, `Delete client key ${number} of ${PROJECT.path}?`);
      await workbench.clickDialogButton(button);
    }
    await reported(`Client key ${number} of ${PROJECT.path} deleted.`);
    await workbench.clear();
    await runIn('Copy Client Key DSN…', PROJECT);
    await reported(`${PROJECT.path} has no client keys yet.`);
    await runIn('Disable Error Tracking…', PROJECT);
    await reported(`Error tracking disabled for ${PROJECT.path}.`);
    await workbench.clear();
  });

  it('the commands of client keys and error tracking show an error message to a user who is not a maintainer', async () => {
    await runIn('Create Client Key…', { path: 'mei/notify', name: 'Notify' });
    const text = 'Only maintainers of mei/notify can manage its error tracking and client keys.';
    const { severity } = await workbench.untilToast(({ message }) => message === text, text);
    assert.equal(severity, 'error');
    await workbench.clear();
  });
});
