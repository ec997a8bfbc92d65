// Servers and sign-ins for suites inside the extension host.
import assert from 'node:assert/strict';
import { isJsonObject, integerMember, stringMember } from '../../../../src/contract/json.ts';
import { decideByPages } from '../../deviceGrant.ts';
import { createPageVisitor } from '../../pageVisitor.ts';
import { ask, DEMO_USER, type RunningPlatform } from '../platform.ts';
import { workbench } from './workbench.ts';

export { ask } from '../platform.ts';

/** Button of the dialog with a code. */
export const OPEN_CODE_PAGE = 'Copy Code and Open Page';

/** Starts the local server of the window, and signs in to it as the demo user. */
export async function startLocally(): Promise<void> {
  await workbench.run('Signalbox: Start Local Server');
  await workbench.untilStatus('signalbox.status', (text) => text.includes('signed out'), 'signed out');
  await workbench.run('Signalbox: Sign In as Demo User…');
  await workbench.choose(DEMO_USER.name);
  await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
  await workbench.clear();
}

/** Selects the instance that the views show. */
export async function selectInstance(label: string): Promise<void> {
  await workbench.run('Signalbox: Select Instance…');
  await workbench.choose(label);
}

/** Signs in to a configured instance, which becomes the one that the views show, with a personal access token of a user. */
export async function signInAs(platform: RunningPlatform, username: string, scopes: readonly string[] = ['api']): Promise<void> {
  await selectInstance(platform.label);
  await workbench.run('Signalbox: Sign In');
  await workbench.choose('Sign in with an access token');
  await workbench.enterInput(await tokenOf(platform, username, scopes));
  await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${username}`), 'signed in');
}

/** Waits for the dialog with the code of a sign-in, and returns the code. */
export async function readCode(label: string): Promise<string> {
  const { message, buttons } = await workbench.dialog(`Your code for ${label}`);
  assert.ok(buttons.includes(OPEN_CODE_PAGE), `buttons: ${buttons.join(', ')}`);
  const code = /: ([A-Z]{4}-[A-Z]{4})$/.exec(message)?.[1];
  assert.ok(code !== undefined, message);
  return code;
}

/** Signs in to a configured instance, which becomes the one that the views show, with a code that a user approves. */
export async function signInByCode(platform: RunningPlatform, username: string): Promise<void> {
  await selectInstance(platform.label);
  await workbench.run('Signalbox: Sign In');
  await workbench.choose('Sign in with a code');
  const code = await readCode(platform.label);
  await workbench.clickDialogButton(OPEN_CODE_PAGE);
  await decideByPages(platform.origin, platform.adminToken, username, code, 'approve');
  await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${username}`), 'signed in');
}

/**
 * Connects to a server with its admin token, and signs in to it as the demo user. The views then follow its changes, as they follow those of
 * the server of the window.
 */
export async function connectTo(platform: RunningPlatform): Promise<void> {
  await workbench.run('Signalbox: Connect to Local Server…');
  await workbench.fillInput(platform.origin);
  await workbench.fillInput(platform.adminToken);
  await workbench.clickToast('Connected to', 'Sign In as Demo User…');
  await workbench.choose(DEMO_USER.name);
  await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
  await workbench.clear();
}

/** Opens an address like a browser that is not signed in. Returns the last address and its page. */
export async function visit(address: string): Promise<{ readonly address: URL; readonly page: string }> {
  const visited = await createPageVisitor().open(address);
  return { address: visited.address, page: visited.html };
}

/** Opens a page of a platform like a browser in which a user is signed in. Returns the last address and its page. */
export async function visitAs(platform: RunningPlatform, username: string, address: string): ReturnType<typeof visit> {
  const { pathname, search } = new URL(address);
  const link = await ask(platform, 'POST', '/_local/sign-in-links', { username, return_to: `${pathname}${search}` });
  assert.ok(isJsonObject(link));
  return visit(stringMember(link, 'url') ?? '');
}

export async function tokenOf(platform: RunningPlatform, username: string, scopes: readonly string[]): Promise<string> {
  const users = await ask(platform, 'GET', `/api/v4/users?username=${username}`);
  const [user] = Array.isArray(users) ? (users as readonly unknown[]) : [];
  assert.ok(isJsonObject(user));
  const created = await ask(platform, 'POST', `/api/v4/users/${integerMember(user, 'id')}/personal_access_tokens`, {
    name: 'suite',
    scopes,
  });
  assert.ok(isJsonObject(created));
  return stringMember(created, 'token') ?? '';
}
