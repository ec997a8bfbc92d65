import assert from 'node:assert/strict';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { selectInstance, signInAs } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';

const STATUS = 'signalbox.status';
const OTHER = 'mei';

describe('signing out one of several accounts', () => {
  let platform: RunningPlatform;
  beforeEach(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, OTHER);
    await signInAs(platform, DEMO_USER.username);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await workbench.clear();
  });
  afterEach(async () => {
    await workbench.clear();
    await reset();
    await platform?.close();
  });

  it('signing out one of several accounts says whom it signs out, and ends with nobody until the user lets another one go on', async () => {
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'nobody is signed in');
    const message = `@${DEMO_USER.username} was signed out of ${platform.label}. Nobody is signed in there now.`;
    const { buttons } = await workbench.untilToast((toast) => toast.message === message, 'who was signed out');
    assert.deepEqual(buttons, [`Continue as @${OTHER}`]);
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'nobody after a reload');
    await selectInstance(`@${OTHER}`);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${OTHER}`), 'the other account');
  });

  it('signing out one of several accounts offers the other one', async () => {
    await workbench.run('Signalbox: Sign Out');
    await workbench.clickToast('Nobody is signed in there now.', `Continue as @${OTHER}`);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${OTHER}`), 'the other account');
  });
});
