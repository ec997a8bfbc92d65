import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { readClientKey } from '../../../src/contract/clientKeys.ts';
import { sendError } from '../../support/sentErrors.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { type ErrorPage, errorPage, type MarkedLine, markedLines, selectProject } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { panelOf } from '../../support/host/suite/panels.ts';
import { ask, connectTo } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;
const PROJECT = `/api/v4/projects/${encodeURIComponent(TRACKED.path)}/error_tracking`;
/** File of the errors, and the line that fails. */
const FILE = 'live/anchor.js';
const LINE = 3;

describe('errors that happen while they are shown', () => {
  let platform: RunningPlatform;
  let view: View;
  let document: vscode.TextDocument;
  let key: { readonly label: string; readonly dsn: string };
  before(async () => {
    platform = await startPlatform();
    workbench.writeFile(FILE, '\nfunction drop() {\n  throw new Error("too deep");\n}\ndrop();\n');
    // Views are loaded again only when the server says so.
    await start({ settings: { 'signalbox.activity.pollSeconds': 3600 } });
    await connectTo(platform);
    view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
    await view.toggleRow('Client Keys');
  });
  beforeEach(async () => {
    const created = readClientKey(await ask(platform, 'POST', `${PROJECT}/client_keys`));
    assert.ok(created);
    key = { label: `Client key ${created.id}`, dsn: created.tracker_dsn };
    await workbench.openView('Tracked Errors');
    await view.untilRow(({ label, description }) => label === key.label && description.startsWith('never used'), 'the new key');
    ({ document } = await workbench.openFile(FILE));
  });
  afterEach(async () => {
    await workbench.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
    rmSync(path.join(workspaceFolder(), 'live'), { recursive: true, force: true });
  });

  it('errors that happen while they are shown are counted in row, panel, mark, hover and client key without a refresh', async () => {
    const type = 'AnchorLost';
    await fail(type);
    await untilRow(type, '1 event');
    assert.match(await until(workbench.badge, (text) => text.includes('1 new error'), 'the badge'), /1 new error/);
    const page = await openPanel(type);
    await page.untilShown(({ detail }) => detail.count === 1, 'one event');
    await untilMarked('1 event');
    for (const count of [2, 3, 4, 5]) {
      await fail(type);
      await untilRow(type, `${count} events`);
      const { event, hasOlder } = await page.untilShown(({ detail }) => detail.count === count, `${count} events`);
      assert.ok(event !== null && hasOlder);
      const { hover } = await untilMarked(`${count} events`);
      assert.ok(hover?.value.includes(`${count} events · `), hover?.value);
      await view.untilHover(key.label, (text) => text.includes(`${count} events in 90 days`), 'its use');
    }
    await view.untilRow(({ label, description }) => label === key.label && description.startsWith('used just now'), 'the use');
    await fail('AnchorFound');
    await untilRow('AnchorFound', '1 event');
    await until(workbench.badge, (text) => text.includes('1 new error'), 'the badge of the other error');
    page.close();
  });

  it('a burst of events takes at most one request per second and visible thing, and its last event is shown', async () => {
    const type = 'AnchorDragged';
    await fail(type);
    await untilRow(type, '1 event');
    const page = await openPanel(type);
    const { detail } = await page.untilShown(({ event }) => event !== null, 'the error');
    await untilMarked('1 event');
    const requests = await countRequests();
    for (let sent = 0; sent < 200; sent += 20) await Promise.all(Array.from({ length: 20 }, () => fail(type)));
    await untilRow(type, '201 events');
    await page.untilShown((state) => state.detail.count === 201, 'all events');
    await untilMarked('201 events');
    await view.untilRow(({ label, description }) => label === key.label && description.startsWith('used just now'), 'the use');
    const sent = await requests();
    const times = sent.map(({ at }) => Date.parse(at));
    const countOf = (end: RegExp): number => sent.filter((one) => end.test(one.path)).length;
    const counts = {
      list: countOf(/\/errors$/),
      error: countOf(new RegExp(`/errors/${detail.id}$`)),
      events: countOf(/\/events$/),
      uses: countOf(/\/client_keys\/\d+$/),
    };
    // The first at once, then one in each second.
    const most = 2 + Math.ceil((Math.max(...times) - Math.min(...times)) / 1_000);
    const text = JSON.stringify({ most, ...counts });
    assert.ok(counts.list > 0 && counts.list <= most, text);
    // The panel and the mark.
    assert.ok(counts.error > 0 && counts.error <= 2 * most, text);
    assert.ok(counts.uses <= most, text);
    assert.equal(counts.events, 0, text);
    page.close();
  });

  it('hidden views and panels request nothing while errors happen, and show the last event when they become visible', async () => {
    const type = 'AnchorRusty';
    await fail(type);
    await untilRow(type, '1 event');
    const page = await openPanel(type);
    await page.untilShown(({ detail }) => detail.count === 1, 'the error');
    const panel = await panelOf((title) => title.includes(type), type);
    const activity = await workbench.openView('Project Activity');
    await activity.untilRows((rows) => rows.length > 0, 'activity');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    panel.show(false);
    view.close();
    const requests = await countRequests();
    for (let sent = 0; sent < 20; sent += 1) await fail(type);
    // The stream reports the issue after the events.
    await countedTo(21);
    await platform.createIssue(TRACKED.name, 'After the events');
    await activity.untilRow(({ label }) => label.includes('After the events'), 'the issue');
    assert.deepEqual(await requests(), []);
    panel.show(true);
    await page.untilShown(({ detail }) => detail.count === 21, 'all events');
    await workbench.openView('Tracked Errors');
    await untilRow(type, '21 events');
    activity.close();
    panel.close();

    /** Waits until the server has counted the events of the error. */
    async function countedTo(count: number): Promise<void> {
      await until(
        async () => JSON.stringify(await ask(platform, 'GET', `${PROJECT}/errors?search=${type}`)),
        (text) =>
          text.includes(`"event_count":${count},`) || text.includes(`"count":${count},`) || text.includes(`"count":"${count}"`),
        `${count} events`,
      );
    }
  });

  async function fail(type: string): Promise<void> {
    const frames = [{ filename: `app:///${FILE}`, function: 'drop', lineno: LINE, colno: 3, in_app: true }];
    await sendError(key.dsn, { type, value: 'too deep', stacktrace: { frames } });
  }

  async function untilRow(type: string, events: string): Promise<void> {
    await view.untilRow(
      ({ label, description }) => label === type && description.includes(` · ${events} · `),
      `${type}: ${events}`,
    );
  }

  async function openPanel(type: string): Promise<ErrorPage> {
    await view.clickRowAction(type, 'Show Error');
    return errorPage(type);
  }

  /** Waits until the line that fails is marked with a text that begins like this. Errors of other tests are marked at the same line. */
  async function untilMarked(events: string): Promise<MarkedLine> {
    const read = (): MarkedLine | undefined => markedLines(document).find(({ line }) => line === LINE);
    const shown = await until(read, (mark) => mark?.hover?.value.includes(`${events} · `) === true, `a mark: ${events}`);
    assert.ok(shown);
    return shown;
  }

  /** Returns the latest requests about errors and client keys that the extension has sent, newest first. */
  async function requestLog(): Promise<readonly LoggedRequest[]> {
    const entries = (await ask(platform, 'GET', '/_local/requests?limit=500')) as readonly LoggedRequest[];
    return entries.filter(({ path: name, user }) => user === DEMO_USER.username && name.includes('/error_tracking/'));
  }

  /** Returns a function that returns the requests since now. */
  async function countRequests(): Promise<() => Promise<readonly LoggedRequest[]>> {
    const newest = (await requestLog())[0]?.id;
    return async () => {
      const all = await requestLog();
      return all.slice(
        0,
        all.findIndex(({ id }) => id === newest),
      );
    };
  }
});

interface LoggedRequest {
  readonly id: string;
  readonly at: string;
  readonly path: string;
  readonly user: string | null;
}
