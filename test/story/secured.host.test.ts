import assert from 'node:assert/strict';
import type { Context } from 'mocha';
import type { Locator } from 'playwright-core';
import decodeQr from 'qr/decode.js';
import { PUBLIC_URL, type SecuredInstance, startSecured } from '../support/host/authority.ts';
import { readCode, selectInstance } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Theme, type Workbench } from '../support/host/workbench.ts';

const STATUS = 'signalbox.status';

describe('an instance with its own certificate authority', () => {
  let front: SecuredInstance;
  let editor: Editor;
  let workbench: Workbench;
  before(async function (this: Context) {
    front = await startSecured(this);
    editor = await openEditor({
      userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: front.origin, ca: front.ca }] },
    });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await front?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.clear();
  });

  it('the sign-in shows a QR code with the complete address for another device, in every theme, until it ends', async () => {
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
