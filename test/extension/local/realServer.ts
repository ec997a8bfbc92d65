import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import type { Send } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import { listSnapshots } from '../../../src/local/snapshots.ts';
import { createStopMark } from '../../../src/local/stopMark.ts';
import type { ServerState } from '../../../src/local/serverState.ts';
import { createSupervisor, type Supervisor } from '../../../src/local/supervisor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { fakeLog } from '../../support/extension/fakes.ts';

const ADMIN_TOKEN = 'fedcba9876543210'.repeat(4);
const SERVER = path.join(import.meta.dirname, '../../../dist/server.js');

type Scenario = readonly [title: string, run: () => Promise<void>];

/** Declares tests of a supervisor with a real server; `choose` returns those that are wanted. */
export function describeRealServer(choose: (all: readonly Scenario[]) => readonly Scenario[]): void {
  describe('the supervisor with a real local server', () => {
    let folder: string;
    let dataFolder: string;
    let send: Send;
    let port: number;
    const supervisors: Supervisor[] = [];

    beforeEach(() => {
      assert.ok(existsSync(SERVER), 'build dist/ first: npm run build');
      folder = mkdtempSync(path.join(tmpdir(), 'signalbox-local-'));
      // Two missing folders, as in the storage of VS Code for a new user.
      dataFolder = path.join(folder, 'local', 'default');
      send = createLoopbackSend();
      port = 0;
    });
    afterEach(async () => {
      const ended = supervisors.splice(0);
      await Promise.all(ended.map((supervisor) => supervisor.stop()));
      // Removing the folder would look like a cleared stop mark to supervisors that wait for a restart.
      for (const supervisor of ended) supervisor.release();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Creates the supervisor of a window. Windows share folder, token and port, as they share the storage of VS Code. */
    function window(adminToken = ADMIN_TOKEN): Supervisor {
      const supervisor = createSupervisor({
        executable: process.execPath,
        serverFile: SERVER,
        profile: () => ({
          name: 'default',
          folder: dataFolder,
          adminToken: async () => adminToken,
          data: { get: () => undefined, set: async () => undefined },
          stopMark: createStopMark(dataFolder),
          lastPort: { get: () => port, set: async (next) => void (port = next) },
        }),
        environment: testEnvironment(['git']),
        seed: () => 'none',
        send,
        now: Date.now,
        sleep,
        log: fakeLog(),
        report: () => undefined,
      });
      supervisors.push(supervisor);
      return supervisor;
    }
    const clientOf = (origin: string) =>
      createClient({
        baseUrl: origin,
        send,
        credentials: { token: async () => ADMIN_TOKEN, renewed: async () => undefined },
        now: Date.now,
        sleep: async () => undefined,
      });

    const scenarios: readonly Scenario[] = [
      [
        'the supervisor starts the server in a new folder and stops it without delay',
        async () => {
          const supervisor = window();
          const state = await supervisor.start();
          assert.ok(state.kind === 'running', JSON.stringify(state));
          assert.equal((await clientOf(state.origin).get('/user', readUserBasic)).username, 'root');
          await supervisor.stop();
          assert.ok(!isAlive(state.pid));
        },
      ],

      [
        'the supervisor restarts the server at the same address with the same data',
        async () => {
          const supervisor = window();
          const before = await supervisor.start();
          assert.ok(before.kind === 'running');
          await send({
            method: 'POST',
            url: `${before.origin}/api/v4/projects`,
            headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
            body: '{"name":"Relay"}',
          });
          const after = await supervisor.restart();
          assert.ok(after !== 'refused' && after.kind === 'running');
          assert.equal(after.origin, before.origin);
          const project = await clientOf(after.origin).get('/projects/root%2Frelay', (value) => value);
          assert.ok(project !== undefined);
        },
      ],

      [
        'the supervisor attaches a second window, which restarts the server at the same address when the first one closes',
        async () => {
          const [first, second] = [window(), window()];
          const owned = await first.start();
          assert.ok(owned.kind === 'running');
          assert.deepEqual(await second.start(), {
            kind: 'attached',
            origin: owned.origin,
            instanceId: owned.instanceId,
          });
          const running = setState(second, 'running');
          first.release();
          assert.equal((await running).kind === 'running' && second.origin(), owned.origin);
          assert.ok(!isAlive(owned.pid));
        },
      ],

      [
        'the supervisor does not stop or reset the server of a window with another token',
        async () => {
          const [owner, other] = [window(), window('0123'.repeat(16))];
          const owned = await owner.start();
          assert.ok(owned.kind === 'running');
          await other.start();
          assert.equal(await other.restart('reset'), 'refused');
          assert.equal(other.state().kind, 'attached');
          assert.equal(owner.state(), owned);
          assert.deepEqual(listSnapshots(dataFolder), []);
          assert.ok(!createStopMark(dataFolder).isSet());
        },
      ],

      [
        'the supervisor shows the server as stopped in every window when one window stops it',
        async () => {
          const [first, second] = [window(), window()];
          const owned = await first.start();
          assert.ok(owned.kind === 'running');
          await second.start();
          const stopped = setState(second, 'stopped');
          await first.stop();
          await stopped;
          assert.equal(second.state().kind, 'stopped');
          assert.ok(!isAlive(owned.pid));
        },
      ],

      [
        'the supervisor reports a killed server, and starts it again with its data',
        async () => {
          const supervisor = window();
          const state = await supervisor.start();
          assert.ok(state.kind === 'running');
          const failed = new Promise<ServerState>((resolve) => supervisor.onDidChange(resolve));
          process.kill(state.pid, 'SIGKILL');
          const after = await failed;
          assert.equal(after.kind === 'failed' && after.code, 'ended');
          assert.equal((await supervisor.start()).kind, 'running');
        },
      ],

      [
        'the supervisor resets the server and restores a snapshot at the same address',
        async () => {
          const supervisor = window();
          const before = await supervisor.start();
          assert.ok(before.kind === 'running');
          const projectExists = async (): Promise<boolean> => {
            const url = `${before.origin}/api/v4/projects/root%2Frelay`;
            return (await send({ method: 'GET', url, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).status === 200;
          };
          await send({
            method: 'POST',
            url: `${before.origin}/api/v4/projects`,
            headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
            body: '{"name":"Relay"}',
          });
          assert.ok(await projectExists());
          await supervisor.stop();
          const afterReset = await supervisor.start('reset');
          assert.equal(afterReset.kind === 'running' && afterReset.origin, before.origin);
          assert.ok(!(await projectExists()));
          const [snapshot] = listSnapshots(dataFolder);
          assert.ok(snapshot);
          await supervisor.stop();
          await supervisor.start({ snapshot: snapshot.name });
          assert.ok(await projectExists());
          assert.equal(listSnapshots(dataFolder).length, 2);
        },
      ],

      [
        'the supervisor keeps the data profile of a running server until it is moved, then starts a server for the new profile',
        async () => {
          const supervisor = window();
          const before = await supervisor.start();
          assert.ok(before.kind === 'running');
          const one = dataFolder;
          dataFolder = path.join(folder, 'local', 'work');
          port = 0;
          assert.equal(supervisor.origin(), before.origin);
          await supervisor.switchProfile();
          assert.equal(supervisor.state().kind, 'running');
          assert.ok(!isAlive(before.pid));
          assert.ok(existsSync(path.join(dataFolder, 'server.json')) && !existsSync(path.join(one, 'server.json')));
          await supervisor.stop();
          dataFolder = one;
          await supervisor.switchProfile();
          assert.equal(supervisor.state().kind, 'stopped', 'a server that was not running is not started');
        },
      ],

      [
        'the supervisor uses another port if the last port is taken',
        async () => {
          const other = window();
          const taken = await other.start();
          assert.ok(taken.kind === 'running');
          dataFolder = path.join(folder, 'local', 'another');
          const state = await window().start();
          assert.ok(state.kind === 'running', JSON.stringify(state));
          assert.notEqual(state.origin, taken.origin);
        },
      ],
    ];
    for (const [title, run] of choose(scenarios)) it(title, run);
  });
}

function setState(supervisor: Supervisor, kind: ServerState['kind']): Promise<ServerState> {
  return new Promise((resolve) => {
    supervisor.onDidChange((state) => {
      if (state.kind === kind) resolve(state);
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
