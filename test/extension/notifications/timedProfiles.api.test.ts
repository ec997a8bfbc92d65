import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import type { NotificationApi } from '../../../src/notifications/api.ts';
import { forgetNotifications } from '../../../src/notifications/forget.ts';
import { createTimedProfiles, type TimedProfiles } from '../../../src/notifications/profiles.ts';
import { createProfileStore } from '../../../src/notifications/profileStore.ts';
import { globalScope, groupScope, type NotificationScope } from '../../../src/notifications/scopes.ts';
import { createMachineLock } from '../../../src/support/machineLock.ts';
import { type Actor, actor } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type CountedApi, countedApi } from './clientApi.ts';

const ACCOUNT = 'https://platform.example#7';
const HOUR = 3_600_000;

describe('a timed notification profile', () => {
  let server: TestServer;
  let member: Actor;
  let group: NotificationScope;
  let folder: string;
  let now: number;
  let counted: CountedApi;
  let api: NotificationApi;
  let number = 0;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  beforeEach(() => {
    number += 1;
    member = actor(server.platform, `member${number}`);
    const { group: created } = createGroup(server.platform, member.user, { name: `Works ${number}`, path: `works-${number}` });
    group = groupScope(created.full_path, created.id);
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-profiles-'));
    now = Date.UTC(2026, 5, 1, 12);
    counted = countedApi(server, member.token);
    api = counted.api;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Opens a window: windows share the folder, but not their memory. */
  function openWindow(): TimedProfiles {
    return createTimedProfiles({
      store: createProfileStore(path.join(folder, 'profiles')),
      lock: createMachineLock({ folder: path.join(folder, 'locks'), limit: 10_000, report: (text) => assert.fail(text) }),
      now: () => now,
    });
  }

  const level = async (scope: NotificationScope): Promise<string> => (await api.read(scope)).level;
  const start = (profiles: TimedProfiles, scopes: readonly NotificationScope[]) =>
    profiles.start(api, {
      ...{ account: ACCOUNT, name: 'Mentions only', until: now + HOUR },
      changes: scopes.map((scope) => ({ scope, change: { level: 'mention' } })),
    });

  it('ends at its time and restores the settings from before, also in a window that was opened later', async () => {
    await api.write(group, { level: 'watch' }, undefined);
    const { made, failed } = await start(openWindow(), [globalScope, group]);
    assert.deepEqual([made.length, failed], [2, []]);
    assert.deepEqual([await level(globalScope), await level(group)], ['mention', 'mention']);

    const later = openWindow();
    now += HOUR - 1;
    assert.equal(await later.check(api, ACCOUNT), undefined);
    assert.equal(later.current(ACCOUNT)?.name, 'Mentions only');
    now += 1;
    const outcome = await later.check(api, ACCOUNT);
    assert.deepEqual([outcome?.made.length, outcome?.skipped, outcome?.failed], [2, [], []]);
    assert.deepEqual([await level(globalScope), await level(group)], ['participating', 'watch']);
    assert.equal(later.current(ACCOUNT), undefined);
    assert.equal(await later.check(api, ACCOUNT), undefined);
  });

  it('is made up for after VS Code was closed for days', async () => {
    await start(openWindow(), [globalScope]);
    now += 72 * HOUR;
    await openWindow().check(api, ACCOUNT);
    assert.equal(await level(globalScope), 'participating');
  });

  it('restores the exact switches of level custom', async () => {
    await api.write(group, { level: 'custom', switches: { new_note: true, new_issue: false } }, undefined);
    const before = await api.read(group);
    const profiles = openWindow();
    await profiles.start(api, {
      ...{ account: ACCOUNT, name: 'Saved', until: now + HOUR },
      changes: [{ scope: group, change: { level: 'custom', switches: { new_note: false, close_issue: true } } }],
    });
    assert.equal((await api.read(group)).switches.new_note, false);
    await profiles.end(api, ACCOUNT);
    assert.deepEqual(await api.read(group), before);
  });

  it('restores stored switches that the profile has replaced while the level was another one', async () => {
    await api.write(group, { level: 'custom', switches: { new_note: true } }, undefined);
    await api.write(group, { level: 'watch' }, undefined);
    const profiles = openWindow();
    await profiles.start(api, {
      ...{ account: ACCOUNT, name: 'Saved', until: now + HOUR },
      changes: [{ scope: group, change: { level: 'custom', switches: { new_note: false } } }],
    });
    await profiles.end(api, ACCOUNT);
    assert.equal(await level(group), 'watch');
    assert.equal((await api.write(group, { level: 'custom' }, undefined)).switches.new_note, true);
  });

  it('keeps settings that were changed by hand meanwhile', async () => {
    const profiles = openWindow();
    await start(profiles, [globalScope, group]);
    await api.write(group, { level: 'disabled' }, undefined);
    now += HOUR;
    const outcome = await profiles.check(api, ACCOUNT);
    assert.deepEqual(outcome?.skipped, [group]);
    assert.deepEqual([await level(globalScope), await level(group)], ['participating', 'disabled']);
    assert.equal(profiles.current(ACCOUNT), undefined);
  });

  it('is ended by one of several windows', async () => {
    const windows = [openWindow(), openWindow(), openWindow()];
    await start(windows[0] ?? openWindow(), [globalScope, group]);
    now += HOUR;
    const before = counted.requests.length;
    const outcomes = await Promise.all(windows.map((window) => window.check(api, ACCOUNT)));
    assert.equal(outcomes.filter((outcome) => outcome !== undefined).length, 1);
    assert.equal(counted.requests.slice(before).filter((request) => request.startsWith('PUT')).length, 2);
  });

  it('that cannot be ended is tried again, and what was restored stays restored', async () => {
    const profiles = openWindow();
    await start(profiles, [globalScope, group]);
    counted.breakRequests('/groups/');
    now += HOUR;
    const failed = await profiles.check(api, ACCOUNT);
    assert.deepEqual(
      failed?.failed.map(({ scope }) => scope),
      [group],
    );
    assert.equal(profiles.current(ACCOUNT)?.entries.length, 1);
    await api.write(globalScope, { level: 'mention' }, undefined);
    counted.breakRequests(undefined);
    await openWindow().check(api, ACCOUNT);
    assert.deepEqual([await level(globalScope), await level(group)], ['mention', 'global']);
    await profiles.check(api, ACCOUNT);
    assert.equal(profiles.current(ACCOUNT), undefined);
  });

  it('is stored before the first setting is changed, so that an interrupted start is undone', async () => {
    counted.breakRequests('PUT /groups/');
    const profiles = openWindow();
    const { made, failed } = await start(profiles, [globalScope, group]);
    assert.deepEqual([made.length, failed.length], [1, 1]);
    counted.breakRequests(undefined);
    now += HOUR;
    const outcome = await openWindow().check(api, ACCOUNT);
    assert.deepEqual([outcome?.failed, outcome?.skipped], [[], []]);
    assert.deepEqual([await level(globalScope), await level(group)], ['participating', 'global']);
  });

  it('that changed nothing is not on', async () => {
    counted.breakRequests('PUT ');
    const profiles = openWindow();
    const { failed } = await start(profiles, [globalScope]);
    assert.equal(failed.length, 1);
    assert.equal(profiles.current(ACCOUNT), undefined);
  });

  it('replaces a running one, whose settings are restored first', async () => {
    const profiles = openWindow();
    await start(profiles, [globalScope, group]);
    await profiles.start(api, {
      ...{ account: ACCOUNT, name: 'Watch everything', until: now + 2 * HOUR },
      changes: [{ scope: globalScope, change: { level: 'watch' } }],
    });
    assert.deepEqual([await level(globalScope), await level(group)], ['watch', 'global']);
    await profiles.end(api, ACCOUNT);
    assert.equal(await level(globalScope), 'participating');
  });

  it('of a removed instance is forgotten, with pins and saved profiles', async () => {
    await start(openWindow(), [globalScope]);
    const values = new Map<string, unknown>([
      [`notifications.pins/${ACCOUNT}`, []],
      ['notifications.pins/https://other.example#7', []],
    ]);
    const memory = {
      keys: () => [...values.keys()],
      get: (key: string) => values.get(key),
      update: async (key: string, value: unknown) => {
        if (value === undefined) values.delete(key);
        else values.set(key, value);
      },
    };
    await forgetNotifications('https://platform.example', memory, createProfileStore(path.join(folder, 'profiles')));
    assert.deepEqual([...values.keys()], ['notifications.pins/https://other.example#7']);
    assert.deepEqual(readdirSync(path.join(folder, 'profiles')), []);
  });
});
