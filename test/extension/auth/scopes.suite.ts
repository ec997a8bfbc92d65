import assert from 'node:assert/strict';
import type { AccountState } from '../../../src/errorPanel/protocol.ts';
import { decideByPages } from '../../support/deviceGrant.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { type ErrorPage, errorPage, errorsOf, selectProject, untilEditor } from '../../support/host/suite/errors.ts';
import { start } from '../../support/host/suite/extension.ts';
import { startBehindFront } from '../../support/host/suite/front.ts';
import { connectTo, OPEN_CODE_PAGE, readCode, signInAs, tokenOf } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const { username } = DEMO_USER;
const REASON = `The sign-in of @${username} may only read: it lacks the scope api.`;
const BUTTON = 'Sign In Again';
const SIGNED_IN = `@${username} is signed in with the scope api now. You can try again.`;
/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;

/** Commands that change something, and the arguments that menus give some of them. */
const changing = [
  'Set Notification Level…',
  'Select Notification Events…',
  'Inherit Notification Settings…',
  'Set Notification Email…',
  'Copy Notification Settings to…',
  'Undo Last Notification Change',
  'Start Timed Notification Profile…',
  'Enable Error Tracking…',
  'Disable Error Tracking…',
  'Create Client Key…',
  'Delete Client Key…',
  'Rotate Client Key…',
  'Resolve Error',
  'Resolve Error in Next Release',
  'Ignore Error',
  'Reopen Error',
  'Assign Error…',
  'Merge Errors…',
  'Split Error…',
  'Create Issue from Error…',
  'Link Error with Issue…',
] as const;

/** Approves the code that the dialog shows as a user. */
async function approveAs(platform: RunningPlatform, approver: string): Promise<void> {
  const code = await readCode(platform.label);
  await workbench.clickDialogButton(OPEN_CODE_PAGE);
  await decideByPages(platform.origin, platform.adminToken, approver, code, 'approve');
}

async function signOut(): Promise<void> {
  await workbench.clear();
  await workbench.run('Signalbox: Sign Out');
  await workbench.untilStatus('signalbox.status', (text) => text.includes('signed out'), 'signed out');
}

describe('a sign-in that may only read', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });
  beforeEach(() => signInAs(platform, username, ['read_api']));
  afterEach(signOut);

  /** Opens the Notifications view with the events of the global setting. */
  async function openEvents(): Promise<View> {
    const view = await workbench.openView('Notifications');
    await view.untilRow(({ label }) => label === 'Global', 'the global settings');
    if (!(await view.rows()).some(({ label }) => label === 'New comment')) await view.toggleRow('Global');
    await view.untilRow(({ label }) => label === 'New comment', 'the events');
    return view;
  }

  /** Opens the panel of the first error of a project. */
  async function openPanel(): Promise<ErrorPage> {
    const view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
    const [first] = errorsOf(await view.untilRows((rows) => errorsOf(rows).length > 0, 'errors'));
    assert.ok(first);
    await view.clickRowAction(first.label, 'Show Error');
    const page = await errorPage(first.label);
    await page.untilShown(({ event, isBusy }) => event !== null && !isBusy, 'the error');
    return page;
  }

  function untilAccount(page: ErrorPage, accept: (account: AccountState) => boolean, what: string): Promise<unknown> {
    return until(
      () => page.messages().findLast((message) => message.type === 'account'),
      (message) => message?.type === 'account' && accept(message.account),
      what,
    );
  }

  it('shows the events of notifications without check boxes and with the reason; with the scope api they have them', async () => {
    const view = await openEvents();
    const isReadOnly = ({ checked, icon, name }: Row): boolean =>
      checked === undefined && icon === 'lock' && name.endsWith(REASON);
    await view.untilRows((rows) => {
      // The instance does not report one of them.
      const events = rows.filter(({ context, icon }) => context.startsWith('notificationEvent') && icon !== 'question');
      return events.length > 10 && events.every(isReadOnly);
    }, 'events with the reason and without check boxes');
    assert.match(await view.hoverText('New comment'), new RegExp(`\n${REASON}$`));

    await signInAs(platform, username, ['api']);
    await view.untilRow(({ label, checked }) => label === 'New comment' && checked !== undefined, 'a check box');
    const { name, icon } = await view.untilRow(({ label }) => label === 'New comment', 'the event');
    assert.deepEqual([name.includes('may only read'), icon], [false, '']);
  });

  it('says why at an event, and the button signs the same account in again, which can then change it', async () => {
    const view = await openEvents();
    await view.clickRow('New comment');
    await workbench.clickToast(REASON, BUTTON);
    await approveAs(platform, username);
    await workbench.untilToast(({ message, severity }) => message === SIGNED_IN && severity === 'info', 'signed in');
    const before = await view.untilRow(({ label, checked }) => label === 'New comment' && checked !== undefined, 'a check box');
    await view.clickRow('New comment');
    await workbench.clickDialogButton('Continue');
    await view.untilChecked('New comment', before.checked !== true);
    await workbench.run('Signalbox: Undo Last Notification Change');
    await view.untilRow(({ label, description }) => label === 'Global' && !description.startsWith('Custom'), 'undone');
  });

  it('stays as it is when somebody else approves, who is not signed in either', async () => {
    const view = await openEvents();
    await view.clickRow('New comment');
    await workbench.clickToast(REASON, BUTTON);
    await approveAs(platform, 'root');
    const text = `Sign-in failed. @root signed in, but this was the sign-in of @${username}. Nothing was changed.`;
    await workbench.untilToast(({ message }) => message === text, 'the refusal');
    await workbench.untilStatus('signalbox.status', (status) => status.includes(`@${username}`), 'the same account');
    const { name } = await view.untilRow(({ label }) => label === 'New comment', 'the event');
    assert.ok(name.endsWith(REASON));
    await workbench.run('Signalbox: Select Instance…');
    const choices = await workbench.choices();
    assert.ok(!choices.some((choice) => choice.includes('@root')), choices.join('\n'));
    await workbench.cancel();
  });

  for (const command of changing)
    it(`says at once why it cannot ${command}, without a dialog`, async () => {
      const view = await workbench.openView('Tracked Errors');
      await selectProject(view, TRACKED);
      await view.untilRows((rows) => errorsOf(rows).length > 0, 'errors');
      await workbench.run(`Signalbox: ${command}`);
      const toast = await workbench.untilToast(() => true, 'the reason');
      assert.deepEqual(toast, { severity: 'error', message: REASON, buttons: [BUTTON] });
      assert.equal(await workbench.countDialogs(), 0);
    });

  it('says in the panel of an error why nothing can be changed, and the panel signs the account in again', async () => {
    const page = await openPanel();
    await untilAccount(page, ({ readOnly }) => readOnly === REASON, 'the reason');
    page.send({ type: 'action', action: 'resolve' });
    await workbench.untilToast(({ message }) => message === REASON, 'the reason');
    page.send({ type: 'undo' });
    await workbench.clear();
    page.send({ type: 'signInAgain' });
    await approveAs(platform, username);
    await untilAccount(page, ({ readOnly }) => readOnly === null, 'no reason');
    page.send({ type: 'action', action: 'resolve' });
    await page.untilShown(({ detail }) => detail.status === 'resolved', 'resolved');
    page.send({ type: 'undo' });
    await page.untilShown(({ detail }) => detail.status === 'unresolved', 'undone');
    page.close();
  });
});

describe('a sign-in whose scopes the instance does not report', () => {
  let platform: RunningPlatform;
  /** Paths that the instance refuses. */
  let refused = /^$/;
  before(async () => {
    platform = await startBehindFront(({ url = '' }, response) => {
      if (refused.test(url)) {
        const challenge = 'Bearer error="insufficient_scope", scope="read_api"';
        response.writeHead(403, { 'content-type': 'application/json', 'www-authenticate': challenge }).end('{}');
        return true;
      }
      if (!url.endsWith('/personal_access_tokens/self')) return false;
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"404 Not Found"}');
      return true;
    });
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });
  afterEach(signOut);

  it('is offered every change, and the refusal of the instance has the button that makes the change possible', async () => {
    await signInAs(platform, username, ['read_api']);
    const view = await workbench.openView('Notifications');
    await view.untilRow(({ label }) => label === 'Tidemark', 'the groups');
    await view.clickRowAction('Tidemark', 'Set Notification Level…');
    await workbench.choose('Disabled');
    const toast = await workbench.untilToast(({ message }) => message.includes('lacks the scope api'), 'the refusal');
    assert.deepEqual(toast.buttons, [BUTTON]);
    await workbench.clickToast('lacks the scope api', BUTTON);
    await approveAs(platform, username);
    await workbench.untilToast(({ message }) => message === SIGNED_IN, 'signed in');
    await view.clickRowAction('Tidemark', 'Set Notification Level…');
    await workbench.choose('Disabled');
    await view.untilRow(({ label, description }) => label === 'Tidemark' && description === 'Disabled', 'the level');
  });

  it('signs in again by a click on the row of a list that the instance refuses', async () => {
    refused = /^\/api\/v4\/groups\b/;
    await signInAs(platform, username, ['read_api']);
    const view = await workbench.openView('Notifications');
    const { label } = await view.untilRow((row) => row.label.includes('lacks the scope read_api'), 'the refusal');
    refused = /^$/;
    await view.clickRow(label);
    await approveAs(platform, username);
    await workbench.untilToast(({ message }) => message.includes('is signed in with the scope read_api now'), 'signed in');
  });

  it('has the button in views that it cannot load, which then load', async () => {
    await signInAs(platform, username, ['api']);
    const errors = await workbench.openView('Tracked Errors');
    await selectProject(errors, TRACKED);
    await signOut();
    await signInAs(platform, username, ['read_user']);
    const notifications = await workbench.openView('Notifications');
    for (const view of [errors, notifications]) {
      await view.open();
      const text = await view.untilWelcome((shown) => shown.includes('lacks the scope'), 'the scope');
      assert.match(text, /^The sign-in lacks the scope that this view needs\.\nSign In Again\nTry Again$/);
    }
    await notifications.clickWelcomeButton(BUTTON);
    await approveAs(platform, username);
    await workbench.untilToast(({ message }) => message === SIGNED_IN, 'signed in');
    await notifications.untilRow(({ label }) => label === 'Tidemark', 'the groups');
    await errors.open();
    await errors.untilRows((rows) => errorsOf(rows).length > 0, 'errors');
  });
});

describe('the mailbox of a sign-in that may only read', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform();
    await start();
    await connectTo(platform);
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });

  it('keeps a mail unread that is opened, and says why it cannot be marked or deleted', async () => {
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with an access token');
    await workbench.enterInput(await tokenOf(platform, username, ['read_api']));
    const view = await workbench.openView('Mailbox');
    const mail = await view.untilRow(({ context }) => context.startsWith('mail.unread'), 'an unread mail');
    await view.chooseFromRowMenu(mail.label, 'Show Mail');
    await untilEditor((text) => text.includes('Subject') || text.includes(mail.label), 'the mail');
    assert.deepEqual(await workbench.toasts(), []);
    await view.chooseFromRowMenu(mail.label, 'Mark Mail as Read');
    await workbench.untilToast(({ message }) => message === REASON, 'the reason');
    await workbench.clear();
    await view.chooseFromRowMenu(mail.label, 'Delete Mail…');
    await workbench.untilToast(({ message }) => message === REASON, 'the reason');
    assert.equal(await workbench.countDialogs(), 0);
    const { context } = await view.untilRow(({ label }) => label === mail.label, 'the mail');
    assert.ok(context.startsWith('mail.unread'));
  });
});
