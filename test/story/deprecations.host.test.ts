import assert from 'node:assert/strict';
import { deprecations } from '../../src/contract/deprecations.ts';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER, tokenByDevicePage } from '../support/host/platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { openedTab, THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const { replacement } = deprecations['password-grant'];

/** User agent, username and password of the client under test. */
const CLIENT = 'nightly-export/2.1';
const USER = { username: 'night', password: 'lamps and lanterns', name: 'Night Shift', email: 'night@signalbox.example' };

/** Request of the client that the registry names. */
const ROW = 'POST /oauth/token · password grant';

describe('deprecations in the editor', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let origin: string;
  let adminToken: string;
  before(async () => {
    // Activity is loaded again only when there is a reason.
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, 'signalbox.activity.pollSeconds': 3600 } });
    workbench = editor.workbench;
    await workbench.openContainer();
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text === `@${DEMO_USER.username}`, 'signed in');
    view = await workbench.openView('Deprecations');
    await workbench.widenSideBar(520);
  });
  after(async () => {
    await editor?.close();
  });
  beforeEach(() => workbench.clear());
  afterEach(screenshotsOfFailure(() => editor));

  it('a client works at release 18.11, breaks at 20.0 as the view said, and works again with the replacement that the view names', async () => {
    await view.untilWelcome((text) => text.startsWith('Your clients have called nothing that is deprecated.'), 'no calls');
    assert.equal(await view.description(), 'up to release 20.0');
    await pictures(workbench, 'deprecations-empty');
    const report = await openedTab(editor.context, workbench, () => view.clickWelcomeButton('Open in Browser'));
    await report.getByText('No client has called anything that release 20.0 no longer has.').waitFor();
    await untilAdministratorNamed();
    ({ origin } = new URL(report.url()));
    adminToken = await tokenByDevicePage(report, origin);
    await report.close();
    await workbench.page.bringToFront();
    const { id } = await created('/users', { ...USER, skip_confirmation: true });

    for (let run = 0; run < 3; run += 1) assert.equal((await signInByPassword()).status, 200);
    await view.untilRow((row) => row.label === ROW && row.description === `${CLIENT} · 3 calls`, 'the calls');
    assert.deepEqual(
      (await view.rows()).map(({ level, label }) => [level, label]),
      [
        [1, 'Breaks in release 19.0'],
        [2, ROW],
        [3, replacement],
      ],
    );
    await pictures(workbench, 'deprecations');
    const hover = await view.hoverText(ROW);
    assert.match(hover, new RegExp(`${CLIENT} · 3 calls`));
    assert.match(hover, new RegExp(`User: @${USER.username}`));
    await view.clickRowAction(ROW, 'Copy Replacement');
    assert.equal(await until(workbench.clipboard, (text) => text === replacement, 'the replacement'), replacement);
    const page = await openedTab(editor.context, workbench, () => view.clickRowAction(ROW, 'Open Deprecation in Browser'));
    assert.equal(new URL(page.url()).pathname, '/help/deprecations/password-grant');
    await page.getByText(replacement).first().waitFor();
    await page.close();
    await untilAdministratorNamed();
    await workbench.page.bringToFront();

    await workbench.clickStatus(STATUS);
    const menu = await workbench.choices();
    assert.deepEqual(menu.slice(0, 6), ['Show activity', 'Release…', 'Tier…', 'Offering…', 'Dialect…', 'Show deprecations']);
    await pictures(workbench, 'deprecations-menu');
    await workbench.choose('Release…');
    await until(workbench.choices, (labels) => labels.includes('18.11'), 'the releases');
    await pictures(workbench, 'deprecations-releases');
    await workbench.choose('20.0');
    await workbench.untilStatus(STATUS, (text) => text === `@${DEMO_USER.username} · 20.0`, 'release 20.0');

    const refused = await signInByPassword();
    assert.equal(refused.status, 400);
    assert.equal(((await refused.json()) as { error: string }).error, 'unsupported_grant_type');
    await view.untilRow((row) => row.label === ROW && row.description === `${CLIENT} · 4 calls`, 'the failed call');
    await view.untilRow(({ label }) => label === 'Broken since release 19.0', 'it is broken');
    await pictures(workbench, 'deprecations-broken');

    const { token } = await created(`/users/${String(id)}/personal_access_tokens`, { name: 'export', scopes: ['read_user'] });
    const user = await fetch(`${origin}/api/v4/user`, {
      headers: { Authorization: `Bearer ${String(token)}`, 'User-Agent': CLIENT },
    });
    assert.equal(user.status, 200);
    assert.equal(((await user.json()) as { username: string }).username, USER.username);
    await view.clickTitleAction('Refresh Deprecations');
    const listed = await fetch(`${origin}/api/v4/deprecated_calls?all=true`, {
      headers: { Authorization: `Bearer ${adminToken}` },
    });
    const counts = ((await listed.json()) as { count: number }[]).map(({ count }) => count);
    assert.deepEqual(counts.toSorted(), [1, 3]);
    await view.untilRow((row) => row.label === ROW && row.description === `${CLIENT} · 4 calls`, 'no further call');

    await workbench.run('Signalbox: Show Deprecations up to Release…');
    await workbench.choose('18.11');
    await view.untilRow(({ label }) => label === 'Still works in release 18.11', 'seen from an earlier release');
    assert.equal(await view.description(), 'up to release 18.11');
    await workbench.run('Signalbox: Restart Local Server');
    await workbench.untilStatus(STATUS, (text) => text === `@${DEMO_USER.username} · 20.0`, 'still release 20.0');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a change of the dialect shows at once in the activity, and is written to the user settings', async () => {
    const mine = await workbench.openView('My Activity');
    const isMergeRequest = ({ label }: { readonly label: string }): boolean => / !\d+ /.test(label);
    await mine.untilRows((rows) => rows.some(({ level }) => level === 2) && !rows.some(isMergeRequest), 'activity as documented');
    await workbench.run('Signalbox: Emulate Dialect…');
    assert.deepEqual((await workbench.choices()).slice(0, 1), ['Documented']);
    await workbench.choose('Observed');
    await mine.untilRow(isMergeRequest, 'merge requests, which only observed instances list');
    // The setting is written after the server has changed.
    await until(
      diagnostics,
      (report) => /^- `signalbox\.local\.dialect` \(user\): `observed`$/m.test(report),
      'the dialect in the user settings',
    );
    await workbench.run('Signalbox: Emulate Dialect…');
    await workbench.choose('Documented');
    await mine.untilRows((rows) => !rows.some(isMergeRequest), 'activity as documented again');
  });

  /** Copies the diagnostics and returns them. */
  async function diagnostics(): Promise<string> {
    await workbench.setClipboard('');
    await workbench.run('Signalbox: Copy Diagnostics');
    return until(workbench.clipboard, (text) => text.startsWith('## Signalbox diagnostics'), 'diagnostics');
  }

  /** Signs the user in as the client does, with the password grant. */
  function signInByPassword(): Promise<Response> {
    return fetch(`${origin}/oauth/token`, {
      method: 'POST',
      headers: { 'User-Agent': CLIENT },
      body: new URLSearchParams({ grant_type: 'password', username: USER.username, password: USER.password }),
    });
  }

  /** Creates a resource as an administrator. */
  async function created(url: string, body: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${origin}/api/v4${url}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201, `${url}: ${response.status}`);
    return (await response.json()) as Readonly<Record<string, unknown>>;
  }

  /** Waits until VS Code has said which account the browser is signed in with. */
  async function untilAdministratorNamed(): Promise<void> {
    const text = 'Opened in the browser as the administrator @root.';
    await workbench.untilToast(({ message }) => message === text, 'whose account it is');
    await workbench.clear();
  }
});
