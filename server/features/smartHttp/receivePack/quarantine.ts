import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freeBuffer } from '../../../support/freeBuffer.ts';
import { newQuarantine } from '../../../repositories/quarantines.ts';
import type { RepositoryDir } from '../../../repositories/objects.ts';
import type { PackLimits } from '../../../repositories/packLimits.ts';
import type { GitProcess } from '../../../repositories/program.ts';
import type { ByteReader } from './byteReader.ts';
import { type PackSizes, readPackSizes } from './packSizes.ts';

/** The objects of a push, which are invisible in the repository until they are migrated. */
export interface Quarantine {
  /** The repository together with the new objects. */
  readonly repository: RepositoryDir;
  /** Reads a pack to its end. Returns the problem if it is invalid. */
  unpack(reader: ByteReader): Promise<string | undefined>;
  /** Returns true if all objects that some objects refer to exist. */
  isConnected(ids: readonly string[]): Promise<boolean>;
  /** Moves the objects into the repository, and makes them durable. */
  migrate(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Packs with fewer objects are unpacked, because many small packs would slow down the repository. Git keeps some of the objects in memory
 * while it unpacks a pack, so their total size is limited, too.
 */
const UNPACK_LIMIT = { objects: 100, bytes: 32 * 1024 * 1024 };

/** Bounds the memory of git. */
const settings = [
  'pack.threads=1',
  'pack.windowMemory=32m',
  'core.bigFileThreshold=1m',
  'core.deltaBaseCacheLimit=16m',
  'core.packedGitLimit=64m',
  'core.packedGitWindowSize=8m',
];

/** Checks all objects, except for mistakes of old clients that GitLab also allows. */
const STRICT =
  '--strict=badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore,hasDotgit=error,hasDotdot=error';

/** Size of what git allocates at once for each object of a pack, in bytes. */
const OBJECT_RECORD = 64;
/** Size of what git allocates at once for anything but objects, in bytes. */
const OTHER_MEMORY = 16 * 1024 * 1024;
/** Largest limit that git accepts on every platform. */
const MAX_ALLOC_LIMIT = 0xffff_ffff;

/** Size of objects from which a push has to wait for others that take as much memory, in bytes. Git has up to three such objects at once. */
const LARGE_OBJECT = 16 * 1024 * 1024;

/** Makes git fail if an object is larger than the limit, although the sizes in the pack are not. */
function allocLimit({ objects }: PackSizes, limits: PackLimits): Readonly<Record<string, string>> {
  const bytes = Math.max(limits.object, objects * OBJECT_RECORD) + OTHER_MEMORY;
  return bytes > MAX_ALLOC_LIMIT ? {} : { GIT_ALLOC_LIMIT: String(bytes) };
}

export async function createQuarantine(repository: RepositoryDir, limits: PackLimits, signal: AbortSignal): Promise<Quarantine> {
  const { git, folder } = repository;
  const objects = newQuarantine(repository);
  await mkdir(path.join(objects, 'info'), { recursive: true, mode: 0o700 });
  await mkdir(path.join(objects, 'pack'));
  await writeFile(path.join(objects, 'info', 'alternates'), '../../objects\n');
  const env = { GIT_OBJECT_DIRECTORY: objects };
  let isLarge = false;
  const start = (more: Readonly<Record<string, string>> = {}) => ({ signal, env: { ...env, ...more }, settings, isLarge });
  const unpackFile = async (pack: string): Promise<string | undefined> => {
    const sizes = await readPackSizes(pack, limits, signal);
    if (typeof sizes === 'string') return sizes;
    isLarge = sizes.largest > LARGE_OBJECT;
    const isSmall = sizes.objects < UNPACK_LIMIT.objects && sizes.total < UNPACK_LIMIT.bytes;
    const args = isSmall ? ['unpack-objects', '-q', STRICT] : ['index-pack', '--stdin', '--fix-thin', STRICT];
    const child = await git.start(folder, args, start(allocLimit(sizes, limits)));
    child.stdout.resume();
    await send(pack, child);
    const { code, problem } = await child.ended;
    return code === 0 ? undefined : firstLine(problem);
  };
  return {
    repository: {
      folder,
      git: { ...git, run: (where, args, options) => git.run(where, args, { ...options, env: { ...options?.env, ...env } }) },
    },
    unpack: async (reader) => {
      const header = await reader.peek(12);
      if (header.length < 12 || header.toString('latin1', 0, 4) !== 'PACK') return 'the pack is missing';
      const pack = path.join(objects, 'received');
      await store(reader, pack);
      return unpackFile(pack).catch((error: unknown) => {
        if (existsSync(pack)) throw error;
        return 'the repository was moved while the push arrived';
      });
    },
    isConnected: async (ids) => {
      if (ids.length === 0) return true;
      const child = await git.start(folder, ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'], start());
      child.stdout.resume();
      child.stdin.end(ids.map((id) => `${id}\n`).join(''));
      return (await child.ended).code === 0;
    },
    migrate: () => migrate(objects, path.join(folder, 'objects')),
    remove: () => rm(objects, { recursive: true, force: true }),
  };
}

/** Writes a pack to a file. Git starts when it is complete, so that a slow client holds no process. */
async function store(reader: ByteReader, file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    for await (const chunk of reader.rest()) {
      await handle.writeFile(chunk);
      freeBuffer(chunk);
    }
  } finally {
    await handle.close();
  }
}

/** Sends a file to a process, piece by piece. */
async function send(file: string, { stdin, ended }: GitProcess): Promise<void> {
  const chunks: AsyncIterable<Buffer> = createReadStream(file);
  try {
    for await (const chunk of chunks) {
      // Git closes its input early if the pack is invalid; its output then says why.
      if (stdin.destroyed) break;
      if (stdin.write(chunk, () => freeBuffer(chunk))) continue;
      await Promise.race([once(stdin, 'drain').catch(() => undefined), ended]);
    }
  } finally {
    stdin.end();
  }
}

/** Returns a sentence of git without its prefix. */
function firstLine(problem: string): string {
  const line = problem.split('\n').find((text) => /^(?:fatal|error): /.test(text)) ?? 'the pack is invalid';
  return line.replace(/^(?:fatal|error): /, '').slice(0, 200);
}

/** Moves objects. The index of a pack is moved last, because git finds a pack by its index. */
async function migrate(from: string, to: string): Promise<void> {
  const order = ['.pack', '.rev', '.idx'];
  const changed = new Set<string>();
  for (const folder of await readdir(from)) {
    if (folder !== 'pack' && !/^[0-9a-f]{2}$/.test(folder)) continue;
    const names = (await readdir(path.join(from, folder))).filter((name) => !name.startsWith('tmp_'));
    if (names.length === 0) continue;
    names.sort((one, other) => order.indexOf(path.extname(one)) - order.indexOf(path.extname(other)));
    const target = path.join(to, folder);
    await mkdir(target, { recursive: true });
    for (const name of names) {
      const there = path.join(target, name);
      if (!existsSync(there)) await rename(path.join(from, folder, name), there);
    }
    changed.add(target);
  }
  for (const folder of changed) await sync(folder);
  if (changed.size > 0) await sync(to);
}

/** Makes the entries of a folder durable. Windows has no such operation. */
async function sync(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
