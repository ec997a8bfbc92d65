import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Refresh } from '../../src/auth/refresh.ts';
import { createSessions, type Session } from '../../src/auth/sessions.ts';
import { createAddresses, createConnection } from '../../src/instances/connection.ts';
import { createInstances } from '../../src/instances/instances.ts';
import type { ServerState, Supervisor } from '../../src/local/supervisor.ts';
import { createEmitter } from '../../src/support/emitter.ts';
import { createMask } from '../../src/support/log.ts';
import { answering, fakeLog, fakeMemento, fakeSecrets, json } from '../support/extension/fakes.ts';

const REMOTE = 'https://gitlab.example.com';
const running = (port: number): ServerState => ({ kind: 'running', origin: `http://127.0.0.1:${port}`, pid: 1, version: '1' });

function session(instance: string, token = 'access-1'): Session {
  const account = { id: 7, username: 'ana', name: 'Ana Novak' };
  return { id: `session of ${instance}`, instance, clientId: 'c', account, scopes: ['api'], accessToken: token };
}

function world() {
  const states = createEmitter<ServerState>();
  let state: ServerState = { kind: 'stopped' };
  const supervisor: Supervisor = {
    state: () => state,
    onDidChange: states.event,
    origin: () => (state.kind === 'running' || state.kind === 'attached' ? state.origin : undefined),
    start: async () => state,
    stop: async () => undefined,
    restart: async () => state,
    restore: async () => undefined,
    release: () => undefined,
  };
  const log = fakeLog();
  const sessions = createSessions({
    secrets: fakeSecrets(),
    memory: fakeMemento(),
    mask: createMask(),
    log,
    sleep: async () => undefined,
  });
  const instances = createInstances(() => [{ url: REMOTE }], fakeMemento());
  const network = answering(() => json(200, {}));
  const addresses = createAddresses(supervisor);
  const refresh: Refresh = { fresh: async (key) => sessions.get(key), renewed: async () => undefined };
  const connection = createConnection({ instances, supervisor, sessions, refresh, addresses, send: network.send, log });
  const kinds: string[] = [];
  connection.onDidChange((situation) => kinds.push(`${situation.instance.key} ${situation.kind}`));
  const become = (next: ServerState): void => {
    state = next;
    states.fire(next);
  };
  return { connection, instances, sessions, become, kinds, network };
}

describe('connection to the current instance', () => {
  it('follows the local server and its sign-in', async () => {
    const { connection, sessions, become, kinds } = world();
    assert.equal(connection.situation().kind, 'serverStopped');
    become({ kind: 'starting' });
    become(running(4000));
    await sessions.write(session('local'));
    await sessions.write(session('local', 'access-2'));
    become({ kind: 'failed', code: 'ended', words: 'It ended', hint: '' });
    assert.deepEqual(kinds, ['local serverStarting', 'local signedOut', 'local signedIn', 'local serverFailed']);
  });

  it('goes over to another instance, whatever the local server does', async () => {
    const { connection, instances, become, kinds, sessions } = world();
    await sessions.write(session(REMOTE));
    assert.deepEqual(kinds, [], 'a sign-in elsewhere changes nothing here');
    await instances.select(REMOTE);
    become(running(4000));
    assert.deepEqual(kinds, [`${REMOTE} signedIn`]);
    assert.equal(connection.situation().kind, 'signedIn');
  });

  it('has a client only while somebody is signed in on an instance that has an address', async () => {
    const { connection, sessions, become, network } = world();
    assert.equal(connection.client(), undefined);
    await sessions.write(session('local'));
    assert.equal(connection.client(), undefined);
    become(running(4000));
    const client = connection.client();
    assert.equal(connection.client(), client, 'the same one, as long as nothing has changed');
    await client?.get('/user', (value) => value);
    assert.equal(network.requests[0]?.url, 'http://127.0.0.1:4000/api/v4/user');
    assert.equal(network.requests[0]?.headers.authorization, 'Bearer access-1');
    become(running(4001));
    await connection.client()?.get('/user', (value) => value);
    assert.equal(network.requests[1]?.url, 'http://127.0.0.1:4001/api/v4/user');
  });
});
