// One holder per name on this machine, by a local socket that the holder listens on: the operating system frees it when the holder
// dies, whatever it was doing. Nothing here knows the editor.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from './log.ts';
import { sleep } from './sleep.ts';

/** Does the work while no other process of this machine does any under the same name. Rejects with `LockBusy` when that takes too long. */
export type MachineLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Another process held the lock for all of the time that there was. */
export class LockBusy extends Error {
  constructor(name: string) {
    super(`another window of this machine holds the lock of ${name} for too long`);
    this.name = 'LockBusy';
  }
}

export interface MachineLockSettings {
  /** Folder that all windows share. */
  readonly folder: string;
  /** Milliseconds to wait for another holder. */
  readonly limit: number;
  /** Told why there is no lock on this machine; the work is then done without one. */
  readonly report: (text: string) => void;
}

/** Longest path of a socket is 104 bytes on macOS, 108 on Linux. */
const MAX_PATH_LENGTH = 100;
/** Between binding and listening a socket refuses like one of the dead, so the dead are looked at twice. */
const SECOND_LOOK = 50;

interface Held {
  readonly release: () => Promise<void>;
}

/** Somebody else; `ended` settles when they have let go or died. */
interface Holder {
  readonly ended: Promise<unknown>;
}

export function createMachineLock({ folder, limit, report }: MachineLockSettings): MachineLock {
  return async (name, work) => {
    const held = await acquire(path.join(folder, short(name)));
    if (held === undefined) throw new LockBusy(name);
    try {
      return await work();
    } finally {
      await held.release().catch((error: unknown) => report(messageOf(error)));
    }
  };

  async function acquire(location: string): Promise<Held | undefined> {
    const deadline = performance.now() + limit;
    const take =
      process.platform === 'win32' ? takePipe(`\\\\.\\pipe\\signalbox-${short(location)}`) : takeSocket(shortened(location));
    try {
      for (;;) {
        const taken = await take();
        if ('release' in taken) return taken;
        const left = deadline - performance.now();
        if (left <= 0) return undefined;
        const waiting = new AbortController();
        await Promise.race([taken.ended, sleep(left, waiting.signal)]);
        waiting.abort();
      }
    } catch (error) {
      report(messageOf(error));
      return { release: async () => undefined };
    }
  }
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

type Taken = Held | Holder;

/** Windows takes a pipe's name away with the process, and gives it to one process only. */
function takePipe(pipe: string): () => Promise<Taken> {
  return async () => {
    const listening = await listen(pipe);
    if (listening !== undefined) return { release: listening.close };
    return (await connect(pipe)) ?? { ended: sleep(SECOND_LOOK) };
  };
}

/**
 * A socket file stays behind when its process dies, and removing it by its name could remove the one of a living successor. So names
 * are never used again: they are numbered, the highest number counts, and whoever finds it dead or released takes the next one.
 */
function takeSocket(location: string): () => Promise<Taken> {
  const folder = path.dirname(location);
  const prefix = `${path.basename(location)}.`;
  const fileOf = (number: number): string => `${location}.${number}`;

  function entries(): readonly { readonly number: number; readonly isSocket: boolean }[] {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.name.startsWith(prefix) && /^\d+$/.test(entry.name.slice(prefix.length)))
      .map((entry) => ({ number: Number(entry.name.slice(prefix.length)), isSocket: entry.isSocket() }))
      .sort((a, b) => b.number - a.number);
  }

  async function holderOf(number: number): Promise<Holder | undefined> {
    const first = await connect(fileOf(number));
    if (first !== undefined) return first;
    await sleep(SECOND_LOOK);
    return connect(fileOf(number));
  }

  async function release(listening: Listening, number: number): Promise<void> {
    // The next number stands before this one goes, so that the highest never falls back.
    writeFileSync(fileOf(number + 1), '', { mode: 0o600 });
    await listening.close();
  }

  return async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const highest = entries()[0];
    const holder = highest?.isSocket === true ? await holderOf(highest.number) : undefined;
    if (holder !== undefined) return holder;
    const number = (highest?.number ?? 0) + 1;
    const listening = await listen(fileOf(number));
    if (listening === undefined) return { ended: Promise.resolve() };
    const now = entries();
    if (now[0] !== undefined && now[0].number > number) {
      await listening.close();
      return { ended: Promise.resolve() };
    }
    for (const old of now) if (old.number < number) rmSync(fileOf(old.number), { force: true });
    return { release: () => release(listening, number) };
  };
}

/** The place itself, or one in the temporary folder that stands for it when its path is too long for a socket. */
function shortened(location: string): string {
  if (Buffer.byteLength(location) + 12 <= MAX_PATH_LENGTH) return location;
  return path.join(os.tmpdir(), `signalbox-${os.userInfo().uid}`, short(location));
}

interface Listening {
  readonly close: () => Promise<void>;
}

/** Undefined when somebody else has the name. */
function listen(name: string): Promise<Listening | undefined> {
  return new Promise((resolve, reject) => {
    const waiting = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => waiting.delete(socket));
      socket.resume();
    });
    const close = (): Promise<void> =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of waiting) socket.destroy();
      });
    server.once('error', (error) => {
      const code = 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE' || (code === 'EACCES' && process.platform === 'win32')) resolve(undefined);
      else reject(error);
    });
    server.listen({ path: name }, () => resolve({ close }));
  });
}

/** Undefined when nobody listens there. */
function connect(name: string): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: name });
    const ended = new Promise<void>((end) => {
      socket.once('close', () => end());
    });
    socket.once('error', (error) => {
      const isNobody = 'code' in error && ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(String(error.code));
      resolve(isNobody ? undefined : { ended });
    });
    socket.once('connect', () => resolve({ ended }));
    socket.resume();
  });
}
