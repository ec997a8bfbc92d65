import assert from 'node:assert/strict';
import { isJsonObject } from '../../../src/contract/json.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { ask, signInAs } from '../../support/host/suite/signIn.ts';
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
    await revokeTokens();
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

  async function revokeTokens(): Promise<void> {
    const tokens = await ask(platform, 'GET', '/api/v4/personal_access_tokens?per_page=100&state=active');
    assert.ok(Array.isArray(tokens));
    for (const token of (tokens as readonly unknown[]).filter(isJsonObject))
      if (token.user_id !== 1) await ask(platform, 'DELETE', `/api/v4/personal_access_tokens/${String(token.id)}`);
  }
});
