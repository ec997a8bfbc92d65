import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { RunningPlatform } from '../../support/host/platform.ts';
import { selectProject } from '../../support/host/suite/errors.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { startBehindFront } from '../../support/host/suite/front.ts';
import { connectTo } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const LISTS = [
  { title: 'My Activity', command: 'signalbox.activity.refresh', address: /^\/api\/v4\/events\?/ },
  { title: 'Tracked Errors', command: 'signalbox.errorTracking.refresh', address: /\/error_tracking\/errors\?/ },
  { title: 'Mailbox', command: 'signalbox.mailbox.refresh', address: /\/user\/mails\?per_page=/ },
];

describe('refresh commands of lists', () => {
  let platform: RunningPlatform;
  let watched = /^$/;
  let isHeld = false;
  let requests: string[] = [];
  let held: (() => void)[] = [];
  beforeEach(async () => {
    watched = /^$/;
    isHeld = false;
    requests = [];
    platform = await startBehindFront(async ({ url = '' }) => {
      if (!watched.test(url)) return false;
      requests.push(url);
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return false;
    });
    await start();
    await connectTo(platform);
  });
  afterEach(async () => {
    release();
    await workbench.clear();
    await reset();
    await platform?.close();
  });

  for (const { title, command, address } of LISTS)
    it(`a refresh of ${title} by its command loads the list again after a response that is still on its way`, async () => {
      const view = await workbench.openView(title);
      if (title === 'Tracked Errors') await selectProject(view, { path: 'amara/berth-api', name: 'Berth API' });
      await view.untilRows((rows) => rows.length > 0, 'rows');
      watched = address;
      isHeld = true;
      const first = vscode.commands.executeCommand(command);
      await until(
        () => held.length,
        (count) => count > 0,
        'a response on its way',
      );
      const second = vscode.commands.executeCommand(command);
      release();
      await Promise.all([first, second]);
      assert.deepEqual(requests, [requests[0], requests[0]]);
    });

  function release(): void {
    isHeld = false;
    for (const resolve of held) resolve();
    held = [];
  }
});
