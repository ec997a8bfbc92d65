import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createApp } from '../app.ts';
import { createClock } from '../clock.ts';
import { createHandlers, type Handlers } from '../http/handlers.ts';
import type { ServeCommand } from './command.ts';
import { DATABASE, defaultDataFolder, removeLocator, writeLocator } from './dataFolder.ts';
import { beginNewDatabase, endNewDatabase, openDatabase, refuseLostData, wasCutOff } from './database.ts';
import { type Busy, ownFolder } from './folderLock.ts';
import { listen } from './listen.ts';
import { createLog, type Log } from '../log.ts';
import type { Platform } from '../platform.ts';
import { loadDemoData, type NewDatabase } from './demoData.ts';
import type { GitMetadata } from '../git/program.ts';
import { createProgress } from './progress.ts';
import { takeKeys } from '../sealing.ts';
import { type DemoPassword, isUntouched, type Progress, secretLines, seedDemo } from '../seeds/seeds.ts';
import { hasModes, makeRepositoriesPrivate } from './privateFiles.ts';
import { apply, readSeedFile } from './seedFile.ts';
import { type Connections, followConnections } from './stopping.ts';
import { restoreSnapshot, setAside } from './snapshots.ts';
import { startFailure, worded, wordedLater } from './startFailures.ts';
import { createPlatform, endPlatform } from '../createPlatform.ts';
import { openStore, type Store } from '../store/open.ts';
import { isUnclaimed } from '../identity/identity.ts';
import { VERSION } from '../version.ts';
import { mintSetUpLink } from '../web/signInLinks.ts';

/** What the server needs of its process. Only its id is read elsewhere, too. */
export interface ProcessMetadata {
  /** Folder of the running program; holds `media` and `native` in a bundle. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly pid: number;
  readonly nativeBinding: string | undefined;
  readonly adminToken: string | undefined;
  write(text: string): void;
  /** Ends the process in an orderly way. */
  end(reason: string): void;
}

export interface Serving {
  readonly kind: 'listening';
  readonly origin: string;
  readonly instanceId: string;
  readonly version: string;
  /** Answers what is under way, writes what is left, and lets go of the folder. */
  stop(reason: string): Promise<void>;
}

/** Milliseconds that handlers have after the last connection was closed. */
const HANDLER_GRACE = 1_000;

/** Starts the server. `busy` when another one owns the data folder. Throws Fatal with words. */
export async function serve(command: ServeCommand, metadata: ProcessMetadata): Promise<Serving | Busy> {
  const log = createLog(command.logLevel, metadata.write);
  const folder = command.memory ? undefined : path.resolve(command.dataDir ?? defaultDataFolder(metadata.env, metadata.platform));
  const progress = createProgress(command.stdinHandshake, metadata.write, log);
  const owned = folder === undefined ? undefined : await ownFolder(folder, metadata, log, progress);
  if (owned !== undefined && 'kind' in owned) return owned;
  const lock = owned;
  let store: Store | undefined;
  let platform: Platform | undefined;
  let connections: Connections | undefined;
  try {
    const file = folder === undefined ? ':memory:' : path.join(folder, DATABASE);
    if (folder !== undefined) await prepareDatabase(folder, file, command, metadata, log, progress);
    const loaded = await loadedDemo(command, metadata, folder, file, log, progress);
    const isNew = loaded === undefined && (folder === undefined || !existsSync(file));
    // A person at a terminal knows that a new database is made.
    const tellMigration = isNew && !command.stdinHandshake ? undefined : migrationTeller(isNew, progress);
    const mustCheck = folder !== undefined && wasCutOff(folder, file);
    store = worded(
      () =>
        folder === undefined || loaded !== undefined
          ? openStore(loaded?.database ?? file, metadata.nativeBinding, tellMigration)
          : openDatabase({
              folder,
              file,
              nativeBinding: metadata.nativeBinding,
              now: createClock().systemNow(),
              log,
              tellMigration,
            }),
      file,
    );
    if (folder !== undefined) endNewDatabase(file);
    platform = createPlatform({
      store,
      profile: { release: command.release, tier: command.tier, offering: command.offering, dialect: command.dialect },
      allowPlainPkce: command.allowPlainPkce,
      log,
      version: VERSION,
      mediaDir: existsSync(path.join(metadata.root, 'media'))
        ? path.join(metadata.root, 'media')
        : path.join(metadata.root, '..', 'media'),
      openApi: () => builtDescription(metadata.root),
      adminToken: metadata.adminToken,
      dataFolder: folder,
      nativeBinding: metadata.nativeBinding,
      git: gitOf(metadata),
      repositories: loaded?.repositories,
      shutdown: metadata.end,
    });
    if (loaded !== undefined) takeKeys(platform, loaded.keyOwner);
    const handlers = createHandlers();
    const server = createApp(platform, { publicUrl: command.publicUrl, handlers });
    connections = followConnections(server);
    if (loaded !== undefined) tellPasswords(loaded.passwords, metadata);
    else if (command.seed === 'demo') await seed(platform, command, metadata, progress);
    else if (command.seed !== 'none') await seedFromFile(platform, command.seed.file, command, metadata, progress);
    platform.schedule.runDue();
    const origin = await listen(server, command);
    if (folder !== undefined) {
      writeLocator(folder, { instanceId: platform.instanceId, origin, pid: metadata.pid, version: VERSION });
    }
    afterFirstRequests(() => {
      if (folder !== undefined && hasModes(metadata.platform)) void correctRepositories(folder, log);
      if (mustCheck && store !== undefined) void check(store, file, log);
    });
    if (!command.stdinHandshake && isUnclaimed(platform)) tellSetUpLink(platform, command.publicUrl ?? origin, metadata);
    log.info(`listening on ${origin}${folder === undefined ? ', data in memory only' : `, data in ${folder}`}`);
    return {
      kind: 'listening',
      origin,
      instanceId: platform.instanceId,
      version: VERSION,
      stop: stopper(platform, connections, handlers, folder, lock),
    };
  } catch (error) {
    // The server may listen already, and a listening server keeps the process alive.
    connections?.abort();
    inOrder(log, [
      () => {
        if (platform === undefined) store?.close();
        else endPlatform(platform);
      },
      () => lock?.release(),
    ]);
    throw startFailure(error, folder);
  }
}

/** Milliseconds for the first requests, before work that slows them down. */
const FIRST_REQUESTS = 2_000;

function afterFirstRequests(work: () => void): void {
  setTimeout(work, FIRST_REQUESTS).unref();
}

/** Corrects the modes of repositories that an earlier version made. Requests are answered meanwhile, because there may be many files. */
async function correctRepositories(folder: string, log: Log): Promise<void> {
  try {
    const changed = await makeRepositoriesPrivate(path.join(folder, 'repositories'));
    if (changed > 0) log.info(`took the rights of others away from ${changed} files and folders of repositories`);
  } catch (error) {
    log.error('the rights of the repositories could not be corrected', error);
  }
}

/** Looks for damage after a process that did not end in order. A thread of its own does it, because it reads the whole database. */
async function check(store: Store, file: string, log: Log): Promise<void> {
  try {
    await store.check();
    const damage = store.damage();
    if (damage === undefined) return log.info('the last server did not end in order; the database was checked and is whole');
    log.error(
      `${file} is damaged (${damage}). Stop the server and start it with --restore and the name of a snapshot, or with --reset; what is there is kept`,
    );
  } catch (error) {
    log.warn(`the database could not be checked: ${String(error)}`);
  }
}

/** Runs every step, also behind one that fails: where the disk is full or gone, the others still free what they can. */
function inOrder(log: Log, steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      log.error('a part of the server did not end in order', error);
    }
  }
}

/** For migrations, which run in one turn of the event loop: writing to a pipe or terminal does not wait for the next one. */
function migrationTeller(isNew: boolean, progress: Progress): (done: number, total: number) => void {
  const message = isNew ? 'Creating the database' : 'Bringing the database up to date';
  return (done, total) => {
    if (!isNew || done % MIGRATIONS_AT_ONCE === 0) void progress(message, done, total);
  };
}

/** Those of a new database are short. */
const MIGRATIONS_AT_ONCE = 20;

/** Beside the built server; the sources have none. */
function builtDescription(root: string): unknown {
  const file = path.join(root, 'openapi.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/**
 * Does what `--reset` or `--restore` asks for, and refuses to start where data was lost. The folder is ours by now and nothing has the
 * database open.
 */
async function prepareDatabase(
  folder: string,
  file: string,
  command: ServeCommand,
  { nativeBinding }: ProcessMetadata,
  log: Log,
  progress: Progress,
): Promise<void> {
  const { reset, restore } = command;
  const { systemNow } = createClock();
  let stored: string | undefined;
  if (reset) {
    await progress('Keeping the data as a snapshot');
    beginNewDatabase(file);
    stored = worded(() => setAside(folder, file, nativeBinding, systemNow()), file);
  }
  if (restore !== undefined) {
    const copied = (done: number, total: number): Promise<void> => progress(`Restoring the snapshot ${restore}`, done, total);
    stored = await wordedLater(
      () => restoreSnapshot(folder, file, restore, nativeBinding, systemNow(), copied),
      `snapshot ${restore}`,
    );
    log.info(`the data is that of snapshot ${restore}`);
  }
  if (stored !== undefined) log.info(`what was there before is snapshot ${stored}`);
  refuseLostData(folder, file);
  if (!existsSync(file)) beginNewDatabase(file);
}

/** The demo data as the database of a server that has none yet; undefined where it has one, or nothing was prepared. */
function loadedDemo(
  command: ServeCommand,
  metadata: ProcessMetadata,
  dataFolder: string | undefined,
  file: string,
  log: Log,
  progress: Progress,
): Promise<NewDatabase | undefined> | undefined {
  if (command.seed !== 'demo' || (dataFolder !== undefined && existsSync(file))) return undefined;
  return loadDemoData({
    root: metadata.root,
    dataFolder,
    file: dataFolder === undefined ? undefined : file,
    now: createClock().systemNow(),
    git: gitOf(metadata),
    tellsPasswords: !command.stdinHandshake,
    nativeBinding: metadata.nativeBinding,
    log,
    progress,
  });
}

function gitOf({ env }: ProcessMetadata): GitMetadata {
  return { program: 'git', env };
}

/** Plays the demo data where nobody has used the server yet. */
async function seed(platform: Platform, command: ServeCommand, metadata: ProcessMetadata, progress: Progress): Promise<void> {
  const people = await seedDemo(platform, { tellsPasswords: !command.stdinHandshake, progress });
  if (people !== undefined && !command.stdinHandshake) tellPasswords(people, metadata);
}

/** The passwords of the demo data are random and shown once, unless a program started us that signs people in by links. */
function tellPasswords(people: readonly DemoPassword[], metadata: ProcessMetadata): void {
  if (people.length === 0) return;
  const width = Math.max(...people.map(({ username }) => username.length));
  const lines = people.map(({ username, password }) => `  ${username.padEnd(width)}  ${password}`);
  metadata.write(`The demo data has these people; the passwords are shown this once:\n${lines.join('\n')}\n`);
}

/**
 * The link that leads to the page for the first password. A program that starts the server keeps what is written, and makes links of its
 * own with the admin token.
 */
function tellSetUpLink(platform: Platform, base: string, metadata: ProcessMetadata): void {
  const link = `${base.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}${mintSetUpLink(platform)}`;
  metadata.write(`Nobody has a password yet. This link sets the one of root; it works once, for an hour:\n  ${link}\n`);
}

/** What a file holds, where nobody has used the server yet; secrets that were made are shown once, as above. */
async function seedFromFile(
  platform: Platform,
  file: string,
  command: ServeCommand,
  metadata: ProcessMetadata,
  progress: Progress,
): Promise<void> {
  if (!isUntouched(platform)) {
    platform.log.info(`the seed file ${file} is not read: the data is not new`);
    return;
  }
  const applied = await apply(platform, file, readSeedFile(file, metadata.write), metadata.write, progress);
  const lines = secretLines(applied);
  if (lines.length === 0 || command.stdinHandshake) return;
  metadata.write(
    `The seed file has made these secrets; they are shown this once:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
}

function stopper(
  platform: Platform,
  connections: Connections,
  handlers: Handlers,
  folder: string | undefined,
  lock: { release(): void } | undefined,
) {
  let stopping: Promise<void> | undefined;
  return (reason: string): Promise<void> => {
    stopping ??= (async () => {
      platform.log.info(`stopping: ${reason}`);
      platform.schedule.stop();
      platform.live.end();
      await connections.drain(platform.log);
      // A handler goes on when its client has gone, and needs the database until it ends.
      await handlers.idle(HANDLER_GRACE);
      inOrder(platform.log, [
        () => endPlatform(platform),
        // Its absence says that the end was in order, so that the next start need not look for damage.
        () => folder !== undefined && platform.store.damage() === undefined && removeLocator(folder),
        () => lock?.release(),
      ]);
    })();
    return stopping;
  };
}
