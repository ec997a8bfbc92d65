import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ServerState } from '../../../src/local/serverState.ts';
import { listSnapshots } from '../../../src/local/snapshots.ts';
import { testEnvironment } from '../../support/environment.ts';
import { DIST } from '../../support/serverProcess.ts';
import { untilTrue } from '../../support/until.ts';

const ADMIN_TOKEN = '0011223344556677'.repeat(4);
const PROGRAM = path.join(import.meta.dirname, '../../support/extension/window.ts');

interface Window {
  readonly child: ChildProcess;
  readonly states: ServerState[];
  readonly log: () => string;
}

type Scenario = readonly [title: string, run: () => Promise<void>];

/** Declares tests of windows that share a local server; `choose` returns those that are wanted. */
export function describeSharedServer(choose: (all: readonly Scenario[]) => readonly Scenario[]): void {
  describe('windows that share a local server', () => {
    let folder: string;
    let dataFolder: string;
    const windows: Window[] = [];

    beforeEach(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'signalbox-windows-'));
      dataFolder = path.join(folder, 'default');
    });
    afterEach(async () => {
      await Promise.all(windows.splice(0).map(close));
      // A server ends with the window that started it.
      await until(() => processesWith(folder).length === 0, 'every process has ended');
      rmSync(folder, { recursive: true, force: true });
    });

    function open(): Window {
      const child = spawn(process.execPath, [PROGRAM, path.join(DIST, 'server.js'), dataFolder, ADMIN_TOKEN], {
        env: testEnvironment(['git']),
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const states: ServerState[] = [];
      let log = '';
      createInterface({ input: child.stdout }).on('line', (line) => states.push(JSON.parse(line)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
      child.stdin.on('error', () => undefined);
      const window = { child, states, log: () => log };
      windows.push(window);
      return window;
    }

    async function close({ child }: Window): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin?.write('close\n');
      await ended;
    }

    async function kill({ child }: Window): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }

    /** Opens windows and waits until all of them use the server. */
    async function openAll(
      count: number,
    ): Promise<{ readonly owner: Window; readonly others: readonly Window[]; origin: string }> {
      const all = Array.from({ length: count }, open);
      await until(() => all.every((window) => originOf(window) !== undefined), 'every window uses the server', all);
      const owners = all.filter(({ states }) => states.at(-1)?.kind === 'running');
      const [owner] = owners;
      assert.ok(owner !== undefined && owners.length === 1, `${owners.length} windows run the server`);
      const origin = originOf(owner) ?? '';
      for (const window of all) assert.equal(originOf(window), origin);
      return { owner, others: all.filter((window) => window !== owner), origin };
    }

    const scenarios: readonly Scenario[] = [
      [
        'windows that share a local server start only one server, even if all start at the same time',
        async () => {
          const { origin } = await openAll(8);
          assert.equal((await fetch(`${origin}/_local/health`)).status, 200);
          // Servers that found the folder in use may still be ending.
          await until(() => processesWith(`server.js\0serve`, folder).length === 1, 'one server remains');
        },
      ],

      [
        'windows that share a local server restart the server at the same address when the window that runs it is killed, and keep all acknowledged writes',
        async () => {
          const { owner, others, origin } = await openAll(3);
          const writer = await beginWriting(origin);
          await until(() => writer.acknowledged.length >= 10, 'writes are acknowledged');
          await kill(owner);
          await until(() => others.some(({ states }) => states.at(-1)?.kind === 'running'), 'one of the others runs it', others);
          await until(() => others.every((window) => originOf(window) === origin), 'at the same address', others);
          assert.equal(others.filter(({ states }) => states.at(-1)?.kind === 'running').length, 1);
          const count = writer.acknowledged.length;
          await until(() => writer.acknowledged.length >= count + 10, 'writes are acknowledged again');
          await writer.end();
          assert.deepEqual(await missingOf(origin, writer), []);
        },
      ],

      [
        'windows that share a local server use the server again after it is killed, and keep all acknowledged writes',
        async () => {
          const { owner, others, origin } = await openAll(2);
          const writer = await beginWriting(origin);
          await until(() => writer.acknowledged.length >= 10, 'writes are acknowledged');
          const running = owner.states.at(-1);
          assert.ok(running?.kind === 'running');
          process.kill(running.pid, 'SIGKILL');
          const count = writer.acknowledged.length;
          await until(() => writer.acknowledged.length >= count + 10, 'writes are acknowledged again');
          await until(() => [owner, ...others].every((window) => originOf(window) === origin), 'both use it', [owner, ...others]);
          await writer.end();
          assert.deepEqual(await missingOf(origin, writer), []);
          assert.ok(owner.states.some((state) => state.kind === 'failed' && state.code === 'ended'));
        },
      ],

      [
        'windows that share a local server use the server again after a reload, and keep all acknowledged writes of a client',
        async () => {
          const { owner, origin } = await openAll(1);
          const writer = await beginWriting(origin);
          await until(() => writer.acknowledged.length >= 10, 'writes are acknowledged');
          await close(owner);
          const next = open();
          await until(() => originOf(next) === origin, 'the reloaded window uses the server', [next]);
          const count = writer.acknowledged.length;
          await until(() => writer.acknowledged.length >= count + 10, 'writes are acknowledged again');
          await writer.end();
          assert.deepEqual(await missingOf(origin, writer), []);
        },
      ],

      [
        'windows that share a local server all use the new data when the window that runs the server resets it',
        async () => {
          const { owner, others, origin } = await openAll(3);
          const before = await instanceAt(origin);
          owner.child.stdin?.write('reset\n');
          const all = [owner, ...others];
          await until(() => all.every(({ states }) => states.some(({ kind }) => kind === 'stopped')), 'it was stopped', all);
          await until(() => all.every((window) => originOf(window) === origin), 'every window uses it again', all);
          assert.equal(owner.states.at(-1)?.kind, 'running');
          assert.notEqual(await instanceAt(origin), before);
        },
      ],

      [
        'windows that share a local server let any window reset the server, and save all acknowledged writes in the snapshot',
        async () => {
          const { owner, others, origin } = await openAll(3);
          const [resetting, third] = others;
          assert.ok(resetting !== undefined && third !== undefined);
          const all = [owner, ...others];
          const before = await instanceAt(origin);
          const writer = await beginWriting(origin);
          await until(() => writer.acknowledged.length >= 10, 'writes are acknowledged');
          resetting.child.stdin?.write('reset\n');
          await until(() => resetting.states.at(-1)?.kind === 'running', 'the resetting window runs it', all);
          await until(() => all.every((window) => originOf(window) === origin), 'every window uses it', all);
          await writer.end();
          assert.deepEqual(
            [owner, third].map(({ states }) => states.at(-1)?.kind),
            ['attached', 'attached'],
          );
          const after = await instanceAt(origin);
          assert.notEqual(after, before);
          for (const { states } of all) assert.ok(states.every(({ kind }) => kind !== 'failed'));
          await until(() => processesWith(`server.js\0serve`, folder).length === 1, 'one server remains', all);
          // After the reset the project does not exist, so all acknowledged writes were made before it.
          const [snapshot = assert.fail('the reset saved no snapshot')] = listSnapshots(dataFolder);
          resetting.child.stdin?.write(`restore ${snapshot.name}\n`);
          await untilAsync(async () => (await instanceAt(origin)) === before, 'the old data is back');
          assert.deepEqual(await missingOf(origin, writer), []);
        },
      ],

      [
        'windows that share a local server end with one server that all use if two windows reset it at the same time',
        async () => {
          const { owner, others, origin } = await openAll(3);
          const before = await instanceAt(origin);
          for (const { child } of others) child.stdin?.write('reset\n');
          const all = [owner, ...others];
          await untilAsync(async () => (await instanceAt(origin)) !== before, 'it was reset');
          await until(() => all.every((window) => originOf(window) === origin), 'every window uses it', all);
          await until(
            () => all.filter(({ states }) => states.at(-1)?.kind === 'running').length === 1,
            'one window runs it',
            all,
          );
          // The server that found the folder in use may still be ending.
          await until(() => processesWith(`server.js\0serve`, folder).length === 1, 'one server remains', all);
        },
      ],
      ...['the window that runs it', 'another window'].map(
        (who): Scenario => [
          `windows that share a local server do not restart the server after the user stopped it in ${who}, until the user starts it`,
          async () => {
            const { owner, others } = await openAll(3);
            const stopper = who === 'another window' ? others[1] : owner;
            stopper?.child.stdin?.write('stop\n');
            await until(
              () => [owner, ...others].every(({ states }) => states.at(-1)?.kind === 'stopped'),
              'all show it as stopped',
            );
            const late = open();
            await until(() => late.log().includes('restore finished'), 'a new window has looked for a server', [late]);
            assert.deepEqual(late.states, []);
            await until(() => processesWith(`server.js\0serve`, folder).length === 0, 'it has ended');
            others[0]?.child.stdin?.write('start\n');
            const all = [owner, ...others, late];
            const had = all.filter((window) => window !== stopper);
            await until(() => had.every((window) => originOf(window) !== undefined), 'the other windows use it again', all);
            assert.equal(stopper?.states.at(-1)?.kind, 'stopped', 'the window that stopped it stays stopped');
          },
        ],
      ),
    ];
    for (const [title, run] of choose(scenarios)) it(title, run);
  });
}

async function instanceAt(origin: string): Promise<string> {
  const health = (await (await fetch(`${origin}/_local/health`)).json()) as { readonly instance_id: string };
  return health.instance_id;
}

interface Writer {
  /** Texts of the comments for which the response was 201. */
  readonly acknowledged: string[];
  readonly end: () => Promise<void>;
  readonly notes: string;
}

/** Creates a comment on an issue every 50 ms, like a client that does not know about windows. */
async function beginWriting(origin: string): Promise<Writer> {
  const post = async (target: string, body: object): Promise<Response> =>
    fetch(`${origin}/api/v4${target}`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': ADMIN_TOKEN, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await post('/projects', { name: 'Relay' })).status, 201);
  assert.equal((await post('/projects/1/issues', { title: 'Sticks' })).status, 201);
  const notes = '/projects/1/issues/1/notes';
  const acknowledged: string[] = [];
  const pending = new Set<Promise<void>>();
  let number = 0;
  const write = async (body: string): Promise<void> => {
    try {
      const response = await post(notes, { body });
      await response.text();
      if (response.status !== 201) return;
    } catch {
      return;
    }
    acknowledged.push(body);
  };
  const timer = setInterval(() => {
    const writing = write(`comment ${(number += 1)}`).finally(() => pending.delete(writing));
    pending.add(writing);
  }, 50);
  return {
    acknowledged,
    notes,
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}

/** Returns the acknowledged comments that the server does not have. */
async function missingOf(origin: string, { acknowledged, notes }: Writer): Promise<readonly string[]> {
  const stored = new Set<string>();
  for (let page = 1; ; page += 1) {
    const response = await fetch(`${origin}/api/v4${notes}?per_page=100&page=${page}`, {
      headers: { 'PRIVATE-TOKEN': ADMIN_TOKEN },
    });
    assert.equal(response.status, 200);
    const list = (await response.json()) as readonly { readonly body: string }[];
    for (const { body } of list) stored.add(body);
    if (list.length < 100) break;
  }
  return acknowledged.filter((body) => !stored.has(body));
}

function originOf({ states }: Window): string | undefined {
  const state = states.at(-1);
  return state?.kind === 'running' || state?.kind === 'attached' ? state.origin : undefined;
}

/** Returns the IDs of processes whose command line contains all texts; empty on systems without /proc. */
function processesWith(...texts: readonly string[]): readonly number[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return texts.every((text) => line.includes(text));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Like `untilTrue`, but treats an error as false, because requests can fail while a server starts. */
function untilAsync(holds: () => Promise<boolean>, what: string): Promise<void> {
  return untilTrue(() => holds().catch(() => false), what);
}

function until(holds: () => boolean, what: string, windows: readonly Window[] = []): Promise<void> {
  return untilTrue(holds, what, () =>
    windows.map(({ states, log }) => `${states.map(({ kind }) => kind).join(', ')}\n${log()}`).join('\n'),
  );
}
