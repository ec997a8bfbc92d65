import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_STORAGE } from '../repositories/repositories.ts';
import { storagesInUse } from '../features/storageMoves/storageMoves.ts';
import type { Core } from '../core/core.ts';
import type { Store } from '../store/open.ts';
import { notWritable } from './dataFolder.ts';
import { Fatal } from '../core/fatal.ts';
import { restrict } from './privateFiles.ts';

/** File in the folder of a storage that names the server it belongs to. */
const OWNER = 'signalbox-storage.json';

/**
 * Creates the folders of the storages of the command line. Returns their real paths by name.
 *
 * @throws {Fatal} if a folder cannot be written to, is in the data folder or in another storage, or can be read by other users.
 */
export function prepareStorages(
  storages: ReadonlyMap<string, string>,
  dataFolder: string | undefined,
): ReadonlyMap<string, string> {
  const prepared = new Map<string, string>();
  for (const [name, given] of storages) {
    const folder = createdFolder(name, path.resolve(given));
    const others = [...prepared, ...(dataFolder === undefined ? [] : [['the data folder', realpathSync(dataFolder)] as const])];
    const around = others.find(([, other]) => isInside(folder, other) || isInside(other, folder));
    if (around !== undefined) {
      const [other] = around;
      throw unusable(
        `The folder ${folder} of the storage ${name} overlaps with ${prepared.has(other) ? `that of the storage ${other}` : other}.`,
        'Give each storage a folder of its own, outside of the data folder.',
      );
    }
    prepared.set(name, folder);
  }
  return prepared;
}

function createdFolder(name: string, folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(folder, error);
  }
  if (process.platform !== 'win32' && !restrict(folder)) {
    throw unusable(
      `Other users of this machine can read the folder ${folder} of the storage ${name}, and the permissions cannot be changed.`,
      'Choose another folder with --storage.',
    );
  }
  return realpathSync(folder);
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
