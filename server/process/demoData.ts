import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { createRepositories, type Repositories } from '../git/repositories.ts';
import type { GitMetadata } from '../git/program.ts';
import type { Log } from '../log.ts';
import type { KeyOwner } from '../sealing.ts';
import { DEMO_ARCHIVE, type DemoArchive, type DemoPassword, loadDemo, type Progress, unpackDemo } from '../seeds/seeds.ts';
import { CURRENT_SCHEMA } from '../store/migrate.ts';

export interface NewData {
  /** Folder of the running program, which holds the prepared demo data where there was a build. */
  readonly root: string;
  readonly dataFolder: string | undefined;
  /** Name of the database file, which is not there yet; undefined for a database in memory. */
  readonly file: string | undefined;
  readonly now: number;
  readonly git: GitMetadata;
  readonly tellsPasswords: boolean;
  readonly nativeBinding: string | undefined;
  readonly log: Log;
  readonly progress: Progress;
}

/** A new database with demo data, and what the platform needs to go on with it. */
export interface NewDatabase {
  /** What `openStore` takes: the name of the file, or its bytes where nothing is kept on disk. */
  readonly database: string | Buffer;
  readonly repositories: Repositories;
  readonly keyOwner: KeyOwner;
  readonly passwords: readonly DemoPassword[];
}

/**
 * Makes the database of a new server from the prepared demo data. The file appears when it is complete. Undefined where nothing is
 * prepared that fits this program and its time; then the demo data has to be played.
 */
export async function loadDemoData(data: NewData): Promise<NewDatabase | undefined> {
  const { dataFolder, file, now, log, nativeBinding, progress } = data;
  const source = path.join(data.root, DEMO_ARCHIVE);
  if (!existsSync(source)) return undefined;
  let archive: DemoArchive;
  try {
    archive = await unpackDemo(readFileSync(source));
  } catch (error) {
    log.warn(`${source} cannot be read, so the demo data is played: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  if (archive.schema !== CURRENT_SCHEMA || archive.madeAt > now) {
    log.info('the prepared demo data is of another version or of a later day, so it is not used');
    return undefined;
  }
  const repositories = createRepositories(dataFolder, data.git);
  const keyOwner: KeyOwner = { dataFolder };
  const { tellsPasswords } = data;
  try {
    const loading = { archive, now, keyOwner, repositories, tellsPasswords, nativeBinding, progress };
    const { database, passwords } = await loadDemo(loading);
    if (file !== undefined) await writeWhole(file, database);
    return { database: file ?? database, repositories, keyOwner, passwords };
  } catch (error) {
    repositories.stop();
    throw error;
  }
}

/** Writes a file so that it is there as a whole or not at all, whenever the machine stops. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
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
