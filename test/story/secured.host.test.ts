import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import type { Locator } from 'playwright-core';
import decodeQr from 'qr/decode.js';
import { hasOpenssl, openSecureFront, type SecureFront } from '../support/host/authority.ts';
import { type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { readCode, selectInstance } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Theme, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const ALL = 'Activity in All My Projects';
/** Public address of the instance, which is not this machine. */
const PUBLIC_URL = 'https://gitlab.example.test';

describe('an instance with its own certificate authority', () => {
  let platform: RunningPlatform;
  let front: SecureFront;
  let editor: Editor;
  let workbench: Workbench;
  let folder: string;
  before(async function (this: Context) {
    if (!hasOpenssl) {
      console.log('skipped: openssl is not installed');
      this.skip();
    }
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-secured-'));
    platform = await startPlatform('demo', ['--public-url', PUBLIC_URL]);
    front = await openSecureFront(platform.origin, folder);
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: front.origin }] } });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await front?.close();
    await platform?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.clear();
  });

  it('an instance with its own certificate authority is trusted once its authority is configured, and its error message says how to configure it', async () => {
    await setAuthority(undefined);
    await selectInstance(workbench, front.label);
    await signInWithToken();
    const refused = workbench.page.locator('.quick-input-message');
    const reason = await until(
      () => refused.innerText(),
      (text) => text.includes('cannot be reached'),
      'refused',
    );
    assert.match(
      reason,
      /certificate .*set the property ca in the setting signalbox\.instances to the path of its certificate file/s,
    );
    await workbench.page.keyboard.press('Escape');

    await setAuthority(front.ca);
    await selectInstance(workbench, front.label);
    await signInWithToken();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    await workbench.openContainer();
    await workbench.run('Signalbox: Show Activity in All My Projects');
    const all = workbench.view(ALL);
    await all.untilRows((rows) => rows.some(({ level }) => level === 2), 'events');
    await workbench.untilSaved(/"auth\.sessions":\[[^\]]*"https:\/\//);
    await workbench.untilSaved(/"activity\.whose\/[^"]*":\{"kind":"all"\}/);

    // Existing rows stay, and the view shows why there are no newer ones.
    await setAuthority(undefined);
    await workbench.openContainer();
    const message = await until(
      () => all.message(),
      (text) => text.startsWith('Offline'),
      'offline',
    );
    assert.match(message, /certificate .*signalbox\.instances/s);
    await setAuthority(front.ca);
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in again');
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
  });

  it('the sign-in shows a QR code with the complete address for another device, in every theme, until it ends', async () => {
    await setAuthority(front.ca);
    await selectInstance(workbench, front.label);
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await workbench.run('Signalbox: Sign In');
    const code = await readCode(workbench, front.label);
    await workbench.clickDialogButton('Show QR Code');
    const panel = workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    const picture = panel.locator('[role="img"]');
    await picture.waitFor();
    for (const theme of ['light', 'dark', 'contrast'] as const satisfies readonly Theme[]) {
      await workbench.setTheme(theme);
      assert.equal(await read(picture), `${PUBLIC_URL}/oauth/device?user_code=${code}`, theme);
    }
    await workbench.setTheme('light');
    assert.ok((await panel.locator('body').innerText()).includes(code));
    await workbench.untilToast(({ message }) => message.includes(`waiting for approval of ${code}`), 'waits');
    await workbench.clickToast(code, 'Cancel');
    await workbench.page.locator('.tab[aria-label^="Sign In to"]').waitFor({ state: 'detached' });
    assert.equal(await workbench.countDialogs(), 0);
  });

  it('the sign-in is kept in memory when the secret storage fails, after one question, until the window closes', async () => {
    await setAuthority(front.ca);
    // VS Code for the browser stores secrets in the browser's storage; here the browser denies access to it.
    await workbench.page.evaluate(() => sessionStorage.setItem('refuse', 'secrets.provider'));
    await workbench.page.addInitScript(() => {
      const refused = sessionStorage.getItem('refuse');
      const get = Storage.prototype.getItem;
      Storage.prototype.getItem = function (name) {
        if (name === refused) throw new DOMException('Access is denied for this document.', 'SecurityError');
        return get.call(this, name);
      };
    });
    await workbench.reload();
    await selectInstance(workbench, front.label);
    await signInWithToken();
    const asked = await workbench.dialog('secret storage');
    assert.match(asked.message, /^The sign-in to .*127\.0\.0\.1:\d+ could not be saved in the editor's secret storage\.$/);
    assert.match(asked.detail, /in memory until this window closes/);
    assert.deepEqual(asked.buttons.toSorted(), ['Cancel', 'Keep for This Session']);
    await workbench.clickDialogButton('Keep for This Session');
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    await workbench.openContainer();
    await workbench.run('Signalbox: Show Activity in All My Projects');
    await workbench.view(ALL).untilRows((rows) => rows.some(({ level }) => level === 2), 'events');

    // The choice was made before, so the editor does not ask again.
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => !text.includes('@root'), 'signed out');
    await signInWithToken();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in without a dialog');
    await workbench.run('Signalbox: Refresh Activity');
    assert.equal(await workbench.countDialogs(), 0);

    await workbench.page.evaluate(() => sessionStorage.removeItem('refuse'));
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out after the window closed');
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  /** Sets or removes the certificate authority in the user's settings, and reloads the window with them. */
  async function setAuthority(ca: string | undefined): Promise<void> {
    const settings: unknown = JSON.parse(readFileSync(editor.host.settingsFile, 'utf8'));
    assert.ok(typeof settings === 'object' && settings !== null);
    const instance = { url: front.origin, ...(ca === undefined ? {} : { ca }) };
    writeFileSync(editor.host.settingsFile, JSON.stringify({ ...settings, 'signalbox.instances': [instance] }));
    await workbench.reload();
  }

  async function signInWithToken(): Promise<void> {
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with an access token');
    await workbench.enterInput(platform.adminToken);
  }
});

/** Reads a QR code from the screen, like the camera of another device. */
async function read(picture: Locator): Promise<string> {
  const png = (await picture.screenshot()).toString('base64');
  const { width, height, data } = await picture.page().evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('the canvas has no 2D context');
    context.drawImage(image, 0, 0);
    return { width: image.width, height: image.height, data: [...context.getImageData(0, 0, image.width, image.height).data] };
  }, png);
  return decodeQr({ width, height, data: Uint8Array.from(data) });
}
