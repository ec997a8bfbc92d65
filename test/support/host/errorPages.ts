// Walks through the web pages of tracked errors.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { setErrorTracking } from '../../../server/features/errorTracking/errorTracking.ts';
import { findUserByName } from '../../../server/features/users/accounts.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { actor } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Walks a maintainer through the pages of tracked errors and yields the name of each page. */
export async function* walkErrorPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const { platform, origin } = server;
  const { user } = actor(platform, 'amara');
  const { project } = createProject(platform, user, { name: 'Lamps' });
  createProject(platform, user, { name: 'Ropes' });
  setErrorTracking(platform, project.id, true);
  const { public_key: key } = createClientKey(platform, project.id);
  for (const event of [
    { message: 'The tide table is old', level: 'warning' },
    brokenLamp,
    { ...brokenLamp, tags: { lamp: 'red' } },
  ]) {
    const response = await fetch(`${origin}/api/${project.id}/store/`, {
      method: 'POST',
      headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${key}` },
      body: JSON.stringify(event),
    });
    assert.equal(response.status, 200);
  }
  // The received data includes most kinds of items and a rejected request.
  for (const body of ['{}\n{"type":"transaction"}\n{}\n{"type":"session"}\n{}', 'nonsense']) {
    await fetch(`${origin}/api/${project.id}/envelope/?sentry_key=${key}&sentry_client=sentry.python%2F2.68.0`, {
      method: 'POST',
      body,
    });
  }
  await page.goto(`${origin}${mintSignInLink(platform, user, '/')?.path}`);
  await page.goto(`${origin}/${project.full_path}/-/error_tracking?status=all`);
  yield 'tracked-errors';
  await page.getByRole('link', { name: 'LampError' }).click();
  await page.getByRole('heading', { name: 'Grouping' }).waitFor();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  yield 'tracked-error';
  await page.goto(`${origin}/amara/ropes/-/error_tracking`);
  yield 'no-tracked-errors';
  const root = findUserByName(platform, 'root');
  assert.ok(root);
  await page.goto(`${origin}${mintSignInLink(platform, root, '/')?.path}`);
  await page.goto(`${origin}/${project.full_path}/-/error_tracking?status=resolved`);
  await page.getByRole('button', { name: 'Receive events from /stream in this project' }).click();
  await page.getByText('Setting saved.').waitFor();
  yield 'tracked-errors-administrator';
}

const brokenLamp = {
  platform: 'node',
  level: 'nonsense',
  release: 'berth-api@1.4.0',
  environment: 'production',
  exception: {
    values: [
      { type: 'Error', value: `connect ECONNREFUSED ${'very long '.repeat(100)}` },
      {
        type: 'LampError',
        value: 'The lamp at the end of the \u202epier is dark',
        mechanism: { type: 'onunhandledrejection', handled: false },
        stacktrace: {
          frames: [
            { filename: 'node_modules/express/lib/router/layer.js', function: 'handle', lineno: 95, colno: 5, in_app: false },
            { filename: `src/${'deep/'.repeat(20)}lamps.js`, function: 'light', lineno: 3, in_app: true },
            {
              filename: 'src/lamps.js',
              function: 'burn',
              lineno: 12,
              colno: 9,
              in_app: true,
              pre_context: ['function burn(lamp) {', '  if (lamp.isDark) {'],
              context_line: `    throw new LampError(${'lamp, '.repeat(40)});`,
              post_context: ['  }', '}'],
              vars: { lamp: { color: 'red', location: ['pier', 'end'], note: 'old '.repeat(200) } },
            },
          ],
        },
      },
    ],
  },
  tags: { lamp: 'green', harbour: 'north' },
  user: { id: '7', username: 'amara', ip_address: '192.0.2.7' },
  request: { url: 'https://berths.example/lamps/7', method: 'GET', headers: { Accept: 'application/json' }, data: { lamp: 7 } },
  breadcrumbs: [
    { category: 'http', message: 'GET /tides', data: { status_code: 200 }, timestamp: 1_700_000_000 },
    { category: 'console', level: 'warning', message: 'The fuse is old', timestamp: 1_700_000_001 },
  ],
  contexts: { runtime: { name: 'node', version: 'v24.0.0' } },
  extra: { fuse: 'old' },
  modules: { express: '4.0.0' },
  server_name: 'harbour-1',
  sdk: { name: 'sentry.javascript.node', version: '10.0.0' },
};
