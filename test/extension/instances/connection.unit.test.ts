import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { failureOfError } from '../../../src/api/failures.ts';
import { createRateLimits } from '../../../src/api/rateLimits.ts';
import { createRefresh, type Refresh } from '../../../src/auth/refresh.ts';
import type { WireResponse } from '../../../src/api/transport.ts';
import type { Session } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { createAddresses, createConnection, type ConnectionState } from '../../../src/instances/connection.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import type { ServerState } from '../../../src/local/serverState.ts';
import type { Supervisor } from '../../../src/local/supervisor.ts';
import { createEmitter } from '../../../src/support/emitter.ts';
import { createMask } from '../../../src/support/log.ts';
import {
  connectionFailure,
  networkWithRule,
  fakeLog,
  fakeMemento,
  fakeSecrets,
  json,
  noLock,
} from '../../support/extension/fakes.ts';

const REMOTE = 'https://gitlab.example.com';
const LOCAL = 'local/data-1';
const running = (port: number, instanceId = 'data-1'): ServerState => ({
  kind: 'running',
  origin: `http://127.0.0.1:${port}`,
  instanceId,
  pid: 1,
  version: '1',
});

function session(instance: string, token = 'access-1'): Session {
  const account = { id: 7, username: 'ana', name: 'Ana Novak' };
  return {
    id: `session of ${instance}`,
    instance,
    credential: 'oauth',
    clientId: 'c',
    account,
    scopes: ['api'],
    accessToken: token,
  };
}

function world() {
  const states = createEmitter<ServerState>();
  let state: ServerState = { kind: 'stopped' };
  const supervisor: Supervisor = {
    state: () => state,
    onDidChange: states.event,
    onDidProgress: createEmitter<never>().event,
    origin: () => (state.kind === 'running' || state.kind === 'attached' ? state.origin : undefined),
    start: async () => state,
    stop: async () => 'stopped',
    restart: async () => state,
    switchProfile: async () => undefined,
    restore: async () => undefined,
    release: () => undefined,
  };
  const log = fakeLog();
  const sessions = createSessions({
    secrets: fakeSecrets(),
    memory: fakeMemento(),
    window: fakeMemento(),
    mask: createMask(),
    log,
    sleep: async () => undefined,
  });
  const instances = createInstances(
    () => [{ url: REMOTE }],
    fakeMemento({ 'instances.current': 'local' }),
    () => ('instanceId' in state ? state.instanceId : 'data-1'),
  );
  states.event(instances.reread);
  let response: WireResponse | Error = json(200, {});
  const network = {
    ...networkWithRule(() => response),
    respond: (next: WireResponse | Error): void => {
      response = next;
    },
  };
  const addresses = createAddresses(supervisor);
  const limits = createRateLimits(Date.now);
  const refusals = createEmitter<string>();
  const refused = new Set<string>();
  const refresh: Refresh = {
    fresh: async (key) => sessions.get(key),
    renewed: async () => undefined,
    isRefused: (key) => refused.has(key),
    isFailing: () => false,
    onDidChange: refusals.event,
  };
  const refuse = (key: string): void => {
    refused.add(key);
    refusals.fire(key);
  };
  const connection = createConnection({ instances, supervisor, sessions, refresh, addresses, limits, send: network.send, log });
  const kinds: string[] = [];
  connection.onDidChange((state) => kinds.push(`${state.instance.key} ${state.kind}`));
  const setState = (next: ServerState): void => {
    state = next;
    states.fire(next);
  };
  return { connection, instances, supervisor, sessions, addresses, limits, log, setState, kinds, network, refuse };
}

describe('the connection to the current instance', () => {
  it('the connection to the current instance follows the state of the local server and the sign-in to it', async () => {
    const { connection, sessions, setState, kinds } = world();
    assert.equal(connection.state().kind, 'serverStopped');
    setState({ kind: 'starting' });
    setState(running(4000));
    await sessions.write(session(LOCAL));
    await sessions.write(session(LOCAL, 'access-2'));
    setState({ kind: 'failed', code: 'ended', text: 'It ended', hint: '' });
    assert.deepEqual(
      kinds,
      ['serverStarting', 'signedOut', 'signedIn', 'serverFailed'].map((kind) => `${LOCAL} ${kind}`),
    );
  });

  it('the connection to the current instance uses the sign-in that belongs to the data of the local server, and no other', async () => {
    const { connection, sessions, setState, addresses } = world();
    await sessions.write(session(LOCAL));
    await sessions.write({ ...session('local/data-2', 'access-2'), account: { id: 7, username: 'bo', name: 'Bo' } });
    const who = (): string | undefined => {
      const state = connection.state();
      return state.kind === 'signedIn' ? state.account.username : state.kind;
    };
    setState(running(4000));
    assert.equal(who(), 'ana');
    setState(running(4000, 'data-2'));
    assert.equal(who(), 'bo');
    assert.deepEqual([addresses(LOCAL), addresses('local/data-2')], [undefined, 'http://127.0.0.1:4000']);
    setState(running(4000, 'data-3'));
    assert.equal(who(), 'signedOut');
    assert.equal(connection.client(), undefined);
    setState(running(4000));
    assert.equal(who(), 'ana');
  });

  it('the connection to the current instance changes to another instance regardless of the local server', async () => {
    const { connection, instances, setState, kinds, sessions } = world();
    await sessions.write(session(REMOTE));
    assert.deepEqual(kinds, [], 'a sign-in on another instance has no effect');
    await instances.select(REMOTE);
    setState(running(4000));
    assert.deepEqual(kinds, [`${REMOTE} signedIn`]);
    assert.equal(connection.state().kind, 'signedIn');
  });

  it('the connection to the current instance follows the current account, with a separate client for each account', async () => {
    const { connection, instances, sessions, network, kinds } = world();
    const bo = { id: 8, username: 'bo', name: 'Bo' };
    await sessions.write(session(REMOTE));
    await sessions.write({ ...session(REMOTE, 'access-of-bo'), id: 'second', account: bo });
    await instances.select(REMOTE);
    await connection.client()?.get('/user', (value) => value);
    await sessions.use(`${REMOTE}#8`);
    const state = connection.state();
    assert.equal(state.kind === 'signedIn' && state.account.username, 'bo');
    await connection.client()?.get('/user', (value) => value);
    assert.deepEqual(
      network.requests.map(({ headers }) => headers.authorization),
      ['Bearer access-1', 'Bearer access-of-bo'],
    );
    assert.deepEqual(kinds, [`${REMOTE} signedIn`, `${REMOTE} signedIn`]);
  });

  it('the connection to the current instance reports when the network has returned, for every account', async () => {
    const { connection, sessions, instances, network } = world();
    await instances.select(REMOTE);
    await sessions.write(session(REMOTE));
    let count = 0;
    connection.onDidReturn(() => (count += 1));
    const client = connection.client() ?? assert.fail('signed out');
    network.respond(connectionFailure('timedOut'));
    await assert.rejects(client.get('/user', (value) => value));
    network.respond(json(200, {}));
    await client.get('/user', (value) => value);
    await client.get('/user', (value) => value);
    assert.equal(count, 1);
  });

  it('the connection to the current instance reports whose session has ended, and does not change to another account', async () => {
    const { connection, instances, sessions } = world();
    const mine = session(REMOTE);
    await sessions.write(mine);
    await sessions.write({ ...mine, id: 'second', account: { id: 8, username: 'bo', name: 'Bo' } });
    await instances.select(REMOTE);
    const seen: unknown[] = [];
    connection.onDidChange((next) => seen.push(next.kind === 'signedOut' && next.ended?.username));
    await sessions.end(mine);
    assert.deepEqual(seen, ['ana']);
    await sessions.use(`${REMOTE}#8`);
    assert.equal(connection.state().kind, 'signedIn');
  });

  it('the connection to the current instance reports that the instance rejects the current account', async () => {
    const { connection, instances, sessions, refuse } = world();
    await sessions.write(session(REMOTE));
    await instances.select(REMOTE);
    refuse(`${REMOTE}#7`);
    const state = connection.state();
    assert.equal(state.kind === 'signedIn' && state.isRefused, true);
  });

  it('the connection to the current instance refreshes once and notifies once for a hundred calls with a revoked token', async () => {
    const { sessions, instances, supervisor, addresses, limits, log } = world();
    const ana = { ...session(REMOTE), refreshToken: 'refresh-1' };
    await sessions.write(ana);
    await instances.select(REMOTE);
    const network = networkWithRule(({ url }) =>
      url.endsWith('/oauth/token') ? json(400, { error: 'invalid_grant' }) : json(401, { message: '401 Unauthorized' }),
    );
    const sleep = async (): Promise<void> => undefined;
    const { send } = network;
    const refresh = createRefresh({ sessions, send, addresses, lock: noLock, now: Date.now, sleep, log });
    const connection = createConnection({ instances, supervisor, sessions, refresh, addresses, limits, send, log });
    const notifications: ConnectionState[] = [];
    connection.onDidChange((state) => notifications.push(state));
    const client = connection.client();
    assert.ok(client !== undefined);
    const calls = Array.from({ length: 100 }, () => client.get('/user', (value) => value));
    const kinds = (await Promise.allSettled(calls)).map((call) => failureOfError(call.status === 'rejected' ? call.reason : ''));
    assert.ok(kinds.every((failure) => failure?.kind === 'signedOut'));
    assert.equal(network.requests.filter(({ url }) => url.endsWith('/oauth/token')).length, 1);
    assert.deepEqual(
      notifications.map((state) => state.kind === 'signedOut' && state.ended?.username),
      ['ana'],
    );
  });

  it('the connection to the current instance has a client only while an account is signed in and the instance has an address', async () => {
    const { connection, sessions, setState, network } = world();
    assert.equal(connection.client(), undefined);
    await sessions.write(session(LOCAL));
    assert.equal(connection.client(), undefined);
    setState(running(4000));
    const client = connection.client();
    assert.equal(connection.client(), client, 'the client is reused while nothing changes');
    await client?.get('/user', (value) => value);
    assert.equal(network.requests[0]?.url, 'http://127.0.0.1:4000/api/v4/user');
    assert.equal(network.requests[0]?.headers.authorization, 'Bearer access-1');
    setState(running(4001));
    await connection.client()?.get('/user', (value) => value);
    assert.equal(network.requests[1]?.url, 'http://127.0.0.1:4001/api/v4/user');
  });
});
