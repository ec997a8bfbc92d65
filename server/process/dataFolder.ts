import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Log } from '../core/log.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { Fatal } from '../core/fatal.ts';
import { hasModes, makeDataPrivate } from './privateFiles.ts';

/** File name of the database in the data folder. */
export const DATABASE = 'signalbox.sqlite';

/** Returns the user's data folder for this server, by the convention of the operating system. */
export function defaultDataFolder(env: Readonly<Record<string, string | undefined>>, platform: string, home = homedir()): string {
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'Signalbox', 'data');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Signalbox');
  const base = env['XDG_DATA_HOME'];
  return path.join(base !== undefined && path.isAbsolute(base) ? base : path.join(home, '.local', 'share'), 'signalbox');
}

/** Returns the user's cache folder for compiled code. */
export function compiledFolder(env: Readonly<Record<string, string | undefined>>, platform: string, home = homedir()): string {
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'Signalbox', 'compiled');
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches', 'Signalbox', 'compiled');
  const base = env['XDG_CACHE_HOME'];
  return path.join(base !== undefined && path.isAbsolute(base) ? base : path.join(home, '.cache'), 'signalbox', 'compiled');
}

/**
 * Creates the folder, checks that it is writable, and removes the permissions of other users on it and on the server's files. Throws Fatal
 * if that fails.
 */
export function prepareDataFolder(folder: string, platform: string, log: Pick<Log, 'warn'>): void {
  const probe = path.join(folder, `.probe-${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(probe, '', { mode: 0o600 });
      if (hasModes(platform)) makeDataPrivate(folder, probe, log);
    } finally {
      // Throws if the folder is not a directory; the outer catch reports that.
      rmSync(probe, { force: true });
    }
  } catch (error) {
    if (error instanceof Fatal) throw error;
    throw storageFailureOf(error) === 'full' ? diskFull(folder) : notWritable(folder, error);
  } finally {
    removeProbe(probe);
  }
}

function removeProbe(probe: string): void {
  try {
    rmSync(probe, { force: true });
  } catch {
    // Without a folder there is no probe. The start fails with the original cause.
  }
}

export function notWritable(folder: string, error: unknown): Fatal {
  const cause = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new Fatal(
    'data_not_writable',
    `The data folder ${folder} is not writable (${cause}).`,
    'Choose another folder with --data, or fix its permissions.',
  );
}

export function diskFull(folder: string): Fatal {
  return new Fatal(
    'disk_full',
    `The disk with the data folder ${folder} is full.`,
    'Free some space and start again, or choose a folder on another disk with --data.',
  );
}

/**
 * Address of the running server, for other processes. Holds no secret. It is trusted only if /_local/health returns the same instance ID.
 */
export interface Locator {
  readonly instanceId: string;
  readonly origin: string;
  readonly pid: number;
  readonly version: string;
}

const LOCATOR = 'server.json';

export function writeLocator(folder: string, locator: Locator): void {
  const file = path.join(folder, LOCATOR);
  const draft = `${file}.${locator.pid}`;
  writeFileSync(draft, `${JSON.stringify(locator)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export function removeLocator(folder: string): void {
  rmSync(path.join(folder, LOCATOR), { force: true });
}

/** Returns the locator. Undefined if it does not exist or is not readable. */
export function readLocator(folder: string): Locator | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path.join(folder, LOCATOR), 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { instanceId, origin, pid, version } = { instanceId: '', origin: '', pid: 0, version: '', ...value };
    const isLocator =
      typeof instanceId === 'string' && typeof origin === 'string' && typeof pid === 'number' && typeof version === 'string';
    return isLocator && origin !== '' ? { instanceId, origin, pid, version } : undefined;
  } catch {
    return undefined;
  }
}
