import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isJsonObject } from '../../../src/contract/json.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { storageOptions } from '../../support/host/storages.ts';
import { selectProject } from '../../support/host/suite/errors.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { ask, connectTo, signInAs } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('a sign-in that the instance has ended', () => {
  let platform: RunningPlatform;
  beforeEach(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
  });
  afterEach(async () => {
    await workbench.clear();
    await reset();
    await platform?.close();
  });

  it('a sign-in that the instance has ended says so above the rows, which stay with their age, also after a reload, until the next sign-in', async () => {
    const view = await workbench.openView('My Activity');
    const before = await view.untilRows((rows) => rows.length > 5, 'activity');
    await revoke(platform, DEMO_USER.username);
    await workbench.run('Signalbox: Refresh Activity');
    const text = `${platform.label} no longer accepts the sign-in of @${DEMO_USER.username}. Sign in again.`;
    const isEnded = (message: string): boolean => message.startsWith('Last updated ') && message.endsWith(text);
    await until(view.message, isEnded, 'why the rows are old');
    assert.equal((await view.rows()).length, before.length);
    await workbench.untilStatus(STATUS, (status) => status.includes('sign in again'), 'sign in again');

    await workbench.reload();
    const again = await workbench.openView('My Activity');
    await again.untilRows((rows) => rows.length > 5, 'the same activity');
    await until(again.message, isEnded, 'still why the rows are old');

    await signInAs(platform, DEMO_USER.username);
    await until(again.message, (message) => !message.includes(text), 'up to date');
  });
});

/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;

/** Another project of the demo user. */
const OTHER = 'amara/billing';

describe('the views of a sign-in that the instance has ended', () => {
  let platform: RunningPlatform;
  let home: string;
  beforeEach(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-ended-'));
    platform = await startPlatform('demo', storageOptions(home), path.join(home, 'data'));
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
  });
  afterEach(async () => {
    await workbench.clear();
    await reset();
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const textFor = (username: string): string => `${platform.label} no longer accepts the sign-in of @${username}. Sign in again.`;

  /** Ends the session, and checks that the view keeps its rows, says so and offers the sign-in, also when it is loaded again. */
  async function endAndCheck(username: string, view: View, refresh: string): Promise<void> {
    const before = await view.rows();
    await revoke(platform, username);
    await workbench.run(refresh);
    const text = textFor(username);
    await until(view.message, (message) => message.startsWith('Last updated ') && message.endsWith(text), 'why the rows are old');
    assert.deepEqual(labelsOf(await view.rows()), labelsOf(before));
    assert.ok(view.isThere());
    assert.ok((await view.titleMenu()).includes('Sign In'), 'the sign-in is offered');
    assert.deepEqual(await workbench.toasts(), []);
  }

  it('notification settings stay with their age and the reason, which a new window shows instead of them', async () => {
    const { username } = DEMO_USER;
    await signInAs(platform, username);
    const view = await workbench.openView('Notifications');
    await view.untilRows((rows) => rows.length > 2 && !rows.some(({ label }) => label === 'Loading…'), 'the settings');
    await view.untilRow(({ label, description }) => label === 'Global' && description !== '', 'the global level');
    await endAndCheck(username, view, 'Signalbox: Refresh Notification Settings');
    await view.toggleRow('All Projects');
    await until(view.message, (message) => message.endsWith(textFor(username)), 'still why the rows are old');

    await workbench.reload();
    const again = await workbench.openView('Notifications');
    await until(again.description, (description) => description === textFor(username), 'why there are no rows');
    await again.clickWelcomeButton('Sign In Again');
    await workbench.choose('Sign in with an access token');
    await workbench.cancel();
    await signInAs(platform, username);
    await again.untilRow(({ label }) => label === 'Global', 'the settings again');
    await until(again.message, (message) => message === '', 'up to date');
  });

  it('tracked errors of several projects and client keys stay with their age and the reason', async () => {
    const { username } = DEMO_USER;
    await signInAs(platform, username);
    const view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
    await workbench.run('Signalbox: Select Projects of Tracked Errors…');
    await workbench.tickChoice(OTHER, 'true');
    await workbench.accept();
    await view.untilRows(
      (rows) => rows.filter(({ level, description }) => level === 1 && /errors?$|off$/.test(description)).length === 2,
      'the projects',
    );
    await view.toggleRow('Client Keys');
    await view.untilRow(({ label }) => label.startsWith('Client key '), 'the client keys');
    await endAndCheck(username, view, 'Signalbox: Refresh Tracked Errors');
    await until(view.message, (message) => message.endsWith(textFor(username)), 'why the rows are old');
    assert.ok((await view.rows()).some(({ label }) => label.startsWith('Client key ')));
  });

  it('storages and deprecated calls stay with their age and the reason, which a new window shows instead of them', async () => {
    await signInAs(platform, 'root');
    const storages = await workbench.openView('Storages');
    await storages.untilRow(({ label }) => label === 'archive', 'the storages');
    const deprecations = await workbench.openView('Deprecations');
    await until(deprecations.description, (text) => text.startsWith('up to release'), 'the calls');
    await endAndCheck('root', storages, 'Signalbox: Refresh Storages');
    await until(deprecations.message, (message) => message.endsWith(textFor('root')), 'why the calls are old');
    assert.ok(deprecations.isThere());

    await workbench.reload();
    for (const name of ['Storages', 'Deprecations']) {
      const view = await workbench.openView(name);
      await until(view.message, (message) => message === textFor('root'), `why ${name} has no rows`);
    }
    await signInAs(platform, 'root');
    const again = await workbench.openView('Storages');
    await again.untilRow(({ label }) => label === 'archive', 'the storages again');
    await until(again.message, (message) => message === '', 'up to date');
  });

  it('mails stay with their age and the reason, which a new window shows instead of them', async () => {
    const { username } = DEMO_USER;
    await workbench.setSetting('signalbox.instances', []);
    await connectTo(platform);
    await signInAs(platform, username);
    const view = await workbench.openView('Mailbox');
    await view.untilRows((rows) => rows.length > 2, 'mails');
    await endAndCheck(username, view, 'Signalbox: Refresh Mailbox');
    await workbench.reload();
    const again = await workbench.openView('Mailbox');
    await until(again.description, (description) => description === textFor(username), 'why there are no mails');
    await again.untilWelcome((text) => text.includes('no longer accepts this sign-in'), 'the sign-in');
    await signInAs(platform, username);
    await again.untilRows((rows) => rows.length > 2, 'mails again');
  });
});

const labelsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ label }) => label);

/** Revokes the tokens with which a user has signed in. */
async function revoke(platform: RunningPlatform, username: string): Promise<void> {
  const tokens = await ask(platform, 'GET', '/api/v4/personal_access_tokens?per_page=100&state=active');
  assert.ok(Array.isArray(tokens));
  const [user] = (await ask(platform, 'GET', `/api/v4/users?username=${username}`)) as readonly { readonly id: number }[];
  const isOfSignIn = (token: Readonly<Record<string, unknown>>): boolean => token.user_id === user?.id && token.name === 'suite';
  for (const token of (tokens as readonly unknown[]).filter(isJsonObject).filter(isOfSignIn))
    await ask(platform, 'DELETE', `/api/v4/personal_access_tokens/${String(token.id)}`);
}
