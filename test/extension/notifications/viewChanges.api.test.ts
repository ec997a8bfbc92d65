import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import { listedEvents } from '../../../src/contract/notifications.ts';
import { makeChange, makeChanges, undoChanges } from '../../../src/notifications/changes.ts';
import { globalScope, groupScope, type NotificationScope } from '../../../src/notifications/scopes.ts';
import {
  appliedSetting,
  changeOfSwitch,
  changeTo,
  isMailed,
  type KnownSetting,
  reachIn,
} from '../../../src/notifications/settings.ts';
import { type Actor, actor } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { countedApi, openModel } from './clientApi.ts';

describe('changes of notification settings in the extension', () => {
  let server: TestServer;
  let member: Actor;
  let group: NotificationScope;
  let projects: readonly NotificationScope[];
  before(async () => {
    server = await startTestServer({ profile: { tier: 'ultimate' } });
  });
  after(() => server.close());
  let number = 0;
  beforeEach(() => {
    number += 1;
    member = actor(server.platform, `member${number}`);
    const created = createGroup(server.platform, member.user, { name: `Works ${number}`, path: `works-${number}` });
    group = groupScope(created.group.full_path, created.group.id);
    projects = ['one', 'two', 'three'].map((path) => {
      const { project } = createProject(server.platform, member.user, { path, namespaceId: created.group.id });
      return { kind: 'project', id: project.id, path: project.full_path, name: path, parents: [group.path] };
    });
  });

  const first = (): NotificationScope => projects[0] ?? group;

  it('ticking an event makes the level custom, keeps what else is mailed, and can be undone', async () => {
    const { api } = countedApi(server, member.token);
    await api.write(group, { level: 'watch' }, undefined);
    await api.write(first(), { level: 'custom' }, undefined);
    await api.write(first(), { switches: { new_note: false, close_issue: true } }, undefined);
    const own = await api.write(first(), { level: 'global' }, undefined);
    const model = openModel(api);
    await model.resolve(first());
    const applied = model.applied(first());
    assert.deepEqual([applied?.source.path, applied?.setting.level], [group.path, 'watch']);
    assert.ok(applied !== undefined);

    const change = changeOfSwitch(own, applied.setting, 'push_to_merge_request', true);
    const made = await makeChange(api, { scope: first(), before: own, change });
    const after = await api.read(first());
    assert.equal(after.level, 'custom');
    assert.equal(after.switches.push_to_merge_request, true);
    for (const event of listedEvents.filter((one) => one !== 'push_to_merge_request'))
      assert.equal(isMailed(reachIn(after, event)), isMailed(reachIn(applied.setting, event)), event);

    const undone = await undoChanges(api, [made]);
    assert.deepEqual([undone.made.length, undone.skipped, undone.failed], [1, [], []]);
    assert.deepEqual(await api.read(first()), { level: 'global', switches: {} });
    const stored = await api.write(first(), { level: 'custom' }, undefined);
    assert.deepEqual([stored.switches.new_note, stored.switches.close_issue, stored.switches.new_issue], [false, true, null]);
  });

  it('an event can be reset to its default', async () => {
    const { api } = countedApi(server, member.token);
    const before = await api.write(first(), { level: 'custom', switches: { new_note: true } }, undefined);
    assert.equal(before.switches.new_note, true);
    const after = await api.write(first(), { switches: { new_note: null } }, before);
    assert.equal(after.switches.new_note, null);
  });

  it('copying to several projects and undoing it restores each, except the one that was changed meanwhile', async () => {
    const { api } = countedApi(server, member.token);
    await api.write(projects[1] ?? group, { level: 'mention' }, undefined);
    const source = await api.write(group, { level: 'custom', switches: { new_issue: true, new_note: false } }, undefined);
    const planned = await Promise.all(
      projects.map(async (scope) => ({ scope, before: await api.read(scope), change: changeTo(source) })),
    );
    let progress = 0;
    const { made, failed } = await makeChanges(api, planned, { onProgress: () => (progress += 1) });
    assert.deepEqual([made.length, failed.length, progress], [3, 0, 3]);
    for (const scope of projects) {
      const { level, switches } = await api.read(scope);
      assert.deepEqual([level, switches.new_issue, switches.new_note], ['custom', true, false]);
    }
    await api.write(projects[2] ?? group, { level: 'disabled' }, undefined);
    const undone = await undoChanges(api, made);
    assert.deepEqual(undone.skipped, [projects[2]]);
    assert.deepEqual(await Promise.all(projects.map(async (scope) => (await api.read(scope)).level)), [
      'global',
      'mention',
      'disabled',
    ]);
  });

  it('a failed target is reported, and the others are changed', async () => {
    const { api, breakRequests } = countedApi(server, member.token);
    const before: KnownSetting = { level: 'global', switches: {} };
    breakRequests(`PUT /projects/${projects[1]?.id}/`);
    const { made, failed } = await makeChanges(
      api,
      projects.map((scope) => ({ scope, before, change: { level: 'watch' } })),
    );
    assert.deepEqual([made.length, failed.map(({ scope }) => scope)], [2, [projects[1]]]);
    assert.match(failed[0]?.failure.message ?? '', /reported a server error/);
  });

  it('a canceled bulk change changes nothing further', async () => {
    const { api, requests } = countedApi(server, member.token);
    const before: KnownSetting = { level: 'global', switches: {} };
    const planned = projects.map((scope) => ({ scope, before, change: { level: 'watch' as const } }));
    const { made } = await makeChanges(api, planned, { signal: AbortSignal.abort() });
    assert.deepEqual([made, requests], [[], []]);
  });

  it('the global events that were set here are known, although the instance does not report them', async () => {
    const { api } = countedApi(server, member.token);
    const model = openModel(api);
    await model.resolve(globalScope);
    const before = model.setting(globalScope);
    const written = await api.write(globalScope, { level: 'custom', switches: { new_note: true, new_issue: null } }, before);
    model.put(globalScope, written);
    await model.refresh();
    assert.deepEqual(model.setting(globalScope)?.switches, { new_note: true, new_issue: false });
    const applied = appliedSetting(globalScope, model.setting);
    assert.equal(applied && reachIn(applied.setting, 'close_issue'), undefined);
  });

  it('the address can be set to a confirmed one and undone', async () => {
    const { api } = countedApi(server, member.token);
    const before = await api.read(globalScope);
    assert.deepEqual(await api.emails(), [`member${number}@example.com`]);
    await assert.rejects(api.write(globalScope, { email: 'nobody@example.com' }, before), ApiFailure);
    const made = await makeChange(api, { scope: globalScope, before, change: { email: `member${number}@example.com` } });
    assert.equal(made.after.email, `member${number}@example.com`);
  });

  it('a token that may only read gets a message that says so', async () => {
    const reader = actor(server.platform, `reader${number}`, { scopes: ['read_api'] });
    const { api } = countedApi(server, reader.token);
    assert.equal((await api.read(globalScope)).level, 'participating');
    const failure = await api.write(globalScope, { level: 'watch' }, undefined).catch((error: unknown) => error);
    assert.ok(failure instanceof ApiFailure);
    assert.match(failure.message, /does not allow this: the sign-in lacks the scope api \(403: /);
    assert.equal(failure.scope, 'api');
  });
});
