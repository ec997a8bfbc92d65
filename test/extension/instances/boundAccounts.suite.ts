import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { type Colleague, colleagueOf, MAIL_PROJECT } from '../../support/host/colleague.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { runAccepting } from '../../support/host/suite/accepting.ts';
import {
  activeDocument,
  clickLens,
  errorPage,
  errorsOf,
  lensesOf,
  selectProject,
  untilEditor,
} from '../../support/host/suite/errors.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { acceptInput } from '../../support/host/suite/inputs.ts';
import { ask, selectInstance } from '../../support/host/suite/signIn.ts';
import { rowCommands, type RowCommand, type View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const OTHER = { username: 'mei', name: 'Mei Zhou' } as const;
const TRACKED = { path: MAIL_PROJECT, name: 'Berth API' } as const;

/** Action after which the views no longer show the account. */
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
    let views: readonly View[] = [];

    beforeEach(async () => {
      [first, second] = await Promise.all([startPlatform(), startPlatform()]);
      colleague = await colleagueOf(first);
      await start();
      await connect(second);
      await connect(first, 'Other address…');
      await signInAs(OTHER);
      await signInAs(DEMO_USER);
      views = [];
      for (const name of ['My Activity', 'Project Activity', 'Tracked Errors', 'Notifications', 'Mailbox'])
        views = [...views, await workbench.openView(name)];
    });
    afterEach(async () => {
      await workbench.clear();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await reset();
      await first?.close();
      await second?.close();
    });

    function viewOf(name: string): View {
      const view = views.find(({ title }) => title === name);
      assert.ok(view);
      return view;
    }

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
    }

    async function perform(): Promise<void> {
      if (kind === 'another account') await signInAs(OTHER);
      else if (kind === 'another server') await selectInstance(second.label);
      else await workbench.run('Signalbox: Sign Out');
      await until(
        // The question who goes on is accepted.
        async () => (acceptInput() ? '' : statusOf()),
        (text) => text !== '' && !(text.includes(`@${DEMO_USER.username}`) && text.includes(first.label)),
        kind,
      );
    }

    async function statusOf(): Promise<string> {
      let status = '';
      await workbench.untilStatus(STATUS, (text, spoken) => (status = `${text} ${spoken}`) !== '', 'the status');
      return status;
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

    it(`what was opened with an account, after ${kind}, acts with that account or is disabled: an explanation, a panel and a message`, async () => {
      const [errors, mailbox] = [viewOf('Tracked Errors'), viewOf('Mailbox')];
      await selectProject(errors, TRACKED);
      const number = await colleague.mention('the crane waits.');
      const mail = await mailbox.untilRow(({ label }) => label.includes(`(#${number})`), 'the mail');
      const [panelError, resolved] = errorsOf(await errors.untilRows((rows) => errorsOf(rows).length > 1, 'errors'));
      assert.ok(panelError && resolved);
      await errors.clickRowAction(panelError.label, 'Show Error');
      const page = await errorPage(panelError.label);
      await page.untilShown(({ event }) => event !== null, 'the error');
      await errors.clickRowAction(resolved.label, 'Resolve Error');
      const resolvedText = (await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved')).message;
      await mailbox.chooseFromRowMenu(mail.label, 'Why Was I Mailed?');
      await untilEditor((text) => text.includes('## What would'), 'the explanation');
      const document = activeDocument();
      const name = `@${DEMO_USER.username} on ${first.label}`;
      assert.ok(document.getText().includes(`*Read as ${name}*`), document.getText());
      await perform();
      await changes();

      const isGone = kind === 'a sign-out';
      const [lens = ''] = await until(
        () => lensesOf(document),
        (titles) => titles.some((title) => title !== 'Apply'),
        'the lenses name the account',
      );
      assert.equal(lens, isGone ? `You are no longer signed in as ${name}.` : `Apply (for ${name})`);
      if (!isGone) {
        await clickLens(document, lens);
        await workbench.untilToast(({ message }) => message.startsWith('Done: ') && message.endsWith(`(for ${name})`), 'done');
      }
      await workbench.clickToast(resolvedText, 'Undo');
      if (isGone) await workbench.untilToast(({ message }) => message === lens, 'why it is not undone');
      else await until(workbench.passingTexts, (texts) => texts.includes(`The change was undone (for ${name})`), 'undone');
      const { account } = await until(
        () => page.messages().findLast((message) => message.type === 'account') ?? { account: undefined },
        (message) => message.account?.notice !== null,
        'the panel names its account',
      );
      assert.deepEqual(account, {
        notice: isGone ? lens : `This panel acts as ${name}. The views show another account.`,
        isDisabled: isGone,
        readOnly: null,
      });
      page.send({ type: 'action', action: 'resolve' });
      if (isGone) await workbench.untilToast(({ message }) => message === lens, 'why the panel does nothing');
      else await page.untilShown(({ detail }) => detail.status === 'resolved', 'resolved by the panel');
      const made = await changes();
      assert.deepEqual(made.filter(isForeign), []);
      assert.equal(made.length > 2, !isGone, JSON.stringify(made));
      page.close();
    });

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
