import assert from 'node:assert/strict';
import type { Context } from 'mocha';
import { type SecuredInstance, startSecured } from '../../support/host/authority.ts';
import { refuseSecrets, reload, start } from '../../support/host/suite/extension.ts';
import { selectInstance } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('an instance with its own certificate authority in the editor', () => {
  let front: SecuredInstance;
  before(async function (this: Context) {
    front = await startSecured(this);
    await start();
  });
  after(async () => {
    await workbench.clear();
    await front?.close();
  });
  afterEach(() => workbench.clear());

  it('an instance with its own certificate authority is trusted once its authority is configured, and its error message says how to configure it', async () => {
    await setAuthority(undefined);
    await selectInstance(front.label);
    await signInWithToken();
    const { problem } = await workbench.untilInput((input) => input.problem.includes('cannot be reached'), 'refused');
    assert.match(
      problem,
      /certificate .*set the property ca in the setting signalbox\.instances to the path of its certificate file/s,
    );
    await workbench.cancel();

    await setAuthority(front.ca);
    await selectInstance(front.label);
    await signInWithToken();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    const view = await workbench.openView('My Activity');
    await workbench.run('Signalbox: Show Activity in All My Projects');
    await view.untilRows((rows) => rows.some(({ level }) => level === 2), 'events');

    // Existing rows stay, and the view shows why there are no newer ones.
    await setAuthority(undefined);
    const message = await until(view.message, (text) => text.startsWith('Offline'), 'offline');
    assert.match(message, /certificate .*signalbox\.instances/s);
    assert.ok((await view.rows()).some(({ level }) => level === 2));
    await setAuthority(front.ca);
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in again');
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
  });

  it('the sign-in is kept in memory when the secret storage fails, after one question, until the window closes', async () => {
    await setAuthority(front.ca);
    refuseSecrets(true);
    await reload();
    await selectInstance(front.label);
    await signInWithToken();
    const asked = await workbench.dialog('secret storage');
    assert.match(asked.message, /^The sign-in to .*127\.0\.0\.1:\d+ could not be saved in the editor's secret storage\.$/);
    assert.match(asked.detail, /in memory until this window closes/);
    assert.deepEqual(asked.buttons, ['Keep for This Session']);
    await workbench.clickDialogButton('Keep for This Session');
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    const view = await workbench.openView('My Activity');
    await workbench.run('Signalbox: Show Activity in All My Projects');
    await view.untilRows((rows) => rows.some(({ level }) => level === 2), 'events');

    // The choice was made before, so the editor does not ask again.
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => !text.includes('@root'), 'signed out');
    await signInWithToken();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in without a dialog');
    await workbench.run('Signalbox: Refresh Activity');
    assert.equal(await workbench.countDialogs(), 0);

    refuseSecrets(false);
    await reload();
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out after the window closed');
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  /** Sets or removes the certificate authority in the user's settings, and reloads the window with them. */
  async function setAuthority(ca: string | undefined): Promise<void> {
    await workbench.setSetting('signalbox.instances', [{ url: front.origin, ...(ca === undefined ? {} : { ca }) }]);
    await reload();
  }

  async function signInWithToken(): Promise<void> {
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with an access token');
    await workbench.enterInput(front.adminToken);
  }
});
