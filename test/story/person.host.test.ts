import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Gitlab } from '@gitbeaker/rest';
import {
  decideOnDevicePage,
  DEMO_USER,
  type RunningPlatform,
  startPlatform,
  tokenByDevicePage,
} from '../support/host/platform.ts';
import { openCodePage, readCode, selectInstance } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { openedTab, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** Id of the status bar entry. */
const STATUS = 'signalbox.status';
/** Matches the row of an event, from the demo data or of a client: verb and number of the target. */
const EVENT = /^(Opened|Closed|Reopened|Commented on|Joined|Left|Created)\b/;

/** Matches the row of an issue event; the rest of the label is the title. */
const ISSUE_EVENT = /^(Opened|Closed|Commented on) #\d+ /;

describe('a user of VS Code', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    platform = await startPlatform();
    editor = await openEditor({ userSettings: { 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    platform.thaw();
    await workbench.clear();
  });

  it('a user of VS Code starts the local server, signs in with a code, sees the activity of an API client, and continues after a restart', async () => {
    await selectInstance(workbench, 'Local server');
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs');
    const mine = await workbench.openView('My Activity');
    await mine.untilWelcome((text) => text.includes('Sign in with your browser'), 'offers to sign in');

    await mine.clickWelcomeButton('Sign In');
    const code = await readCode(workbench, 'Local server');
    const tab = await openCodePage(workbench, editor.context, DEMO_USER.name);
    assert.equal(await workbench.clipboard(), code);
    await decideOnDevicePage(tab, code, 'Approve');
    const origin = new URL(tab.url()).origin;
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await mine.untilRows((rows) => rows.filter(({ label }) => EVENT.test(label)).length >= 10, 'seeded feed');

    const api = new Gitlab({ host: origin, oauthToken: await tokenByDevicePage(tab, origin) });
    await tab.close();
    const [project] = await api.Projects.all({ membership: true, perPage: 1, maxPages: 1 });
    assert.ok(project !== undefined);
    const issue = await api.Issues.create(project.id, 'Semaphore sticks at night');
    await api.IssueNotes.create(project.id, issue.iid, 'Seen at signal 7.');
    await api.Issues.edit(project.id, issue.iid, { stateEvent: 'close' });
    await workbench.run('Signalbox: Refresh Activity');
    await untilTop(mine, [
      `Closed #${issue.iid} Semaphore sticks at night`,
      `Commented on #${issue.iid} Semaphore sticks at night`,
      `Opened #${issue.iid} Semaphore sticks at night`,
    ]);

    const firstServer = await connectionEnd(origin);
    await workbench.run('Signalbox: Restart Local Server');
    await firstServer.ended;
    // The status bar looks the same before and after because the new server has the address of the first one.
    const health = (): Promise<string> =>
      fetch(`${origin}/_local/health`).then(
        () => 'answers',
        () => 'is not there',
      );
    await until(health, (what) => what === 'answers', 'the next server');
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in after the restart');
    await api.IssueNotes.create(project.id, issue.iid, 'Oiled.');
    await workbench.run('Signalbox: Refresh Activity');
    const afterwards = [`Commented on #${issue.iid} Semaphore sticks at night`, `Closed #${issue.iid} Semaphore sticks at night`];
    await untilTop(mine, afterwards);

    await workbench.run('Signalbox: Stop Local Server');
    await mine.untilWelcome((text) => text.includes('Start Local Server'), 'offers to start the server');
    await assert.rejects(connectionEnd(origin), { code: 'ECONNREFUSED' });
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  it('a user of VS Code finds the local server running again after the window was reloaded', async () => {
    await selectInstance(workbench, 'Local server');
    await (await workbench.openView('Project Activity')).clickWelcomeLink('start the local server');
    const mine = await workbench.openView('My Activity');
    // Signed out or, after another test, signed in: in both cases the server is running.
    const runs = (text: string): boolean => text.includes('signed out') || text.includes('@');
    await workbench.untilStatus(STATUS, runs, 'server runs');
    await workbench.untilSaved(/"local\.wasRunning":true/);
    await workbench.reload();
    await workbench.untilStatus(STATUS, runs, 'server runs again');
    await workbench.run('Signalbox: Stop Local Server');
    await mine.untilWelcome((text) => text.includes('Start Local Server'), 'server stopped');
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a user of VS Code reads an event, opens its page, loads older events, and sees the activity of others in a project', async () => {
    await signIn();
    const mine = await workbench.openView('My Activity');
    const { label } = await mine.untilRow((row) => ISSUE_EVENT.test(row.label), 'an event of an issue');
    const hover = await mine.hoverText(label);
    assert.ok(hover.includes(label) && hover.includes(`@${DEMO_USER.username}`), hover);
    const page = await openedTab(editor.context, workbench, () => mine.clickRowAction(label, 'Open in Browser'));
    await page.getByRole('heading', { name: label.replace(ISSUE_EVENT, '') }).waitFor();
    await page.close();

    const lastEvent = (rows: readonly Row[]): string => rows.findLast(({ level }) => level === 2)?.name ?? '';
    await mine.toEnd();
    const before = lastEvent(await mine.untilRows((rows) => rows.at(-1)?.label === 'Load more', 'the end'));
    await mine.clickRow('Load more');
    await mine.untilRows((rows) => rows.some(({ name }) => name === before) && rows.at(-1)?.label !== 'Load more', 'older rows');
    await mine.toEnd();
    assert.notEqual(lastEvent(await mine.untilRows((rows) => rows.at(-1)?.label === 'Load more', 'the new end')), before);

    const project = await workbench.openView('Project Activity');
    await project.clickWelcomeButton('Select Project…');
    const [first] = await workbench.choices();
    assert.ok(first !== undefined);
    await workbench.choose(first);
    const [day] = await project.untilRows((rows) => rows.some(({ level }) => level === 2), 'events of the project');
    assert.ok(day !== undefined);
    await project.toggleRow(day.label);
    await project.untilRow((row) => row.label === day.label && row.expanded === false, 'closed');
    await platform.createIssue(first, 'Buffer stop is bent');
    await project.clickTitleAction('Refresh Activity');
    await project.untilRow((row) => row.label.includes('Buffer stop is bent'), 'the newest event');
    await project.untilRow((row) => row.label === day.label && row.expanded === false, 'a collapsed day stays collapsed');
  });

  /** Selects the instance with no user signed in there, signs its browser in, and requests a code. */
  async function startSignIn(): Promise<void> {
    await selectInstance(workbench, platform.label);
    let isSignedIn = false;
    await workbench.untilStatus(
      STATUS,
      (text, spoken) => {
        isSignedIn = text.includes('@');
        return spoken.includes(platform.label);
      },
      'the instance is selected',
    );
    if (isSignedIn) {
      await workbench.run('Signalbox: Sign Out');
      await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    }
    const tab = await editor.context.newPage();
    await platform.signIn(tab, DEMO_USER.username);
    await tab.close();
    await workbench.run('Signalbox: Sign In');
  }

  async function signIn(): Promise<void> {
    await startSignIn();
    const code = await readCode(workbench, platform.label);
    const tab = await openCodePage(workbench, editor.context);
    await decideOnDevicePage(tab, code, 'Approve');
    await tab.close();
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
  }
});

/** Waits until the newest events of a feed are these, newest first. */
async function untilTop(view: View, labels: readonly string[]): Promise<void> {
  const events = (rows: readonly Row[]): readonly string[] => rows.filter(({ level }) => level === 2).map(({ label }) => label);
  await view.untilRows((rows) => isDeepStrictEqual(events(rows).slice(0, labels.length), labels), `first ${labels.join(', ')}`);
}

/** Connects to a server; the returned promise settles when the server, or its process, closes the connection. */
async function connectionEnd(origin: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { hostname, port } = new URL(origin);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.resume().on('error', () => {});
  return { ended: once(socket, 'close') };
}
