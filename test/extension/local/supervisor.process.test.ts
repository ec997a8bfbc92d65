import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import type { DataProfile } from '../../../src/local/profiles.ts';
import { storagesOf } from '../../../src/local/storages.ts';
import { createStopMark } from '../../../src/local/stopMark.ts';
import type { ServerState } from '../../../src/local/serverState.ts';
import { createSupervisor, type Supervisor, type SupervisorSettings } from '../../../src/local/supervisor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { fakeLog } from '../../support/extension/fakes.ts';
import { untilTrue } from '../../support/until.ts';

const ADMIN_TOKEN = '0123456789abcdef'.repeat(4);
const FAKE_SERVER = path.join(import.meta.dirname, '../../support/extension/fakeServer.js');
const quick = { handshake: 5_000, shutdown: 300, input: 300, terminate: 300, elsewhere: 300 };

/** The environment of the extension host. */
const inherited = testEnvironment();

describe('the supervisor of the local server', () => {
  const started: Supervisor[] = [];
  const folders: string[] = [];

  type Changes = Partial<SupervisorSettings> & Partial<Pick<DataProfile, 'adminToken'>>;
  function supervise(behaviour: string, { adminToken, ...changes }: Changes = {}, lastPort = 0) {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-supervisor-'));
    folders.push(folder);
    const lines: string[] = [];
    const states: ServerState[] = [];
    const ports: number[] = [];
    const data: string[] = [];
    const pauses: number[] = [];
    const log = fakeLog();
    const supervisor = createSupervisor({
      executable: process.execPath,
      serverFile: FAKE_SERVER,
      profile: () => ({
        name: behaviour,
        folder: path.join(folder, behaviour),
        adminToken: adminToken ?? (async () => ADMIN_TOKEN),
        data: { get: () => undefined, set: async (id) => void data.push(id) },
        stopMark: createStopMark(path.join(folder, behaviour)),
        lastPort: { get: () => lastPort, set: async (port) => void ports.push(port) },
      }),
      environment: { ...inherited, NODE_OPTIONS: '--no-warnings', HTTPS_PROXY: 'http://proxy.example', SOME_TOKEN: 'secret' },
      seed: () => 'demo',
      send: createLoopbackSend(),
      log,
      now: Date.now,
      sleep: async (milliseconds) => void pauses.push(milliseconds),
      report: (line) => lines.push(line),
      limits: quick,
      ...changes,
    });
    supervisor.onDidChange((state) => states.push(state));
    started.push(supervisor);
    return {
      supervisor,
      states,
      lines,
      ports,
      data,
      pauses,
      log,
      kinds: () => states.map(({ kind }) => kind),
      dataFolder: path.join(folder, behaviour),
    };
  }

  afterEach(async () => {
    const ended = started.splice(0);
    await Promise.all(ended.map((supervisor) => supervisor.stop()));
    for (const supervisor of ended) supervisor.release();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('the supervisor starts the server only once and returns its address', async () => {
    const { supervisor, kinds, ports, data } = supervise('listening');
    const [first, second] = await Promise.all([supervisor.start(), supervisor.start()]);
    assert.equal(first, second);
    assert.equal(first.kind, 'running');
    assert.equal(await supervisor.start(), first, 'a running server is not started again');
    assert.deepEqual(kinds(), ['starting', 'running']);
    assert.match(supervisor.origin() ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(data, ['fake']);
    assert.equal(first.kind === 'running' && first.instanceId, 'fake');
    assert.deepEqual(ports, [Number(new URL(supervisor.origin() ?? '').port)]);
  });

  it('the supervisor passes the admin token on standard input, and no secrets in arguments or environment', async () => {
    const { supervisor, lines, dataFolder } = supervise('listening', { seed: () => 'none' }, 0);
    await supervisor.start();
    const { argv, env, input } = JSON.parse(lines[0] ?? '');
    assert.deepEqual(input, { adminToken: ADMIN_TOKEN });
    assert.deepEqual(argv, ['serve', '--port', '0', '--data', dataFolder, '--seed', 'none', '--stdin-handshake']);
    assert.equal(env.ELECTRON_RUN_AS_NODE, '1');
    assert.deepEqual(
      ['NODE_OPTIONS', 'HTTPS_PROXY', 'SOME_TOKEN'].filter((name) => name in env),
      [],
    );
    assert.equal(env.PATH, inherited['PATH']);
  });

  it('the supervisor passes further storages, and does not start if their folders are refused', async () => {
    let storages: () => Readonly<Record<string, string>> = () => ({ archive: '/srv/archive', attic: '/srv/the attic' });
    const { supervisor, lines } = supervise('listening', { storages: () => storages() }, 0);
    await supervisor.start();
    const { argv } = JSON.parse(lines[0] ?? '');
    assert.deepEqual(argv.slice(-5), [
      '--storage',
      'archive=/srv/archive',
      '--storage',
      'attic=/srv/the attic',
      '--stdin-handshake',
    ]);
    await supervisor.stop();
    storages = () => storagesOf({ archive: 'archive' });
    const failed = await supervisor.start();
    assert.ok(failed.kind === 'failed' && failed.text.includes('The folder of the storage archive has to be an absolute path.'));
  });

  it('the supervisor uses the last port again, or any other port if it is taken', async () => {
    const { supervisor, lines, kinds, log } = supervise('taken', {}, 4000);
    assert.equal((await supervisor.start()).kind, 'running');
    const calls = lines.map((line): string => JSON.parse(line).argv[2]);
    assert.deepEqual(calls, ['4000', '0']);
    assert.deepEqual(kinds(), ['starting', 'running']);
    assert.match(log.lines.join('\n'), /Port 4000 is taken\. The local server uses another port/);
  });

  it('the supervisor restores a snapshot only once if the last port is taken', async () => {
    const { supervisor, lines } = supervise('taken', {}, 4000);
    await supervisor.start({ snapshot: 'monday' });
    const calls = lines.map((line): readonly string[] => JSON.parse(line).argv.slice(7));
    assert.deepEqual(calls, [['--restore', 'monday', '--stdin-handshake'], ['--stdin-handshake']]);
  });

  describe('attached to the server of another window', () => {
    /** Starts a socket that stands for the server of another window. The fake server reports its port as busy. */
    async function attached(changes: Partial<SupervisorSettings> = {}) {
      const other = net.createServer().listen(0, '127.0.0.1');
      others.push(other);
      await once(other, 'listening');
      const connections: net.Socket[] = [];
      other.on('connection', (socket) => connections.push(socket.resume()));
      const { port } = other.address() as net.AddressInfo;
      const world = supervise(`busy-${port}`, changes);
      const state = await world.supervisor.start();
      const end = (): void => {
        other.close();
        for (const socket of connections) socket.destroy();
      };
      return { ...world, state, port, end, connections };
    }
    const others: net.Server[] = [];
    afterEach(() => {
      for (const other of others.splice(0)) other.close();
    });

    it('an attached supervisor uses the server of the other window, and does not stop it when the window closes', async () => {
      const { supervisor, state, port, kinds, connections } = await attached();
      assert.deepEqual(state, { kind: 'attached', origin: `http://127.0.0.1:${port}`, instanceId: 'fake' });
      assert.equal(supervisor.origin(), `http://127.0.0.1:${port}`);
      await until(() => connections.length === 1);
      supervisor.release();
      await until(() => connections[0]?.closed === true);
      assert.deepEqual(kinds(), ['starting', 'attached']);
    });

    it('an attached supervisor stays attached when the server only closes an idle connection', async () => {
      const { kinds, connections } = await attached();
      await until(() => connections.length === 1);
      connections[0]?.destroy();
      await until(() => connections.length === 2);
      assert.deepEqual(kinds(), ['starting', 'attached']);
    });

    it('an attached supervisor stays attached when the server does not shut down', async () => {
      const { supervisor, state, kinds, connections, dataFolder, lines } = await attached();
      assert.equal(await supervisor.restart('reset'), 'refused');
      assert.deepEqual(kinds(), ['starting', 'attached', 'stopping', 'attached']);
      assert.equal(await supervisor.stop(), 'refused');
      assert.deepEqual(kinds(), ['starting', 'attached', 'stopping', 'attached', 'stopping', 'attached']);
      assert.deepEqual(supervisor.state(), state);
      assert.ok(!createStopMark(dataFolder).isSet());
      assert.equal(lines.length, 1, 'no server was started in this window');
      await until(() => connections.some(({ closed }) => !closed));
    });

    it('an attached supervisor starts a server without delay when the other one ends, but gives up if it ends again and again', async () => {
      const { supervisor, kinds, end, pauses } = await attached();
      end();
      // The fake server keeps reporting that another server is running, but that one has ended.
      await until(() => kinds().filter((kind) => kind === 'failed').length === 3);
      const once = ['starting', 'attached', 'stopped'];
      assert.deepEqual(kinds(), [...once, ...once, 'failed', ...once, 'failed', ...once, 'failed']);
      assert.deepEqual(pauses, [2_000, 5_000]);
      const state = supervisor.state();
      assert.equal(state.kind === 'failed' && state.code, 'crashed');
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(kinds().length, 15, 'it is not started again');
    });

    it('an attached supervisor does not restart the server after the user stopped it', async () => {
      const { supervisor, end, dataFolder, lines } = await attached();
      createStopMark(dataFolder).set();
      end();
      await until(() => supervisor.state().kind === 'stopped');
      assert.equal(lines.length, 1, 'it is not started a second time');
    });
  });

  it('the supervisor starts the server after a reload unless the user stopped it', async () => {
    const { supervisor, dataFolder } = supervise('listening');
    await supervisor.start();
    await supervisor.stop();
    assert.ok(createStopMark(dataFolder).isSet());
    await supervisor.restore();
    assert.equal(supervisor.state().kind, 'stopped');
    await supervisor.start();
    assert.ok(!createStopMark(dataFolder).isSet());
    await supervisor.restart();
    assert.ok(!createStopMark(dataFolder).isSet(), 'a restart leaves no stop mark');
    await supervisor.restore();
    assert.equal(supervisor.state().kind, 'running');
  });

  it('the supervisor stops its server before it starts one with reset data', async () => {
    const { supervisor, lines, kinds } = supervise('listening');
    await supervisor.start();
    const state = await supervisor.restart('reset');
    assert.equal(state !== 'refused' && state.kind, 'running');
    assert.deepEqual(kinds(), ['starting', 'running', 'stopping', 'stopped', 'starting', 'running']);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).argv.includes('--reset')),
      [false, true],
    );
  });

  it('the supervisor reports why the server did not start', async () => {
    const { supervisor, log } = supervise('fatal');
    assert.deepEqual(await supervisor.start(), {
      kind: 'failed',
      code: 'newer_schema',
      text: 'The local server failed to start: The data is from a newer version',
      hint: 'Update.',
    });
    const reported =
      'Local server: failed (newer_schema): The local server failed to start: The data is from a newer version. Update.';
    assert.ok(log.lines.includes(reported), log.lines.join('\n'));
  });

  for (const [behaviour, code] of [
    ['silent', 'no_answer'],
    ['garbage', 'bad_answer'],
    ['crash', 'no_answer'],
  ] as const) {
    it(`the supervisor reports a ${behaviour} server as ${code} and leaves no process behind`, async () => {
      const { supervisor, lines } = supervise(behaviour, {
        limits: { ...quick, handshake: behaviour === 'silent' ? 1_500 : 5_000 },
      });
      const state = await supervisor.start();
      assert.equal(state.kind === 'failed' && state.code, code);
      const { pid } = JSON.parse(lines[0] ?? '');
      await until(() => !isAlive(pid));
    });
  }

  it('the supervisor does not time out while the server reports progress', async () => {
    const { supervisor } = supervise('busily', { limits: { ...quick, handshake: 2_500 } });
    assert.equal((await supervisor.start()).kind, 'running');
  });

  it('the supervisor reports a missing executable', async () => {
    const { supervisor } = supervise('listening', { executable: path.join(tmpdir(), 'no-such-program') });
    const state = await supervisor.start();
    assert.equal(state.kind === 'failed' && state.code, 'no_start');
  });

  it('the supervisor can start the server after a failure', async () => {
    let hasFailed = false;
    const adminToken = async (): Promise<string> => {
      if (hasFailed) return ADMIN_TOKEN;
      hasFailed = true;
      throw new Error('the keyring is locked');
    };
    const { supervisor } = supervise('listening', { adminToken });
    const state = await supervisor.start();
    assert.equal(state.kind === 'failed' && state.text, 'The local server could not be started: the keyring is locked');
    assert.equal((await supervisor.start()).kind, 'running');
  });

  it('the supervisor stops the server with a shutdown request', async () => {
    const { supervisor, kinds } = supervise('listening');
    const state = await supervisor.start();
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    assert.deepEqual(kinds(), ['starting', 'running', 'stopping', 'stopped']);
    assert.ok(state.kind === 'running' && !isAlive(state.pid));
    assert.equal(supervisor.origin(), undefined);
  });

  for (const behaviour of ['deaf', 'stubborn']) {
    it(`the supervisor stops a ${behaviour} server`, async () => {
      const { supervisor, lines } = supervise(behaviour);
      const state = await supervisor.start();
      await supervisor.stop();
      assert.ok(state.kind === 'running' && !isAlive(state.pid));
      assert.equal(lines.includes('SIGTERM'), behaviour === 'stubborn', 'signals are the last resort');
      assert.equal(supervisor.state().kind, 'stopped');
    });
  }

  it('the supervisor stops a starting server as soon as it has started', async () => {
    const { supervisor } = supervise('listening');
    const starting = supervisor.start();
    await supervisor.stop();
    const state = await starting;
    assert.ok(state.kind === 'running' && !isAlive(state.pid));
    assert.equal(supervisor.state().kind, 'stopped');
  });

  it('the supervisor restarts the server as a new process', async () => {
    const { supervisor } = supervise('listening');
    const before = await supervisor.start();
    const after = await supervisor.restart();
    assert.ok(before.kind === 'running' && after !== 'refused' && after.kind === 'running');
    assert.notEqual(after.pid, before.pid);
    assert.ok(!isAlive(before.pid));
  });

  describe('after an unexpected exit of the server', () => {
    async function crash({ supervisor, states }: ReturnType<typeof supervise>): Promise<ServerState | undefined> {
      const before = states.length;
      await createLoopbackSend()({ method: 'GET', url: `${supervisor.origin()}/crash`, headers: {} });
      await until(() => states.slice(before).some(({ kind }) => kind === 'failed'));
      return states.slice(before).find(({ kind }) => kind === 'failed');
    }

    it('after an unexpected exit, the supervisor reports the exit and restarts the server after increasing pauses, until the fourth exit', async () => {
      const world = supervise('listening');
      const { supervisor, pauses, states, log } = world;
      await supervisor.start();
      for (const pause of [1, 2, 5]) {
        const state = await crash(world);
        assert.ok(state?.kind === 'failed');
        assert.equal(state.code, 'ended');
        assert.equal(state.text, 'The local server stopped unexpectedly (signal SIGKILL)');
        assert.ok(state.hint.startsWith(`It will restart in ${pause} s.`), state.hint);
        await until(() => supervisor.state().kind === 'running');
      }
      const last = await crash(world);
      assert.ok(last?.kind === 'failed');
      assert.equal(last.code, 'crashed');
      assert.equal(last.text, 'The local server stopped unexpectedly (signal SIGKILL), 4 times in 3 minutes');
      assert.deepEqual(pauses, [1_000, 2_000, 5_000]);
      assert.equal(states.filter(({ kind }) => kind === 'starting').length, 4);
      assert.match(log.lines.join('\n'), /failed \(crashed\): The local server stopped unexpectedly \(signal SIGKILL\), 4 times/);
    });

    it('after an unexpected exit, the supervisor resets the count of exits when the user starts the server', async () => {
      const world = supervise('listening');
      await world.supervisor.start();
      for (let end = 0; end < 3; end += 1) {
        await crash(world);
        await until(() => world.supervisor.state().kind === 'running');
      }
      await crash(world);
      assert.equal((await world.supervisor.start()).kind, 'running');
      const state = await crash(world);
      assert.equal(state?.kind === 'failed' && state.code, 'ended');
    });

    for (const [title, act] of [
      ['stops it', (world: ReturnType<typeof supervise>) => world.supervisor.stop()],
      ['closes the window', async (world: ReturnType<typeof supervise>) => world.supervisor.release()],
      ['stops it in another window', async (world: ReturnType<typeof supervise>) => createStopMark(world.dataFolder).set()],
    ] as const) {
      it(`after an unexpected exit, the supervisor does not restart the server after the pause if the user ${title}`, async () => {
        let wake = (): void => undefined;
        const world = supervise('listening', {
          sleep: (_, signal) =>
            new Promise((resolve) => {
              wake = resolve;
              signal.addEventListener('abort', () => resolve());
            }),
        });
        await world.supervisor.start();
        await crash(world);
        await act(world);
        wake();
        await new Promise((resolve) => setImmediate(resolve));
        assert.notEqual(world.supervisor.state().kind, 'starting');
        assert.equal(world.kinds().filter((kind) => kind === 'starting').length, 1);
      });
    }

    it('after an unexpected exit, the supervisor restarts the server without delay after a shutdown request, but only once in a row', async () => {
      const world = supervise('listening');
      await world.supervisor.start();
      const requestShutdown = (): Promise<unknown> =>
        createLoopbackSend()({
          method: 'POST',
          url: `${world.supervisor.origin()}/_local/shutdown`,
          headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        });
      await requestShutdown();
      await until(() => world.kinds().filter((kind) => kind === 'running').length === 2);
      assert.deepEqual(world.kinds(), ['starting', 'running', 'stopped', 'starting', 'running']);
      await requestShutdown();
      await until(() => world.kinds().includes('failed'));
      assert.deepEqual(world.pauses, [2_000]);
    });

    it('after an unexpected exit, the supervisor treats the exit as a stop if another window requested it, and attaches when that window starts it again', async () => {
      const world = supervise('listening');
      await world.supervisor.start();
      const mark = createStopMark(world.dataFolder);
      mark.set();
      await createLoopbackSend()({ method: 'GET', url: `${world.supervisor.origin()}/crash`, headers: {} });
      await until(() => world.supervisor.state().kind === 'stopped');
      assert.deepEqual(world.kinds(), ['starting', 'running', 'stopped']);
      mark.clear();
      await until(() => world.supervisor.state().kind === 'running');
    });

    it('after an unexpected exit, the supervisor starts the server immediately if the user starts it during the pause', async () => {
      const world = supervise('listening', {
        sleep: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      });
      await world.supervisor.start();
      await crash(world);
      assert.equal((await world.supervisor.start()).kind, 'running');
      assert.equal(world.kinds().filter((kind) => kind === 'starting').length, 2);
    });
  });

  it('the supervisor ends the server when the window closes', async () => {
    const { supervisor } = supervise('deaf');
    const state = await supervisor.start();
    assert.ok(state.kind === 'running');
    supervisor.release();
    await until(() => !isAlive(state.pid));
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function until(holds: () => boolean): Promise<void> {
  return untilTrue(holds, String(holds));
}
