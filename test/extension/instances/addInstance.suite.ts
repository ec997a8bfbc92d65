import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import * as vscode from 'vscode';
import { type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { listen } from '../../support/host/suite/listen.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
/** Token of a user of the instance before release 17.1. */
const TOKEN = 'glpat-of-ana-1234567890';

describe('a user with instances of their own', () => {
  let platform: RunningPlatform;
  const servers: Server[] = [];
  let website: string;
  let old: string;
  before(async () => {
    platform = await startPlatform('none');
    servers.push(createWebsite(), createOldInstance());
    [website, old] = (await Promise.all(servers.map(listen))) as [string, string];
    await start();
  });
  after(async () => {
    await platform?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  afterEach(() => workbench.clear());

  it('a user with instances of their own corrects the address of a website, adds a Signalbox server without an application ID, and removes it', async () => {
    await beginToAdd();
    await workbench.enterInput(website);
    const refused = await workbench.untilInput(({ problem }) => problem !== '', 'refused');
    assert.ok(refused.problem.includes('not as a GitLab-compatible instance does (status 404)'), refused.problem);
    assert.equal(refused.value, website);
    await workbench.fillInput(platform.origin);
    await workbench.untilStatus(STATUS, (text, spoken) => spoken.includes(platform.label), 'the new instance');
    assert.deepEqual(instances(), [{ url: platform.origin }]);
    const { message, detail } = await remove(platform.label);
    assert.equal(message, `Remove ${platform.label}?`);
    assert.match(detail, /^This deletes the entry in your settings/);
  });

  it('a user with instances of their own signs in to an instance before release 17.1 with a corrected token, and is signed out when they remove it', async () => {
    const label = new URL(old).host;
    await beginToAdd();
    await workbench.fillInput(old);
    await workbench.choose('With an access token');
    await workbench.untilInput(({ isPassword }) => isPassword, 'the token');
    await workbench.enterInput('glpat-wrong-1234567890');
    const refused = await workbench.untilInput(({ problem }) => problem !== '', 'refused');
    assert.equal(refused.problem, `${label} rejected this token.`);
    assert.equal(refused.value, 'glpat-wrong-1234567890');
    await workbench.fillInput(TOKEN);
    await workbench.untilStatus(STATUS, (text) => text.includes('@ana'), 'signed in');

    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with a code');
    await workbench.untilText(
      (text) => text.startsWith('This instance has no sign-in with a code. GitLab has it from release 17.1 on.'),
      'no codes',
    );
    const labels = (await workbench.choices()).filter((one) => one.startsWith('Sign in'));
    assert.deepEqual(labels, ['Sign in with the browser', 'Sign in with an access token']);
    await workbench.cancel();

    const { detail } = await remove(label);
    assert.match(detail, /^This signs out @ana, and deletes the entry/);
    await workbench.run('Signalbox: Remove Instance…');
    await workbench.untilToast(({ message: text }) => text.startsWith('There is no instance to remove.'), 'nothing to remove');
    await workbench.clear();

    await beginToAdd();
    await workbench.fillInput(old);
    await workbench.choose('In the browser');
    await workbench.untilInput(({ prompt }) => prompt.includes('application ID of an OAuth application'), 'the application');
    await workbench.fillInput('lamp-board');
    await workbench.untilStatus(STATUS, (text, spoken) => text.includes('signed out') && spoken.includes(label), 'signed out');
    assert.deepEqual(instances(), [{ url: old, clientId: 'lamp-board' }]);
    assert.deepEqual(await workbench.toasts(), []);
    await remove(label);
  });

  async function beginToAdd(): Promise<void> {
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choose('Add instance…');
    await workbench.untilInput(({ prompt }) => prompt.startsWith('Enter the URL of the instance'), 'the address');
  }

  /** Removes an instance, and waits until the local server is shown instead. Returns what was asked. */
  async function remove(label: string): Promise<{ readonly message: string; readonly detail: string }> {
    await workbench.run('Signalbox: Remove Instance…');
    await workbench.choose(label);
    const asked = await workbench.dialog(`Remove ${label}?`);
    await workbench.clickDialogButton('Remove');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    await until(instances, (list) => list.length === 0, 'the settings without the instance');
    return asked;
  }

  /** Returns the instances in the user settings. */
  function instances(): readonly unknown[] {
    return vscode.workspace.getConfiguration().inspect<readonly unknown[]>('signalbox.instances')?.globalValue ?? [];
  }
});

function createWebsite(): Server {
  return createServer((_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html></html>'));
}

/** Returns an instance before release 17.1 with one user and one token. */
function createOldInstance(): Server {
  return createServer(({ url = '', headers }, response) => {
    const path = url.split('?', 1)[0];
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (path === undefined || !path.startsWith('/api/v4/')) send(404, { error: '404 Not Found' });
    else if (headers.authorization !== `Bearer ${TOKEN}`) send(401, { message: '401 Unauthorized' });
    else if (path.endsWith('/personal_access_tokens/self')) send(200, { id: 1, scopes: ['api'] });
    else if (path.endsWith('/user')) send(200, { id: 7, username: 'ana', name: 'Ana Novak' });
    else send(200, []);
  });
}
