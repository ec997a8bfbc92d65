import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { createLoopbackSend } from '../../src/api/undici.ts';
import { createStopMark } from '../../src/local/stopMark.ts';
import { createSupervisor, type ServerState, type Supervisor, type SupervisorSettings } from '../../src/local/supervisor.ts';
import { fakeLog } from '../support/extension/fakes.ts';

const ADMIN_TOKEN = '0123456789abcdef'.repeat(4);
const FAKE_SERVER = path.join(import.meta.dirname, '../support/extension/fakeServer.js');
const quick = { handshake: 5_000, shutdown: 300, input: 300, terminate: 300 };

describe('supervisor of the local server', () => {
  const started: Supervisor[] = [];
  const folders: string[] = [];

  function supervise(behaviour: string, changes: Partial<SupervisorSettings> = {}, lastPort = 0) {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-supervisor-'));
    folders.push(folder);
    const lines: string[] = [];
    const states: ServerState[] = [];
    const ports: number[] = [];
    const supervisor = createSupervisor({
      executable: process.execPath,
      serverFile: FAKE_SERVER,
      dataFolder: path.join(folder, behaviour),
      environment: { ...process.env, NODE_OPTIONS: '--no-warnings', HTTPS_PROXY: 'http://proxy.example', SOME_TOKEN: 'secret' },
      seed: () => 'demo',
      adminToken: async () => ADMIN_TOKEN,
      stopMark: createStopMark(path.join(folder, behaviour)),
      lastPort: { get: () => lastPort, set: async (port) => void ports.push(port) },
      send: createLoopbackSend(),
      log: fakeLog(),
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
      kinds: () => states.map(({ kind }) => kind),
      dataFolder: path.join(folder, behaviour),
    };
  }

  afterEach(async () => {
    await Promise.all(started.splice(0).map((supervisor) => supervisor.stop()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('starts the server once, however often it is asked, and knows its address', async () => {
    const { supervisor, kinds, ports } = supervise('listening');
    const [first, second] = await Promise.all([supervisor.start(), supervisor.start()]);
    assert.equal(first, second);
    assert.equal(first.kind, 'running');
    assert.equal(await supervisor.start(), first, 'a running server is left alone');
    assert.deepEqual(kinds(), ['starting', 'running']);
    assert.match(supervisor.origin() ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(ports, [Number(new URL(supervisor.origin() ?? '').port)]);
  });

  it('hands the admin token over on standard input, and nothing secret in arguments or environment', async () => {
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
    assert.equal(env.PATH, process.env['PATH']);
  });

  it('asks for the port of last time, and takes any other when that one is taken', async () => {
    const { supervisor, lines, kinds } = supervise('taken', {}, 4000);
    assert.equal((await supervisor.start()).kind, 'running');
    const asked = lines.map((line): string => JSON.parse(line).argv[2]);
    assert.deepEqual(asked, ['4000', '0']);
    assert.deepEqual(kinds(), ['starting', 'running']);
  });

  describe('attached to the server of another window', () => {
    /** The other window's server: a socket that listens, and that says so as the child would. */
    async function attached(changes: Partial<SupervisorSettings> = {}) {
      const other = net.createServer().listen(0, '127.0.0.1');
      others.push(other);
      await once(other, 'listening');
      const connections: net.Socket[] = [];
      other.on('connection', (socket) => connections.push(socket.resume()));
      const { port } = other.address() as net.AddressInfo;
      const made = supervise(`busy-${port}`, changes);
      const state = await made.supervisor.start();
      const end = (): void => {
        other.close();
        for (const socket of connections) socket.destroy();
      };
      return { ...made, state, port, end, connections };
    }
    const others: net.Server[] = [];
    afterEach(() => {
      for (const other of others.splice(0)) other.close();
    });

    it('uses it, and lets it go without stopping it', async () => {
      const { supervisor, state, port, kinds, connections } = await attached();
      assert.deepEqual(state, { kind: 'attached', origin: `http://127.0.0.1:${port}` });
      assert.equal(supervisor.origin(), `http://127.0.0.1:${port}`);
      await until(() => connections.length === 1);
      await supervisor.stop();
      assert.deepEqual(kinds(), ['starting', 'attached', 'stopped']);
      await until(() => connections[0]?.closed === true);
    });

    it('stays attached when the server only closes a connection on which nothing is said', async () => {
      const { kinds, connections } = await attached();
      await until(() => connections.length === 1);
      connections[0]?.destroy();
      await until(() => connections.length === 2);
      assert.deepEqual(kinds(), ['starting', 'attached']);
    });

    it('starts it again when it is gone, but chases none that comes and goes', async () => {
      const { supervisor, kinds, end } = await attached();
      end();
      // The fake says again that another server is there, and that one is gone, too.
      await until(() => kinds().length === 6);
      assert.deepEqual(kinds(), ['starting', 'attached', 'stopped', 'starting', 'attached', 'stopped']);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(supervisor.state().kind, 'stopped');
    });

    it('leaves it alone when somebody stopped it on purpose', async () => {
      const { supervisor, end, dataFolder, lines } = await attached();
      createStopMark(dataFolder).set();
      end();
      await until(() => supervisor.state().kind === 'stopped');
      assert.equal(lines.length, 1, 'it is started no second time');
    });
  });

  it('comes back after a reload, unless somebody stopped it on purpose', async () => {
    const { supervisor, dataFolder } = supervise('listening');
    await supervisor.start();
    await supervisor.stop();
    assert.ok(createStopMark(dataFolder).isSet());
    await supervisor.restore();
    assert.equal(supervisor.state().kind, 'stopped');
    await supervisor.start();
    assert.ok(!createStopMark(dataFolder).isSet());
    await supervisor.restart();
    assert.ok(!createStopMark(dataFolder).isSet(), 'a restart is no stop');
    await supervisor.restore();
    assert.equal(supervisor.state().kind, 'running');
  });

  it('tells in words why the server did not start', async () => {
    const { supervisor } = supervise('fatal');
    assert.deepEqual(await supervisor.start(), {
      kind: 'failed',
      code: 'newer_schema',
      words: 'did not start: The data is from a newer version.',
      hint: 'Update.',
    });
  });

  for (const [behaviour, code] of [
    ['silent', 'no_answer'],
    ['garbage', 'bad_answer'],
    ['crash', 'no_answer'],
  ] as const) {
    it(`gives up on a server that starts ${behaviour}, as ${code}, and leaves no process behind`, async () => {
      const { supervisor, lines } = supervise(behaviour, {
        limits: { ...quick, handshake: behaviour === 'silent' ? 1_500 : 5_000 },
      });
      const state = await supervisor.start();
      assert.equal(state.kind === 'failed' && state.code, code);
      const { pid } = JSON.parse(lines[0] ?? '');
      await until(() => !isAlive(pid));
    });
  }

  it('gives a server time that tells of its work', async () => {
    const { supervisor } = supervise('busily', { limits: { ...quick, handshake: 2_500 } });
    assert.equal((await supervisor.start()).kind, 'running');
  });

  it('gives up on a program that is not there', async () => {
    const { supervisor } = supervise('listening', { executable: path.join(tmpdir(), 'no-such-program') });
    const state = await supervisor.start();
    assert.equal(state.kind === 'failed' && state.code, 'no_start');
  });

  it('starts again after a failure', async () => {
    let hasFailed = false;
    const adminToken = async (): Promise<string> => {
      if (hasFailed) return ADMIN_TOKEN;
      hasFailed = true;
      throw new Error('the keyring is locked');
    };
    const { supervisor } = supervise('listening', { adminToken });
    const state = await supervisor.start();
    assert.equal(state.kind === 'failed' && state.words, 'could not be started: the keyring is locked');
    assert.equal((await supervisor.start()).kind, 'running');
  });

  it('stops the server by asking it', async () => {
    const { supervisor, kinds } = supervise('listening');
    const state = await supervisor.start();
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    assert.deepEqual(kinds(), ['starting', 'running', 'stopping', 'stopped']);
    assert.ok(state.kind === 'running' && !isAlive(state.pid));
    assert.equal(supervisor.origin(), undefined);
  });

  for (const behaviour of ['deaf', 'stubborn']) {
    it(`stops a ${behaviour} server all the same`, async () => {
      const { supervisor, lines } = supervise(behaviour);
      const state = await supervisor.start();
      await supervisor.stop();
      assert.ok(state.kind === 'running' && !isAlive(state.pid));
      assert.equal(lines.includes('SIGTERM'), behaviour === 'stubborn', 'a signal comes last');
      assert.equal(supervisor.state().kind, 'stopped');
    });
  }

  it('stops a server that is still starting once it has started', async () => {
    const { supervisor } = supervise('listening');
    const starting = supervisor.start();
    await supervisor.stop();
    const state = await starting;
    assert.ok(state.kind === 'running' && !isAlive(state.pid));
    assert.equal(supervisor.state().kind, 'stopped');
  });

  it('restarts into another process', async () => {
    const { supervisor } = supervise('listening');
    const before = await supervisor.start();
    const after = await supervisor.restart();
    assert.ok(before.kind === 'running' && after.kind === 'running');
    assert.notEqual(after.pid, before.pid);
    assert.ok(!isAlive(before.pid));
  });

  it('tells that the server ended by itself, and does not start it again', async () => {
    const { supervisor, kinds } = supervise('listening');
    await supervisor.start();
    const failed = new Promise<ServerState>((resolve) => supervisor.onDidChange(resolve));
    await createLoopbackSend()({ method: 'GET', url: `${supervisor.origin()}/crash`, headers: {} });
    const state = await failed;
    assert.ok(state.kind === 'failed');
    assert.equal(state.code, 'ended');
    assert.match(state.words, /^ended by itself \(signal SIGKILL\)$/);
    assert.deepEqual(kinds(), ['starting', 'running', 'failed']);
  });

  it('ends the server with the editor', async () => {
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

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, 'it never came to hold');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
