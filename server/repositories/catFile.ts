import type { GitProcess, GitProgram } from './program.ts';

/** An object of a repository. */
export interface GitObject {
  readonly id: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly size: number;
  /** Undefined for an object larger than `MAX_READ_BYTES`. */
  readonly content: Buffer | undefined;
}

/** Maximum number of repositories with a reader; the least recently used one loses its reader. */
const MAX_READERS = 8;
/** Maximum size of an object that is read through a reader, in bytes. */
export const MAX_READ_BYTES = 8 * 1024 * 1024;
/** Time after which an unused reader ends, in milliseconds. */
const IDLE_TIME = 30_000;
/** Maximum time to read one object, in milliseconds. */
const TIME_LIMIT = 60_000;
/** Maximum length of the line before the content of an object, which repeats the requested name. */
const MAX_HEADER_BYTES = 16_384;

/** Memory of git is limited, because readers run for long. */
const settings = ['core.deltaBaseCacheLimit=8m', 'core.bigFileThreshold=8m', 'core.packedGitLimit=64m'];

type Result = GitObject | 'missing' | 'ended';

interface Reader {
  readonly git: GitProgram;
  /** Reads objects one after the other. Returns undefined if git fails. */
  read(name: string): Promise<GitObject | 'missing' | undefined>;
  /** Ends the process after the objects that are being read. */
  close(): Promise<void>;
}

/** Programs whose repositories have readers. Others, such as those of a push, see objects that a reader does not. */
const programs = new WeakSet<GitProgram>();
/** Readers by folder of the repository, the most recently used last. */
const readers = new Map<string, Reader>();

/** Lets `readObject` read the repositories of a program. */
export function allowReaders(git: GitProgram): void {
  programs.add(git);
}

/**
 * Reads an object through a process of git that serves many requests (`git cat-file --batch`). `name` consists of a full object ID, which
 * `^{commit}` or `:PATH` may follow. Returns undefined if a command has to read the object instead: git has failed, or the name contains a
 * line break.
 */
export async function readObject(git: GitProgram, folder: string, name: string): Promise<GitObject | 'missing' | undefined> {
  if (!programs.has(git) || /[\n\0]/.test(name) || !name.isWellFormed() || Buffer.byteLength(name) > MAX_HEADER_BYTES / 2)
    return undefined;
  const known = readers.get(folder);
  const reader = known?.git === git ? known : createReader(git, folder);
  if (reader !== known) void known?.close();
  readers.delete(folder);
  readers.set(folder, reader);
  const [oldest] = readers.keys();
  if (readers.size > MAX_READERS && oldest !== undefined) void closeReader(oldest);
  return reader.read(name);
}

/** Ends the reader of a repository, before its folder is moved or removed. Fulfilled when the process has ended. */
export async function closeReader(folder: string): Promise<void> {
  const reader = readers.get(folder);
  readers.delete(folder);
  await reader?.close();
}

/** Returns the number of repositories with a reader. */
export function countReaders(git: GitProgram): number {
  return [...readers.values()].filter((reader) => reader.git === git).length;
}

function createReader(git: GitProgram, folder: string): Reader {
  let batch: Batch | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const forget = (): void => {
    if (readers.get(folder) === reader) readers.delete(folder);
  };
  const idle = setTimeout(() => {
    forget();
    void reader.close();
  }, IDLE_TIME);
  idle.unref();

  const readOne = async (name: string): Promise<GitObject | 'missing' | undefined> => {
    // A process that crashed or was ended for a large object is replaced once per object.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        batch = batch === undefined || batch.hasEnded() ? await startBatch(git, folder) : batch;
      } catch {
        break;
      }
      const result = await batch.ask(name);
      if (result !== 'ended') {
        idle.refresh();
        return result;
      }
    }
    return undefined;
  };

  const reader: Reader = {
    git,
    read: (name) => {
      const mine = queue.then(() => readOne(name));
      queue = mine;
      return mine;
    },
    close: async () => {
      clearTimeout(idle);
      await queue;
      await batch?.end();
    },
  };
  return reader;
}

/** A process of `git cat-file --batch`. */
interface Batch {
  /** Requests one object. Call only when the previous request is complete. Never rejected. */
  ask(name: string): Promise<Result>;
  hasEnded(): boolean;
  end(): Promise<void>;
}

async function startBatch(git: GitProgram, folder: string): Promise<Batch> {
  const child = await git.start(folder, ['cat-file', '--batch'], {
    signal: new AbortController().signal,
    settings,
    isReader: true,
  });
  let hasEnded = false;
  let pending: { readonly parse: ReturnType<typeof createParser>; readonly settle: (result: Result) => void } | undefined;
  const settle = (result: Result): void => {
    const waiting = pending;
    pending = undefined;
    waiting?.settle(result);
  };
  const finish = (): void => {
    hasEnded = true;
    settle('ended');
  };
  void child.ended.then(finish);
  child.stdout.once('error', finish);
  child.stdout.on('data', (chunk: Buffer) => {
    const result = pending?.parse(chunk) ?? (pending === undefined ? 'ended' : undefined);
    if (result === undefined) return;
    // The rest of a large object is not read, and unexpected output is not understood: the next object needs another process.
    if (result === 'ended' || (result !== 'missing' && result.content === undefined)) stop(child);
    settle(result);
  });
  const stop = (running: GitProcess): void => {
    hasEnded = true;
    running.kill();
  };
  return {
    hasEnded: () => hasEnded,
    ask: (name) =>
      new Promise((resolve) => {
        if (hasEnded) {
          resolve('ended');
          return;
        }
        const timer = setTimeout(() => stop(child), TIME_LIMIT);
        pending = {
          parse: createParser(),
          settle: (result) => {
            clearTimeout(timer);
            resolve(result);
          },
        };
        child.stdin.write(`${name}\n`);
      }),
    end: async () => {
      hasEnded = true;
      child.stdin.end();
      await child.ended;
    },
  };
}

/** Returns a function that takes the output of git for one object, and returns the object when it is complete. */
function createParser(): (chunk: Buffer) => Result | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  let object: Omit<GitObject, 'content'> | undefined;
  return (chunk) => {
    let rest = chunk;
    if (object === undefined) {
      const end = chunk.indexOf(10);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      length += chunk.length;
      if (end < 0) return length > MAX_HEADER_BYTES ? 'ended' : undefined;
      const header = Buffer.concat(chunks).toString('latin1');
      const [, id, type, size] = /^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/.exec(header) ?? [];
      if (id === undefined || !isType(type)) return 'missing';
      object = { id, type, size: Number(size) };
      if (object.size > MAX_READ_BYTES) return { ...object, content: undefined };
      chunks.length = 0;
      length = 0;
      rest = chunk.subarray(end + 1);
    }
    chunks.push(rest);
    length += rest.length;
    // A line break follows the content.
    if (length < object.size + 1) return undefined;
    return length > object.size + 1 ? 'ended' : { ...object, content: Buffer.concat(chunks).subarray(0, object.size) };
  };
}

function isType(text: string | undefined): text is GitObject['type'] {
  return text === 'blob' || text === 'tree' || text === 'commit' || text === 'tag';
}
