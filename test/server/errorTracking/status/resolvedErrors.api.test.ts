import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { MINUTE } from '../../../../server/core/clock.ts';
import { repositoryOf } from '../../../../server/features/git/store.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { createBranch } from '../../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../../server/features/pushes/commits.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

interface Shown {
  readonly fingerprint: number;
  readonly title: string;
  readonly status: string;
  readonly is_regression: boolean;
  readonly status_releases: readonly string[];
  readonly count_since_status: number | null;
  readonly fixed_in_release: string | null;
}

describe('resolved errors that happen again', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    const { clock } = server.platform;
    clock.freeze(clock.now());
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  /** Sends an event a minute after the previous action. */
  async function send(name: string, release?: string, more: object = {}): Promise<void> {
    server.platform.clock.advance(MINUTE);
    await project.send(errorEvent(name, { ...(release === undefined ? {} : { release }), ...more }));
  }

  /** Sends a request for the error of `load`. */
  async function request(method: string, json?: object) {
    const error = (await project.errors()).find(({ title }) => title === 'ValueError: cannot load');
    const path = `/api/v4/projects/${project.id}/error_tracking/errors/${error?.fingerprint}`;
    return server.request(method, path, { token: project.owner.token, ...(json === undefined ? {} : { json }) });
  }

  async function resolve(status: 'resolved' | 'resolved_in_next_release'): Promise<Shown> {
    server.platform.clock.advance(MINUTE);
    return (await request('PUT', { status })).json() as Shown;
  }

  async function shown(): Promise<Shown> {
    return (await request('GET')).json() as Shown;
  }

  /** Creates a commit on a branch, and returns its ID. */
  async function commit(branch: string, message: string): Promise<string> {
    const { platform } = server;
    const { user } = project.owner;
    const found = findProject(platform, project.id, { user });
    assert.ok(found);
    const actions = [{ action: 'create', path: message, content: Buffer.from(message) }] as const;
    return createCommit(platform, found, user, { branch, message, actions });
  }

  async function branch(name: string, ref: string): Promise<void> {
    const { user } = project.owner;
    const found = findProject(server.platform, project.id, { user });
    assert.ok(found);
    await createBranch(server.platform, found, user, name, ref);
  }

  for (const [name, others, again] of [
    ['of the same release', ['app@999.9.9'], 'app@1.2.0'],
    ['of a newer release, beside a far newer one', ['app@999.9.9'], 'app@1.3.0'],
    ['of an older release', [], 'app@1.1.0'],
    ['of another application', [], 'api@0.1.0'],
    ['that names a commit', ['0805334f1111222233334444555566667777888a'], '1111222233334444555566667777888a0805334f'],
    ['of no release', [], undefined],
  ] as const) {
    it(`an event ${name} reopens a resolved error`, async () => {
      await send('load', 'app@1.2.0');
      for (const release of others) await send('save', release);
      await resolve('resolved');
      await send('load', again);
      const { status, is_regression: isRegression, status_releases: releases, count_since_status: count } = await shown();
      assert.deepEqual([status, isRegression, releases, count], ['unresolved', true, [], null]);
    });
  }

  it('an event that occurred before an error was resolved does not reopen it, and is counted', async () => {
    await send('load', 'app@1.2.0');
    const before = new Date(server.platform.clock.now()).toISOString();
    for (const status of ['resolved', 'resolved_in_next_release'] as const) {
      await resolve(status);
      await send('load', 'app@1.3.0', { timestamp: before });
      const { status: after, count_since_status: count } = await shown();
      assert.deepEqual([after, count], [status, 1]);
    }
  });

  for (const [name, first, others, again, expected] of [
    ['the same release', ['hub@v0.44.8'], ['hub@v0.44.11'], 'hub@v0.44.8', 'resolved_in_next_release'],
    ['an older release', ['app@1.2.0'], [], 'app@1.1.9', 'resolved_in_next_release'],
    ['the same release in another notation', ['app@1.2.0'], [], 'app@v1.2', 'resolved_in_next_release'],
    ['an equal text', ['blue whale'], [], 'blue whale', 'resolved_in_next_release'],
    ['an older release of the second application', ['web@2.0', 'api@1.4'], [], 'api@1.3', 'resolved_in_next_release'],
    ['a newer release', ['3.25.47.21'], [], '3.25.47.22', 'unresolved'],
    ['a newer release, although the project has seen a far newer one', ['app@1.2.0'], ['app@999.9.9'], 'app@1.3.0', 'unresolved'],
    ['an older release of an application without the error', ['web@2.0'], ['api@1.4'], 'api@1.3', 'unresolved'],
    ['a release without the name of the application', ['app@1.2.0'], [], '1.1.0', 'unresolved'],
    ['a text without an order', ['blue whale'], [], 'red fox', 'unresolved'],
    ['no release', ['app@1.2.0'], [], undefined, 'unresolved'],
    ['a commit that the repository does not know', ['app@1.2.0'], [], 'app@0805334f11112222', 'unresolved'],
  ] as const) {
    it(`an error that is resolved in the next release is ${expected === 'unresolved' ? 'reopened by' : 'resolved still for'} ${name}`, async () => {
      for (const release of first) await send('load', release);
      for (const release of others) await send('save', release);
      assert.deepEqual((await resolve('resolved_in_next_release')).status_releases, first);
      await send('load', again);
      const { status, count_since_status: count } = await shown();
      assert.deepEqual([status, count], [expected, expected === 'unresolved' ? null : 1]);
    });
  }

  it('an error whose events name no release cannot be resolved in the next one', async () => {
    await send('load');
    await send('save', '1.0');
    const response = await request('PUT', { status: 'resolved_in_next_release' });
    assert.equal(response.status, 400);
    assert.match(response.text, /No event of this error has named its release/);
  });

  it('commits are compared in the repository: ancestors of the baseline are older, all others reopen the error', async () => {
    const [old, fixed] = [await commit('main', 'one'), await commit('main', 'two')];
    await branch('side', old);
    const side = await commit('side', 'three');
    await send('load', `app@${fixed}`);
    await resolve('resolved_in_next_release');
    await send('load', `app@${old.slice(0, 10)}`);
    await send('load', `app@${old}`);
    const isPending = (): boolean =>
      server.platform.store.get('SELECT 1 FROM tracked_release_checks WHERE is_older = 0') !== undefined;
    await until(isPending, (pending) => !pending, 'the comparison of the commits');
    const after = await shown();
    assert.deepEqual([after.status, after.count_since_status], ['resolved_in_next_release', 2]);
    await send('load', `app@${side}`);
    const reopened = await until(shown, ({ status }) => status === 'unresolved', 'the error is reopened');
    assert.equal(reopened.is_regression, true);
  });

  it('an error is reopened, and shown, if its repository cannot be read', async () => {
    const [old, baseline] = [await commit('main', 'one'), await commit('main', 'two')];
    await send('load', baseline);
    await resolve('resolved_in_next_release');
    const { platform } = server;
    const location = repositoryOf(platform.store, project.id);
    assert.ok(location);
    rmSync(path.join(platform.repositories.folderOf(location), 'objects'), { recursive: true });
    await send('load', old);
    await until(shown, ({ status }) => status === 'unresolved', 'the error is reopened');
    await resolve('resolved');
    await send('save', 'f'.repeat(40));
    assert.equal((await shown()).fixed_in_release, null);
  });

  it('a comparison of commits that a stop interrupted is done after the next start', async () => {
    await commit('main', 'one');
    await send('load', 'app@0805334f1111222233334444555566667777888a');
    await resolve('resolved_in_next_release');
    const [error] = await project.errors();
    server.platform.store.run(
      "INSERT INTO tracked_release_checks (error_id, release, added_at) VALUES ($id, 'app@1111222233334444555566667777888a0805334f', 0)",
      { id: error?.id ?? 0 },
    );
    server.platform.clock.reset();
    await until(shown, ({ status }) => status === 'unresolved', 'the error is reopened');
  });

  for (const [name, later, fixedIn] of [
    ['a newer release without the error', ['1.3.0', '1.4.0'], '1.4.0'],
    ['only an older release', ['1.1.9'], null],
    ['only another application', ['shop-api@9.0.0'], null],
    ['only a text without an order', ['red fox'], null],
  ] as const) {
    it(`${name} ${fixedIn === null ? 'does not show' : 'shows'} that a resolved error is fixed`, async () => {
      await send('load', '1.2.0');
      await resolve('resolved');
      for (const release of later) await send('save', release);
      assert.equal((await shown()).fixed_in_release, fixedIn);
    });
  }

  it('a descendant of the commit in which an error was resolved shows that it is fixed', async () => {
    const [old, baseline, next] = [await commit('main', 'one'), await commit('main', 'two'), await commit('main', 'three')];
    await send('load', baseline);
    await resolve('resolved');
    await send('save', old);
    assert.equal((await shown()).fixed_in_release, null);
    await send('save', next);
    assert.equal((await shown()).fixed_in_release, next);
  });
});
