import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
/** Token of a user of the instance before release 17.1. */
const TOKEN = 'glpat-of-ana-1234567890';

describe('a user with instances of their own', () => {
  let platform: RunningPlatform;
  let website: Server;
  let old: Server;
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    platform = await startPlatform('none');
    [website, old] = await Promise.all([startWebsite(), startOldInstance()]);
    editor = await openEditor();
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    for (const server of [website, old]) {
      server?.closeAllConnections();
      server?.close();
    }
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a user with instances of their own corrects the address of a website, adds a Signalbox server without an application ID, and removes it', async () => {
    await beginToAdd();
    await workbench.enterInput(originOf(website));
    await untilMessage((text) => text.includes('not as a GitLab-compatible instance does (status 404)'));
    assert.equal(await input().inputValue(), originOf(website));
    await workbench.fillInput(platform.origin);
    await workbench.untilStatus(STATUS, (text, spoken) => spoken.includes(platform.label), 'the new instance');
    assert.deepEqual(await instances(platform.origin), [{ url: platform.origin }]);
    await workbench.run('Signalbox: Remove Instance…');
    await workbench.choose(platform.label);
    const { message, detail } = await workbench.dialog(`Remove ${platform.label}?`);
    assert.equal(message, `Remove ${platform.label}?`);
    assert.match(detail, /^This deletes the entry in your settings/);
    await workbench.clickDialogButton('Remove');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    await until(
      () => instances(platform.origin),
      (list) => list.length === 0,
      'the settings without the instance',
    );
  });

  it('a user with instances of their own signs in to an instance before release 17.1 with a corrected token, and is signed out when they remove it', async () => {
    const label = new URL(originOf(old)).host;
    await beginToAdd();
    await workbench.fillInput(originOf(old));
    await workbench.choose('With an access token');
    await input().and(workbench.page.locator('[type="password"]')).waitFor();
    await workbench.enterInput('glpat-wrong-1234567890');
    await untilMessage((text) => text === `${label} rejected this token.`);
    assert.equal(await input().inputValue(), 'glpat-wrong-1234567890');
    await workbench.fillInput(TOKEN);
    await workbench.untilStatus(STATUS, (text) => text.includes('@ana'), 'signed in');

    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with a code');
    await untilMessage((text) =>
      text.startsWith('This instance has no sign-in with a code. GitLab has it from release 17.1 on.'),
    );
    const labels = (await workbench.choices()).filter((label) => label.startsWith('Sign in'));
    assert.deepEqual(labels, ['Sign in with the browser', 'Sign in with an access token']);
    await workbench.stepBack();

    await workbench.run('Signalbox: Remove Instance…');
    await workbench.choose(label);
    const { detail } = await workbench.dialog(`Remove ${label}?`);
    assert.match(detail, /^This signs out @ana, and deletes the entry/);
    await workbench.clickDialogButton('Remove');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    await workbench.run('Signalbox: Remove Instance…');
    await workbench.untilToast(({ message: text }) => text.startsWith('There is no instance to remove.'), 'nothing to remove');
    await workbench.clear();
    await beginToAdd();
    await workbench.fillInput(originOf(old));
    await workbench.choose('In the browser');
    await untilMessage((text) => text.includes('application ID of an OAuth application'));
    await workbench.fillInput('lamp-board');
    await workbench.untilStatus(STATUS, (text, spoken) => text.includes('signed out') && spoken.includes(label), 'signed out');
    assert.deepEqual(await instances(originOf(old)), [{ url: originOf(old), clientId: 'lamp-board' }]);
    assert.deepEqual(await workbench.toasts(), []);
    await workbench.run('Signalbox: Remove Instance…');
    await workbench.choose(label);
    await workbench.dialog(`Remove ${label}?`);
    await workbench.clickDialogButton('Remove');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
  });

  async function beginToAdd(): Promise<void> {
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choose('Add instance…');
    await untilMessage((text) => text.startsWith('Enter the URL of the instance'));
  }

  const input = () => workbench.page.locator('.quick-input-widget input.input');

  async function untilMessage(accept: (text: string) => boolean): Promise<void> {
    const message = workbench.page.locator('.quick-input-widget .quick-input-message');
    await until(() => message.innerText(), accept, 'message of the input box');
  }

  /** Returns the elements of the user settings for this address. VS Code empties the file before it writes it. */
  async function instances(url: string): Promise<readonly unknown[]> {
    const text = await until(
      () => readFileSync(editor.host.settingsFile, 'utf8'),
      (content) => content.trimEnd().endsWith('}'),
      'complete user settings',
    );
    const stored: readonly { readonly url: string }[] = JSON.parse(text)['signalbox.instances'] ?? [];
    return stored.filter((element) => element.url === url);
  }
});

function originOf(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

async function startWebsite(): Promise<Server> {
  const server = createServer((_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html></html>'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Starts an instance before release 17.1 with one user and one token. */
async function startOldInstance(): Promise<Server> {
  const server = createServer(({ url = '', headers }, response) => {
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
