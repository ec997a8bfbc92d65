import assert from 'node:assert/strict';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { visit } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('a server that another program runs on this machine', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform();
    // Views are loaded again only when the server says so.
    await start({ settings: { 'signalbox.activity.pollSeconds': 3600 } });
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });

  it('is connected with its admin token, and is then used like the server of VS Code until it is disconnected', async () => {
    await workbench.run('Signalbox: Connect to Local Server…');
    await workbench.fillInput(platform.origin);
    await workbench.untilText((text) => text.includes('Enter the admin token of the server'), 'the token');
    await workbench.enterInput('not the token');
    await workbench.untilText((text) => text.includes('rejects this token'), 'rejected');
    await workbench.fillInput(platform.adminToken);
    const { buttons } = await workbench.untilToast(({ message }) => message.startsWith('Connected to'), 'connected');
    assert.deepEqual(buttons, ['Sign In as Demo User…']);
    await workbench.clickToast('Connected to', 'Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username} · ${platform.label}`), 'signed in');

    // The browser is not signed in yet.
    await workbench.run('Signalbox: Open Project in Browser…');
    await workbench.search('berth', 'Berth API');
    const project = await visit(await workbench.untilPage(() => true, 'the project'));
    assert.equal(project.address.pathname, '/amara/berth-api');
    assert.match(project.page, /<h1[^>]*>\s*Berth API/);
    const opened = workbench.openedPages().length;
    await workbench.run('Signalbox: Open OAuth Flows in Browser');
    const pages = await until(workbench.openedPages, (all) => all.length > opened, 'the OAuth flows');
    assert.match((await visit(pages.at(-1) ?? '')).page, /<h1[^>]*>\s*OAuth flows/);
    await workbench.untilToast(({ message }) => message === 'Opened in the browser as the administrator @root.', 'the account');
    const flows = await workbench.openView('OAuth Flows');
    assert.ok(workbench.isInPalette('Signalbox: Refresh OAuth Flows'));
    flows.close();
    await workbench.clear();

    const mine = await workbench.openView('My Activity');
    await until(mine.message, (text) => text.includes('Without merge requests (documented dialect)'), 'the dialect');
    await workbench.run('Signalbox: Show Activity in All My Projects');
    await mine.untilRows((rows) => rows.some(({ level }) => level === 2), 'the list');
    await platform.createIssue('Berth API', 'Seen without a refresh');
    await mine.untilRow(({ label }) => label.includes('Seen without a refresh'), 'the new issue');

    await workbench.clickStatus(STATUS);
    assert.ok((await workbench.choices()).includes('Disconnect'));
    await workbench.choose('Disconnect');
    await workbench.untilToast(({ message }) => message.includes('was deleted from the secret storage'), 'disconnected');
    await until(
      () => workbench.isInPalette('Signalbox: Refresh OAuth Flows'),
      (isShown) => !isShown,
      'no OAuth flows',
    );
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'still signed in');
  });
});
