// Signing in as a person does it in the editor.
import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { decideOnDevicePage, type RunningPlatform } from './platform.ts';
import { openedTab, type Workbench } from './workbench.ts';

const OPEN = 'Copy Code and Open Page';

/**
 * Chooses to sign in with a code, waits for the dialog with it, and reads it off. `other`: a code that is not meant any more, after
 * which the editor does not ask for the way again.
 */
export async function readCode(workbench: Workbench, label: string, other?: string): Promise<string> {
  if (other === undefined) await workbench.choose('Code in the browser');
  const { message, buttons } = await workbench.dialog(`Your code for ${label}`);
  assert.ok(buttons.includes(OPEN), `buttons: ${buttons.join(', ')}`);
  const code = /: ([A-Z]{4}-[A-Z]{4})$/.exec(message)?.[1];
  assert.ok(code !== undefined, message);
  assert.notEqual(code, other);
  return code;
}

/**
 * Takes the dialog's offer to copy the code and open the page, and answers the tab that opens. On the local server the editor asks
 * first who is to approve.
 */
export async function openCodePage(workbench: Workbench, context: BrowserContext, person?: string): Promise<Page> {
  return openedTab(context, workbench, async () => {
    await workbench.answerDialog(OPEN);
    if (person !== undefined) await workbench.choose(person);
  });
}

/** Makes an instance the one that the views show. */
export async function selectInstance(workbench: Workbench, label: string): Promise<void> {
  await workbench.run('Signalbox: Select Instance…');
  await workbench.choose(label);
}

/** Signs in on the platform that is current, with a code that somebody approves, and waits until the status bar names them. */
export async function signInAs(
  workbench: Workbench,
  context: BrowserContext,
  platform: RunningPlatform,
  username: string,
): Promise<void> {
  const tab = await context.newPage();
  await platform.signIn(tab, username);
  await tab.close();
  await workbench.page.bringToFront();
  await workbench.run('Signalbox: Sign In');
  const code = await readCode(workbench, platform.label);
  const page = await openCodePage(workbench, context);
  await decideOnDevicePage(page, code, 'Approve');
  await page.close();
  await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${username}`), 'signed in');
}
