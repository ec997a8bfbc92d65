import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { createRepositories, type Repositories } from '../repositories/repositories.ts';
import type { GitMetadata } from '../repositories/program.ts';
import type { Log } from '../core/log.ts';
import type { KeyOwner } from '../core/sealing.ts';
import { DEMO_ARCHIVE, type DemoArchive, type DemoPassword, loadDemo, type Progress, unpackDemo } from '../seeds/seeds.ts';
import { CURRENT_SCHEMA } from '../store/migrate.ts';

export interface NewData {
  /** Folder of the running program. A build puts the prepared demo data there. */
  readonly root: string;
  readonly dataFolder: string | undefined;
  /** Path of the database file to create. Undefined for a database in memory. */
  readonly file: string | undefined;
  readonly now: number;
  readonly git: GitMetadata;
  /** Folders of further repository storages by name. */
  readonly storages?: ReadonlyMap<string, string>;
  /** Repositories of the same folders, if there are some. */
  readonly repositories?: Repositories;
  /** Owner of the keys, if the server has some. */
  readonly keyOwner?: KeyOwner;
  readonly withPasswords: boolean;
  readonly nativeBinding: string | undefined;
  readonly log: Log;
  readonly progress: Progress;
}

/** A new database with demo data, and what the platform needs to use it. */
export interface NewDatabase {
  /** Argument for `openStore`: the path of the file, or its content for a database in memory. */
  readonly database: string | Buffer;
  readonly repositories: Repositories;
  readonly keyOwner: KeyOwner;
  readonly passwords: readonly DemoPassword[];
}

/**
 * Creates the database of a new server from the prepared demo data. The file appears when it is complete. Returns undefined if no prepared
 * data fits this program and its time; then the demo data has to be generated.
 */
export async function loadDemoData(data: NewData): Promise<NewDatabase | undefined> {
  const { dataFolder, file, now, log, nativeBinding, progress } = data;
  const source = path.join(data.root, DEMO_ARCHIVE);
  if (!existsSync(source)) return undefined;
  let archive: DemoArchive;
  try {
    archive = await unpackDemo(readFileSync(source));
  } catch (error) {
    log.warn(
      `${source} is not readable, so the demo data is generated: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
  if (archive.schema !== CURRENT_SCHEMA || archive.madeAt > now) {
    log.info('the prepared demo data does not match this version or is newer than the clock; generating the demo data instead');
    return undefined;
  }
  const repositories = data.repositories ?? createRepositories(dataFolder, data.git, data.storages);
  const keyOwner: KeyOwner = data.keyOwner ?? { dataFolder };
  const { withPasswords } = data;
  try {
    const loading = { archive, now, keyOwner, repositories, withPasswords, nativeBinding, progress };
    const { database, passwords } = await loadDemo(loading);
    if (file !== undefined) await writeAtomically(file, database);
    return { database: file ?? database, repositories, keyOwner, passwords };
  } catch (error) {
    if (data.repositories === undefined) repositories.stop();
    throw error;
  }
}

/** Writes a file atomically: after a crash it is complete or missing. */
async function writeAtomically(file: string, bytes: Buffer): Promise<void> {
  const draft = `${file}.part`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
