import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { failureOfError } from '../../../src/api/failures.ts';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import type { Send, WireRequest } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { keyOf, type Session } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { createAddresses, createConnection } from '../../../src/instances/connection.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { createDataProfiles } from '../../../src/local/profiles.ts';
import { listSnapshots } from '../../../src/local/snapshots.ts';
import { createSupervisor, type Supervisor } from '../../../src/local/supervisor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { createMask } from '../../../src/support/log.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { fakeLog, fakeMemento, fakeSecrets, noLock } from '../../support/extension/fakes.ts';
import { DIST, temporaryFolder } from '../../support/serverProcess.ts';

const SERVER = path.join(DIST, 'server.js');

describe('sign-ins to the local server', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let supervisor: Supervisor;
  beforeEach(() => {
    assert.ok(existsSync(SERVER), 'build dist/ first: npm run build');
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await supervisor.stop();
    folder[Symbol.dispose]();
  });

  /** Creates the parts of a window that depend on the data, connected as in the extension. */
  function window() {
    let setting = 'default';
    const requests: WireRequest[] = [];
    const direct = createLoopbackSend();
    const send: Send = (request, signal) => {
      requests.push(request);
      return direct(request, signal);
    };
    const [memory, secrets, mask, log] = [fakeMemento(), fakeSecrets(), createMask(), fakeLog()];
    const profiles = createDataProfiles({ root: folder.path, chosen: () => setting, memory, secrets, mask, log });
    supervisor = createSupervisor({
      executable: process.execPath,
      serverFile: SERVER,
      profile: profiles.current,
      environment: testEnvironment(['git']),
      seed: () => 'none',
      send: direct,
      now: Date.now,
      sleep,
      log,
      report: () => undefined,
    });
    const instances = createInstances(
      () => [],
      memory,
      () => {
        const state = supervisor.state();
        return 'instanceId' in state ? state.instanceId : profiles.current().data.get();
      },
    );
    supervisor.onDidChange(instances.reread);
    profiles.onDidChangeCurrent(instances.reread);
    const addresses = createAddresses(supervisor);
    const sessions = createSessions({ secrets, window: fakeMemento(), memory, mask, log, sleep });
    const refresh = createRefresh({ sessions, send, addresses, lock: noLock, now: Date.now, sleep, log });
    const limits = createRateLimits(Date.now);
    const connection = createConnection({ instances, supervisor, sessions, refresh, addresses, limits, send, log });

    /** Signs in as root, as the command "Sign In as Demo User…" does. */
    async function signIn(): Promise<Session> {
      const origin = supervisor.origin() ?? assert.fail('the server is not running');
      const control = createLocalControl(origin, await profiles.current().adminToken(), direct, Date.now);
      const session: Session = {
        id: `session on ${instances.local().key}`,
        instance: instances.local().key,
        credential: 'persona',
        clientId: EXTENSION_CLIENT_ID,
        account: { id: 1, username: 'root', name: 'Administrator' },
        scopes: ['api'],
        accessToken: (await control.personalToken(1, 'a test', 30)).token,
      };
      await sessions.write(session);
      await sessions.use(keyOf(session));
      return session;
    }

    async function ask(): Promise<string | undefined> {
      const client = connection.client();
      if (client === undefined) return undefined;
      try {
        return (await client.get('/user', readUserBasic)).username;
      } catch (error) {
        return failureOfError(error)?.kind ?? String(error);
      }
    }

    async function choose(profile: string): Promise<void> {
      setting = profile;
      profiles.reread();
      await supervisor.switchProfile();
    }

    async function restart(dataChange: Parameters<Supervisor['start']>[0]): Promise<void> {
      await supervisor.stop();
      const state = await supervisor.start(dataChange);
      assert.equal(state.kind, 'running', JSON.stringify(state));
    }

    return { profiles, sessions, connection, instances, requests, log, signIn, ask, choose, restart };
  }

  it('sign-ins to the local server are separate for each data profile, and are restored when the profile is selected again', async () => {
    const { connection, signIn, ask, choose, sessions, instances, requests } = window();
    await supervisor.start();
    const first = await signIn();
    assert.equal(await ask(), 'root');
    await choose('work');
    assert.equal(connection.state().kind, 'signedOut');
    const before = requests.length;
    assert.equal(await ask(), undefined);
    assert.equal(requests.length, before, 'the token of other data is not sent');
    const second = await signIn();
    assert.notEqual(keyOf(second), keyOf(first));
    assert.equal(await ask(), 'root');
    await choose('default');
    assert.equal(sessions.current(instances.current().key)?.id, first.id);
    assert.equal(await ask(), 'root');
    assert.equal(requests.filter(({ url }) => url.endsWith('/oauth/token')).length, 0);
  });

  it('sign-ins to the local server end at a reset without a request, and are restored together with the old data', async () => {
    const { connection, signIn, ask, restart, profiles, requests, log } = window();
    await supervisor.start();
    await signIn();
    await restart('reset');
    const state = connection.state();
    assert.ok(state.kind === 'signedOut' && state.ended === undefined);
    assert.equal(await ask(), undefined);
    assert.deepEqual(requests, []);
    assert.doesNotMatch(log.lines.join('\n'), /refuses/);
    await signIn();
    assert.equal(await ask(), 'root');
    const oldest = listSnapshots(profiles.current().folder).at(-1) ?? assert.fail('the reset saved no snapshot');
    await restart({ snapshot: oldest.name });
    assert.equal(connection.state().kind, 'signedIn');
    assert.equal(await ask(), 'root');
  });

  it('sign-ins to the local server end with a message, after a request and one that confirms its response, if an older snapshot is restored', async () => {
    const { connection, signIn, ask, restart, profiles, requests } = window();
    await supervisor.start();
    await restart('reset');
    const { folder: data } = profiles.current();
    const origin = supervisor.origin() ?? '';
    const headers = { authorization: `Bearer ${await profiles.current().adminToken()}`, 'content-type': 'application/json' };
    const url = `${origin}/_local/snapshots`;
    assert.equal((await createLoopbackSend()({ method: 'POST', url, headers, body: '{"name":"before"}' })).status, 201);
    assert.ok(listSnapshots(data).some(({ name }) => name === 'before'));
    await signIn();
    await restart({ snapshot: 'before' });
    assert.equal(connection.state().kind, 'signedIn', 'not detected before the first request');
    assert.equal(await ask(), 'signedOut');
    assert.deepEqual(
      requests.map(({ url }) => new URL(url).pathname),
      ['/api/v4/user', '/api/v4/user'],
    );
    const state = connection.state();
    assert.equal(state.kind === 'signedOut' && state.ended?.username, 'root');
  });
});
