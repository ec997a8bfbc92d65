// Signs in through VS Code like a user.
import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { decideOnDevicePage, DEMO_USER, type RunningPlatform } from './platform.ts';
import { openedTab, type Workbench } from './workbench.ts';

const OPEN = 'Copy Code and Open Page';

/**
 * Starts signing in with a code, waits for the dialog and returns the code. `other` is an earlier code that is no longer valid, after which
 * the editor does not ask for the sign-in method again.
 */
export async function readCode(workbench: Workbench, label: string, other?: string): Promise<string> {
  if (other === undefined) await workbench.choose('Sign in with a code');
  const { message, buttons } = await workbench.dialog(`Your code for ${label}`);
  assert.ok(buttons.includes(OPEN), `buttons: ${buttons.join(', ')}`);
  const code = /: ([A-Z]{4}-[A-Z]{4})$/.exec(message)?.[1];
  assert.ok(code !== undefined, message);
  assert.notEqual(code, other);
  return code;
}

/**
 * Clicks the dialog button that copies the code and opens the page, and returns the opened tab. For the local server the editor first asks
 * which user approves.
 */
export async function openCodePage(workbench: Workbench, context: BrowserContext, person?: string): Promise<Page> {
  return openedTab(context, workbench, async () => {
    await workbench.clickDialogButton(OPEN);
    if (person !== undefined) await workbench.choose(person);
  });
}

/** Selects the instance that the views show. */
export async function selectInstance(workbench: Workbench, label: string): Promise<void> {
  await workbench.run('Signalbox: Select Instance…');
  await workbench.choose(label);
}

/** Signs in to the selected instance with a code, which is approved in the browser, and waits until the status bar shows the user. */
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

/** Starts the local server of the window, and signs in to it as the demo user. */
export async function startLocally(workbench: Workbench): Promise<void> {
  await workbench.run('Signalbox: Start Local Server');
  await workbench.untilStatus('signalbox.status', (text) => text.includes('signed out'), 'signed out');
  await workbench.run('Signalbox: Sign In as Demo User…');
  await workbench.choose(DEMO_USER.name);
  await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
  await workbench.clear();
}
