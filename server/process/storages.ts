import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../core/log.ts';
import { DEFAULT_STORAGE } from '../repositories/repositories.ts';
import { storagesInUse } from '../features/storageMoves/storageMoves.ts';
import type { Core } from '../core/core.ts';
import type { Store } from '../store/open.ts';
import { notWritable } from './dataFolder.ts';
import { Fatal } from '../core/fatal.ts';
import { hasModes, isPrivate, restrict } from './privateFiles.ts';

/** File in the folder of a storage that names the server it belongs to. */
const OWNER = 'signalbox-storage.json';
/** Names of the files and folders that servers create in the folder of a storage. */
const OWN_NAMES: ReadonlySet<string> = new Set([OWNER, '@hashed']);

/**
 * Creates the folders of the storages of the command line, and removes the permissions of other users on them. A folder that also contains
 * other files keeps its permissions, with a warning. Returns the real paths by name.
 *
 * @throws {Fatal} if a folder cannot be written to, is in the data folder or in another storage, or can be read by other users.
 */
export function prepareStorages(
  storages: ReadonlyMap<string, string>,
  dataFolder: string | undefined,
  log: Pick<Log, 'warn'>,
): ReadonlyMap<string, string> {
  const prepared = new Map<string, string>();
  for (const [name, given] of storages) {
    const folder = createdFolder(path.resolve(given));
    const others = [...prepared, ...(dataFolder === undefined ? [] : [['the data folder', realpathSync(dataFolder)] as const])];
    const around = others.find(([, other]) => isInside(folder, other) || isInside(other, folder));
    if (around !== undefined) {
      const [other] = around;
      throw unusable(
        `The folder ${folder} of the storage ${name} overlaps with ${prepared.has(other) ? `that of the storage ${other}` : other}.`,
        'Give each storage a folder of its own, outside of the data folder.',
      );
    }
    if (hasModes(process.platform)) makeStoragePrivate(name, folder, log);
    prepared.set(name, folder);
  }
  return prepared;
}

function createdFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(folder, error);
  }
  return realpathSync(folder);
}

function makeStoragePrivate(name: string, folder: string, log: Pick<Log, 'warn'>): void {
  if (isPrivate(folder)) return;
  const entries = readdirSync(folder);
  const foreign = entries.find((entry) => !OWN_NAMES.has(entry));
  const own = entries.filter((entry) => OWN_NAMES.has(entry)).map((entry) => path.join(folder, entry));
  if (!(foreign === undefined ? [folder] : own).every(restrict)) {
    throw unusable(
      `Other users of this machine can read the folder ${folder} of the storage ${name}, and the permissions cannot be changed.`,
      'Choose another folder with --storage.',
    );
  }
  if (foreign === undefined) return;
  log.warn(
    `other users of this machine can list the folder ${folder} of the storage ${name}, because it also contains other files, such as ${foreign}. They cannot read its repositories.`,
  );
}

function isInside(inner: string, outer: string): boolean {
  const way = path.relative(outer, inner);
  return way === '' || (!way.startsWith('..') && !path.isAbsolute(way));
}

/**
 * Marks the storages as those of this server.
 *
 * @throws {Fatal} if another server uses one of them, or if repositories are on a storage that is missing from the command line.
 */
export function claimStorages(core: Core, storages: ReadonlyMap<string, string>): void {
  refuseMissingStorage(core.store, storages);
  for (const [name, folder] of storages) {
    const mine = { instanceId: core.instanceId, dataFolder: core.dataFolder ?? '', storage: name };
    const file = path.join(folder, OWNER);
    const owner = ownerIn(file);
    // A moved data folder has the same ID, and a new database in the same data folder has another one.
    const isMine = owner === undefined || owner.instanceId === mine.instanceId || owner.dataFolder === mine.dataFolder;
    if (!isMine) {
      throw unusable(
        `The folder ${folder} of the storage ${name} belongs to another server, whose data folder is ${owner.dataFolder}.`,
        'Each server needs storages of its own. Choose another folder with --storage.',
      );
    }
    if (owner !== undefined && owner.storage !== name) {
      throw unusable(
        `The folder ${folder} belongs to the storage ${owner.storage}, not to ${name}.`,
        `Use --storage ${owner.storage}=${folder}.`,
      );
    }
    try {
      writeFileSync(file, `${JSON.stringify(mine)}\n`, { mode: 0o600 });
    } catch (error) {
      throw notWritable(folder, error);
    }
  }
}

/** @throws {Fatal} if repositories are on a storage that is missing from the command line. */
export function refuseMissingStorage(store: Store, storages: ReadonlyMap<string, string>): void {
  const missing = storagesInUse(store).find((name) => name !== DEFAULT_STORAGE && !storages.has(name));
  if (missing !== undefined) {
    throw new Fatal(
      'storage_missing',
      `Repositories are on the storage ${missing}, which is not on the command line.`,
      `Start the server with --storage ${missing}=FOLDER, where FOLDER is the folder of that storage.`,
    );
  }
}

interface Owner {
  readonly instanceId: string;
  readonly dataFolder: string;
  readonly storage: string;
}

/** Returns the owner of a storage; undefined if it is new, or if the server was killed while it wrote the file. */
function ownerIn(file: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const member = (name: keyof Owner): string => String(Reflect.get(value, name));
    return { instanceId: member('instanceId'), dataFolder: member('dataFolder'), storage: member('storage') };
  } catch {
    return undefined;
  }
}

function unusable(message: string, hint: string): Fatal {
  return new Fatal('storage_unusable', message, hint);
}
