// A machine-wide lock per name. Its holder listens on a local socket, which the operating system closes when the process ends.
// This module does not depend on VS Code.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from './log.ts';
import { sleep } from './sleep.ts';

/** Runs the work while holding the lock of this name on this machine. Rejects with `LockBusy` if waiting takes too long. */
export type MachineLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Error: another process held the lock during the whole waiting time. */
export class LockBusy extends Error {
  constructor(name: string) {
    super(`timed out waiting for another window to release the lock ${name}`);
    this.name = 'LockBusy';
  }
}

export interface MachineLockSettings {
  /** Folder shared by all windows. */
  readonly folder: string;
  /** Maximum waiting time in milliseconds. */
  readonly limit: number;
  /** Called with the reason if locking is impossible; the work then runs without a lock. */
  readonly report: (text: string) => void;
}

/** Maximum length of a socket path in bytes; the systems allow 104 (macOS) and 108 (Linux). */
const MAX_PATH_LENGTH = 100;
/** Milliseconds before a second attempt: a socket that is bound but not yet listening refuses connections like a dead one. */
const RETRY_DELAY = 50;

interface Held {
  readonly release: () => Promise<void>;
}

/** Other process that holds the lock; `ended` settles when it releases the lock or ends. */
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
        const timeout = new AbortController();
        await Promise.race([taken.ended, sleep(left, timeout.signal)]);
        timeout.abort();
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

/** Acquires a named pipe. Windows frees its name when the process ends and gives it to one process only. */
function takePipe(pipe: string): () => Promise<Taken> {
  return async () => {
    const listening = await listen(pipe);
    if (listening !== undefined) return { release: listening.close };
    return (await connect(pipe)) ?? { ended: sleep(RETRY_DELAY) };
  };
}

/**
 * Acquires a socket file. The file remains when its process ends, and removing it by name could remove that of a new holder. Therefore
 * names are never reused: they are numbered, the highest number counts, and a process that finds it dead or released takes the next one.
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
    await sleep(RETRY_DELAY);
    return connect(fileOf(number));
  }

  async function release(listening: Listening, number: number): Promise<void> {
    // The next file is created first, so that the highest number never decreases.
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

/** Returns the path, or a substitute in the temporary folder if it is too long for a socket. */
function shortened(location: string): string {
  if (Buffer.byteLength(location) + 12 <= MAX_PATH_LENGTH) return location;
  return path.join(os.tmpdir(), `signalbox-${os.userInfo().uid}`, short(location));
}

interface Listening {
  readonly close: () => Promise<void>;
}

/** Listens on the name; resolves to undefined if another process has it. */
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

/** Connects to the holder; resolves to undefined if no process listens on the name. */
function connect(name: string): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: name });
    const ended = new Promise<void>((end) => {
      socket.once('close', () => end());
    });
    socket.once('error', (error) => {
      const isUnused = 'code' in error && ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(String(error.code));
      resolve(isUnused ? undefined : { ended });
    });
    socket.once('connect', () => resolve({ ended }));
    socket.resume();
  });
}
