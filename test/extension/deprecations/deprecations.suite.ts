import assert from 'node:assert/strict';
import { deprecations } from '../../../src/contract/deprecations.ts';
import { DEMO_USER } from '../../support/host/platform.ts';
import { secretsOf, start } from '../../support/host/suite/extension.ts';
import { startLocally, visit } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const { replacement } = deprecations['password-grant'];

/** User agent, username and password of the client under test. */
const CLIENT = 'nightly-export/2.1';
const USER = { username: 'night', password: 'lamps and lanterns', name: 'Night Shift', email: 'night@signalbox.example' };

/** Request of the client that the registry names. */
const ROW = 'POST /oauth/token · password grant';

describe('deprecations of the local server', () => {
  let view: View;
  let origin: string;
  let adminToken: string;
  before(async () => {
    // Activity is loaded again only when there is a reason.
    await start({ settings: { 'signalbox.activity.pollSeconds': 3600 } });
    await startLocally();
    view = await workbench.openView('Deprecations');
  });
  beforeEach(() => workbench.clear());
  after(() => workbench.clear());

  it('a client works at release 18.11, breaks at 20.0 as the view said, and works again with the replacement that the view names', async () => {
    await view.untilWelcome((text) => text.startsWith('Your clients have called nothing that is deprecated.'), 'no calls');
    assert.equal(await view.description(), 'up to release 20.0');
    await view.clickWelcomeButton('Open in Browser');
    const report = await visit(await workbench.untilPage(() => true, 'the report'));
    assert.ok(textOf(report.page).includes('No client has called anything that release 20.0 no longer has.'));
    await untilAdministratorNamed();
    origin = report.address.origin;
    [adminToken = ''] = await secretsOf('local/adminToken/');
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
    const hover = await view.hoverText(ROW);
    assert.match(hover, new RegExp(`${CLIENT} · 3 calls`));
    assert.match(hover, new RegExp(`User: @${USER.username}`));
    await view.clickRowAction(ROW, 'Copy Replacement');
    assert.equal(await until(workbench.clipboard, (text) => text === replacement, 'the replacement'), replacement);
    const opened = workbench.openedPages().length;
    await view.clickRowAction(ROW, 'Open Deprecation in Browser');
    const pages = await until(workbench.openedPages, (all) => all.length > opened, 'the deprecation');
    const { address, page } = await visit(pages.at(-1) ?? '');
    assert.equal(address.pathname, '/help/deprecations/password-grant');
    assert.ok(textOf(page).includes(replacement), page);
    await untilAdministratorNamed();

    await workbench.clickStatus(STATUS);
    const menu = await workbench.choices();
    assert.deepEqual(menu.slice(0, 6), ['Show activity', 'Release…', 'Tier…', 'Offering…', 'Dialect…', 'Show deprecations']);
    await workbench.choose('Release…');
    await until(workbench.choices, (labels) => labels.includes('18.11'), 'the releases');
    await workbench.choose('20.0');
    await workbench.untilStatus(STATUS, (text) => text === `@${DEMO_USER.username} · 20.0`, 'release 20.0');

    const refused = await signInByPassword();
    assert.equal(refused.status, 400);
    assert.equal(((await refused.json()) as { error: string }).error, 'unsupported_grant_type');
    await view.untilRow((row) => row.label === ROW && row.description === `${CLIENT} · 4 calls`, 'the failed call');
    await view.untilRow(({ label }) => label === 'Broken since release 19.0', 'it is broken');

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

/** Returns the text of a page. */
function textOf(page: string): string {
  return page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}
