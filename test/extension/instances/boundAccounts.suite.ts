import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { type Colleague, colleagueOf, MAIL_PROJECT } from '../../support/host/colleague.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { acceptAll, runAccepting } from '../../support/host/suite/accepting.ts';
import { activeDocument, errorPage, errorsOf, lensesOf, selectProject, untilEditor } from '../../support/host/suite/errors.ts';
import { start } from '../../support/host/suite/extension.ts';
import { ask, selectInstance } from '../../support/host/suite/signIn.ts';
import { rowCommands, type RowCommand, type View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const OTHER = { username: 'mei', name: 'Mei Zhou' } as const;
const TRACKED = { path: MAIL_PROJECT, name: 'Berth API' } as const;

/** What makes another account the one that the views show. */
type Switch = 'another account' | 'another server' | 'a sign-out';
const switches: readonly Switch[] = ['another account', 'another server', 'a sign-out'];

/** Events that SDKs send without an account, and tokens that the sign-in as a demo user makes. */
const IGNORED = /\/collector\/|\/personal_access_tokens/;

/** A request that changed something. */
interface Change {
  readonly server: 'first' | 'second';
  readonly user: string;
  readonly text: string;
}

for (const kind of switches)
  describe(`what was opened with an account, after ${kind},`, () => {
    let first: RunningPlatform;
    let second: RunningPlatform;
    let colleague: Colleague;
    const views: View[] = [];

    before(async () => {
      [first, second] = await Promise.all([startPlatform(), startPlatform()]);
      colleague = await colleagueOf(first);
      await start();
      await connect(second);
      await connect(first, 'Other address…');
      await signInAs(OTHER);
      await signInAs(DEMO_USER);
      for (const name of ['My Activity', 'Project Activity', 'Tracked Errors', 'Notifications', 'Mailbox'])
        views.push(await workbench.openView(name));
    });
    after(async () => {
      await first?.close();
      await second?.close();
    });
    beforeEach(async () => {
      await selectInstance(first.label);
      if (!(await isShown(DEMO_USER))) await signInAs(DEMO_USER);
    });
    afterEach(async () => {
      await workbench.clear();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    });

    /** `choice`: entry of the list of servers, which is shown once there is one. */
    async function connect(platform: RunningPlatform, choice?: string): Promise<void> {
      await workbench.run('Signalbox: Connect to Local Server…');
      if (choice !== undefined) await workbench.choose(choice);
      await workbench.fillInput(platform.origin);
      await workbench.fillInput(platform.adminToken);
      await workbench.clickToast('Connected to', 'Sign In as Demo User…');
      await workbench.choose(DEMO_USER.name);
      await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
      await workbench.clear();
    }

    async function signInAs({ username, name }: { readonly username: string; readonly name: string }): Promise<void> {
      await workbench.run('Signalbox: Sign In as Demo User…');
      await workbench.choose(name);
      await workbench.untilStatus(STATUS, (text) => text.includes(`@${username}`), `signed in as ${username}`);
      await workbench.clear();
    }

    async function isShown({ username }: { readonly username: string }): Promise<boolean> {
      let shown = '';
      await workbench.untilStatus(STATUS, (text) => (shown = text) !== '', 'the account');
      return shown.includes(`@${username}`);
    }

    async function perform(): Promise<void> {
      if (kind === 'another account') await signInAs(OTHER);
      else if (kind === 'another server') await selectInstance(second.label);
      else {
        await workbench.run('Signalbox: Sign Out');
        await acceptAll();
      }
      await until(
        async () => `${await isShown(DEMO_USER)} ${kind}`,
        (text) => kind === 'another server' || text.startsWith('false'),
        kind,
      );
    }

    /** Returns the changes on both servers since the last call. */
    async function changes(): Promise<readonly Change[]> {
      const all = await Promise.all([changesOn(first, 'first'), changesOn(second, 'second')]);
      return all.flat();
    }

    const seenRequests = new Set<string>();

    async function changesOn(platform: RunningPlatform, server: Change['server']): Promise<readonly Change[]> {
      const entries = await ask(platform, 'GET', '/_local/requests?limit=500');
      assert.ok(Array.isArray(entries));
      return (entries as readonly unknown[]).filter(isJsonObject).flatMap((entry) => {
        const [id = '', method = '', path = ''] = [
          stringMember(entry, 'id'),
          stringMember(entry, 'method'),
          stringMember(entry, 'path'),
        ];
        if (seenRequests.has(id)) return [];
        seenRequests.add(id);
        const isChange = method !== 'GET' && path.startsWith('/api/v4/') && !IGNORED.test(path);
        return isChange ? [{ server, user: stringMember(entry, 'user') ?? '', text: `${method} ${path}` }] : [];
      });
    }

    /** Opens what an account can act on, and returns the commands of one row of each kind. */
    async function openRows(): Promise<readonly RowCommand[]> {
      const errors = views.find(({ title }) => title === 'Tracked Errors');
      assert.ok(errors);
      await selectProject(errors, TRACKED);
      await colleague.mention('the gate is open.');
      for (const view of views) await view.untilRows((rows) => rows.length > 1, 'rows');
      const [error] = errorsOf(await errors.untilRows((rows) => errorsOf(rows).length > 1, 'errors'));
      assert.ok(error);
      if (error.expanded !== true) await errors.toggleRow(error.label);
      const [keys] = await errors.rows();
      assert.ok(keys);
      if (keys.expanded !== true) await errors.toggleRow(keys.label);
      const settings = views.find(({ title }) => title === 'Notifications');
      const [global] = (await settings?.rows()) ?? [];
      assert.ok(settings && global);
      if (global.expanded !== true) await settings.toggleRow(global.label);
      const all = await until(
        rowCommands,
        (found) => kinds.every((kind) => found.some(({ viewItem }) => kind.test(viewItem))),
        'rows',
      );
      return [...new Map(all.map((one) => [`${one.view} ${one.viewItem} ${one.command}`, one])).values()];
    }

    it(`what was opened with an account, after ${kind}, acts with that account or not at all: every command of every kind of row`, async () => {
      const commands = await openRows();
      assert.ok(commands.length > 50, `${commands.length} commands`);
      await perform();
      await changes();
      const made: Change[] = [];
      for (const { command, values, label } of commands) {
        await runAccepting(command, values);
        const found = await changes();
        assert.deepEqual(found.filter(isForeign), [], `${command} of “${label}”`);
        made.push(...found);
      }
      if (kind === 'a sign-out') assert.deepEqual(made, []);
      else
        for (const part of expected)
          assert.ok(
            made.some(({ text }) => part.test(text)),
            `${part} in ${made.map(({ text }) => text).join(', ')}`,
          );
    });
  });

function isForeign({ server, user }: Change): boolean {
  return server !== 'first' || user !== DEMO_USER.username;
}

/** Context values of the rows that must be there. */
const kinds = [/^trackedError\./, /^clientKey$/, /^notification\.global/, /^notificationEvent/, /^mail\.unread/, /^event/];
/** Changes that the commands make while the account is signed in. */
const expected = [/PUT .*\/error_tracking\/errors\//, /client_keys/, /notification_settings/, /mails\//];
