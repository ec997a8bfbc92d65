import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createClock } from '../core/clock.ts';
import { createHandlers, type Handlers } from '../http/handlers.ts';
import type { ServeCommand } from './command.ts';
import { DATABASE, defaultDataFolder, removeLocator, writeLocator } from './dataFolder.ts';
import { beginNewDatabase, endNewDatabase, openDatabase, refuseLostData, wasCutOff } from './database.ts';
import { Fatal } from '../core/fatal.ts';
import { type Busy, ownFolder } from './folderLock.ts';
import { listen } from './listen.ts';
import { createLog, type Log } from '../core/log.ts';
import type { Platform } from '../platform.ts';
import { loadDemoData, type NewData, type NewDatabase } from './demoData.ts';
import type { GitMetadata } from '../repositories/program.ts';
import { createProgress } from './progress.ts';
import { takeKeys } from '../core/sealing.ts';
import type { Core } from '../core/core.ts';
import type { SeedCore } from '../seeds/seedCore.ts';
import { type DemoPassword, isUntouched, type Progress, secretLines, seedDemo } from '../seeds/seeds.ts';
import { hasModes, makeRepositoriesPrivate } from './privateFiles.ts';
import { apply, readSeedFile } from './seedFile.ts';
import { type Connections, followConnections } from './stopping.ts';
import { claimStorages, prepareStorages } from './storages.ts';
import { createReplaceableServer, type ReplaceableServer } from '../replaceableServer.ts';
import { type AttachableReplacement, createReplacement, type ReplacementSettings } from './replacement.ts';
import { createMemorySnapshots } from '../snapshots/memorySnapshots.ts';
import { finishReplacement, removeDraft, restoreSnapshot, setAside } from '../snapshots/snapshots.ts';
import { startFailure, worded, wordedLater } from './startFailures.ts';
import { createPlatform, endPlatform, type PlatformOptions } from '../createPlatform.ts';
import { openStore, type Store } from '../store/open.ts';
import { isUnclaimed } from '../features/users/users.ts';
import { mintSetUpLink } from '../features/signIn/signIn.ts';
import { VERSION } from '../core/version.ts';
import { OPEN_API_FILE, unpackOpenApi } from '../openApi/file.ts';

/** Details and functions of the process that the server uses. */
export interface ProcessMetadata {
  /** Folder of the running program. A bundle has `media` and `native` there. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly pid: number;
  readonly nativeBinding: string | undefined;
  readonly adminToken: string | undefined;
  /** Registration token of the instance for runners. */
  readonly runnerRegistrationToken?: string | undefined;
  /** Password for the SMTP server of the options, if the parent process has sent it. */
  readonly smtpPassword?: string | undefined;
  write(text: string): void;
  /** Shuts the process down cleanly. */
  end(reason: string): void;
}

export interface Serving {
  readonly kind: 'listening';
  readonly origin: string;
  readonly instanceId: string;
  readonly version: string;
  /** Responds to pending requests, writes outstanding data, and releases the data folder. */
  stop(reason: string): Promise<void>;
}

/** Time for handlers to finish after the last connection was closed, in milliseconds. */
const HANDLER_GRACE = 1_000;

/** Starts the server. Returns `busy` if another one uses the data folder. Throws Fatal. */
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
    const storages = prepareStorages(command.storages, folder, log);
    const hasData = folder !== undefined && existsSync(file);
    const loaded = hasData ? undefined : await loadedDemo(command, metadata, { folder, file, storages, log, progress });
    const isNew = loaded === undefined && (folder === undefined || !existsSync(file));
    // In a terminal the creation of a new database is not worth a message.
    const onMigration = isNew && !command.stdinHandshake ? undefined : migrationProgress(isNew, progress);
    const mustCheck = folder !== undefined && wasCutOff(folder, file);
    store = worded(
      () =>
        folder === undefined || loaded !== undefined
          ? openStore(loaded?.database ?? file, metadata.nativeBinding, onMigration)
          : openDatabase({
              folder,
              file,
              nativeBinding: metadata.nativeBinding,
              now: createClock().systemNow(),
              log,
              onMigration,
            }),
      file,
    );
    if (folder !== undefined) endNewDatabase(file);
    const handlers = createHandlers();
    let origin = '';
    const { platformOn, replacement } = replaceableParts(command, metadata, { folder, file, storages, log }, () => origin);
    platform = platformOn(store, { repositories: loaded?.repositories });
    claimStorages(platform, storages);
    if (loaded !== undefined) takeKeys(platform, loaded.keyOwner);
    const replaceable = createReplaceableServer(platform, { publicUrl: command.publicUrl, handlers, log });
    const { server } = replaceable;
    connections = followConnections(server);
    if (loaded !== undefined) printPasswords(loaded.passwords, metadata);
    else await applyFirstSeed(platform, command, metadata, progress);
    platform.schedule.runDue();
    origin = await listen(server, command);
    replacement.attach(replaceable);
    if (folder !== undefined) publish(folder, platform, origin, metadata);
    afterFirstRequests(() => {
      if (folder !== undefined && hasModes(metadata.platform)) void correctRepositories(folder, log);
      if (mustCheck) void check(replaceable.platform.store, file, log);
    });
    if (!command.stdinHandshake && isUnclaimed(platform)) printSetUpLink(platform, command.publicUrl ?? origin, metadata);
    log.info(`listening on ${origin}${folder === undefined ? ', data in memory only' : `, data in ${folder}`}`);
    return {
      kind: 'listening',
      origin,
      instanceId: platform.instanceId,
      version: VERSION,
      stop: stopper(replaceable, connections, handlers, folder, lock),
    };
  } catch (error) {
    // The server may already listen, and a listening server keeps the process alive.
    connections?.abort();
    runAll(log, [
      () => {
        if (platform === undefined) store?.close();
        else endPlatform(platform);
      },
      () => lock?.release(),
    ]);
    throw startFailure(error, folder);
  }
}

/** Returns how platforms of the process are created on a database, and how one replaces another. */
function replaceableParts(
  command: ServeCommand,
  metadata: ProcessMetadata,
  place: Pick<ReplacementSettings, 'folder' | 'file' | 'storages' | 'log'>,
  origin: () => string,
): { readonly platformOn: ReplacementSettings['platformOn']; readonly replacement: AttachableReplacement } {
  const { folder, storages, log } = place;
  const memory = createMemorySnapshots();
  const fixed = fixedOptions(command, metadata, place);
  const platformOn: ReplacementSettings['platformOn'] = (store, parts) =>
    createPlatform({ ...fixed, ...(folder === undefined ? { snapshotsOf: memory.of } : {}), replacement, store, ...parts });
  const progress = createProgress(false, metadata.write, log);
  const replacement = createReplacement({
    ...place,
    memory,
    nativeBinding: metadata.nativeBinding,
    platformOn,
    loadDemo: (parts) => loadedDemo(command, metadata, { folder, file: undefined, storages, log, progress, ...parts }),
    seed: (platform) => applyFirstSeed(platform, command, metadata, progress),
    onReplaced: (platform, trigger, loaded) => {
      if (folder !== undefined) publish(folder, platform, origin(), metadata);
      if (loaded !== undefined) printPasswords(loaded.passwords, metadata);
      if (trigger === 'reset' && !command.stdinHandshake && isUnclaimed(platform))
        printSetUpLink(platform, command.publicUrl ?? origin(), metadata);
    },
  });
  return { platformOn, replacement };
}

/** Returns the options that every platform of the process has. */
function fixedOptions(
  command: ServeCommand,
  metadata: ProcessMetadata,
  { folder, storages, log }: Pick<ReplacementSettings, 'folder' | 'storages' | 'log'>,
): Omit<PlatformOptions, 'store'> {
  return {
    profile: { release: command.release, tier: command.tier, offering: command.offering, dialect: command.dialect },
    dependencyProxyUpstream: command.dependencyProxyUpstream,
    packLimits: command.packLimits,
    allowPlainPkce: command.allowPlainPkce,
    log,
    version: VERSION,
    mediaDir: existsSync(path.join(metadata.root, 'media'))
      ? path.join(metadata.root, 'media')
      : path.join(metadata.root, '..', 'media'),
    openApi: () => builtDescription(metadata.root),
    adminToken: metadata.adminToken,
    runnerRegistrationToken: metadata.runnerRegistrationToken,
    smtp: command.smtp === undefined ? undefined : { ...command.smtp, password: smtpPassword(command, metadata) },
    dataFolder: folder,
    storages,
    nativeBinding: metadata.nativeBinding,
    git: gitOf(metadata),
    shutdown: metadata.end,
  };
}

/** Writes the address of the server for other processes. */
function publish(folder: string, { instanceId }: Platform, origin: string, { pid }: ProcessMetadata): void {
  writeLocator(folder, { instanceId, origin, pid, version: VERSION });
}

/** Returns the password for the SMTP server. Throws Fatal if its file cannot be read. */
function smtpPassword({ smtpPasswordFile: file }: ServeCommand, metadata: ProcessMetadata): string | undefined {
  if (file === undefined) return metadata.smtpPassword;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fatal('usage', `The file of --smtp-password-file cannot be read: ${reason}`, 'Check its path and permissions.', 2);
  }
}

/** Delay of work that would slow down the first requests, in milliseconds. */
const FIRST_REQUESTS = 2_000;

function afterFirstRequests(work: () => void): void {
  setTimeout(work, FIRST_REQUESTS).unref();
}

/**
 * Corrects the modes of repositories that an earlier version created. The server responds to requests meanwhile, because there may be many
 * files.
 */
async function correctRepositories(folder: string, log: Log): Promise<void> {
  try {
    const changed = await makeRepositoriesPrivate(path.join(folder, 'repositories'));
    if (changed > 0) log.info(`removed the permissions of other users on ${changed} files and folders of repositories`);
  } catch (error) {
    log.error('the permissions of the repositories could not be corrected', error);
  }
}

/** Checks the database after an unclean shutdown. A separate thread does that, because it reads the whole database. */
async function check(store: Store, file: string, log: Log): Promise<void> {
  try {
    await store.check();
    const damage = store.damage();
    if (damage === undefined)
      return log.info('the last server was not shut down cleanly; the database was checked and is intact');
    log.error(
      `${file} is damaged (${damage}). Stop the server, then start it with --restore and the name of a snapshot, or with --reset. The current data is kept as a snapshot`,
    );
  } catch (error) {
    log.warn(`the database could not be checked: ${String(error)}`);
  }
}

/** Runs every step, even if one fails: if the disk is full or gone, the others still release what they can. */
function runAll(log: Log, steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      log.error('a part of the server failed to shut down', error);
    }
  }
}

/**
 * Returns the progress callback of migrations. They run in one turn of the event loop, and writing to a pipe or terminal does not wait for
 * the next one.
 */
function migrationProgress(isNew: boolean, progress: Progress): (done: number, total: number) => void {
  const message = isNew ? 'Creating the database' : 'Migrating the database';
  return (done, total) => {
    if (!isNew || done % MIGRATIONS_PER_REPORT === 0) void progress(message, done, total);
  };
}

/** Number of migrations per report for a new database, where each is short. */
const MIGRATIONS_PER_REPORT = 20;

/** Returns the OpenAPI document of the build, or undefined in a source tree. */
function builtDescription(root: string): unknown {
  const file = path.join(root, OPEN_API_FILE);
  return existsSync(file) ? unpackOpenApi(readFileSync(file)) : undefined;
}

/**
 * Carries out `--reset` or `--restore`, and refuses to start if data was lost. The caller holds the lock of the folder, and the database is
 * not open.
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
  finishReplacement(file);
  removeDraft(file);
  const { systemNow } = createClock();
  let stored: string | undefined;
  if (reset) {
    await progress('Saving the current data as a snapshot');
    beginNewDatabase(file);
    stored = worded(() => setAside(folder, file, nativeBinding, systemNow()), file);
  }
  if (restore !== undefined) {
    const copied = (done: number, total: number): Promise<void> => progress(`Restoring snapshot ${restore}`, done, total);
    stored = await wordedLater(
      () => restoreSnapshot(folder, file, restore, nativeBinding, systemNow(), copied),
      `snapshot ${restore}`,
    );
    log.info(`restored snapshot ${restore}`);
  }
  if (stored !== undefined) log.info(`the previous data was saved as snapshot ${stored}`);
  refuseLostData(folder, file);
  if (!existsSync(file)) beginNewDatabase(file);
}

interface DemoPlace extends Pick<NewData, 'file' | 'log' | 'progress' | 'repositories' | 'keyOwner'> {
  readonly folder: string | undefined;
  readonly storages: ReadonlyMap<string, string>;
}

/** Loads the prepared demo data as the database of a new server. Returns undefined if it starts with other data, or if no data was prepared. */
async function loadedDemo(
  { seed, stdinHandshake }: ServeCommand,
  metadata: ProcessMetadata,
  { folder, file, ...place }: DemoPlace,
): Promise<NewDatabase | undefined> {
  if (seed !== 'demo') return undefined;
  return loadDemoData({
    ...place,
    root: metadata.root,
    dataFolder: folder,
    file: folder === undefined ? undefined : file,
    now: createClock().systemNow(),
    git: gitOf(metadata),
    withPasswords: !stdinHandshake,
    nativeBinding: metadata.nativeBinding,
  });
}

function gitOf({ env }: ProcessMetadata): GitMetadata {
  return { program: 'git', env };
}

/** Writes the data of the command line if nobody has used the server yet. */
async function applyFirstSeed(
  core: SeedCore,
  command: ServeCommand,
  metadata: ProcessMetadata,
  progress: Progress,
): Promise<void> {
  if (command.seed === 'demo') await seed(core, command, metadata, progress);
  else if (command.seed !== 'none') await seedFromFile(core, command.seed.file, command, metadata, progress);
}

/** Generates the demo data if nobody has used the server yet. */
async function seed(core: SeedCore, command: ServeCommand, metadata: ProcessMetadata, progress: Progress): Promise<void> {
  const people = await seedDemo(core, { withPasswords: !command.stdinHandshake, progress });
  if (people !== undefined && !command.stdinHandshake) printPasswords(people, metadata);
}

/** Prints the random passwords of the demo data once. A parent process does not get them, because it signs users in with links. */
function printPasswords(people: readonly DemoPassword[], metadata: ProcessMetadata): void {
  if (people.length === 0) return;
  const width = Math.max(...people.map(({ username }) => username.length));
  const lines = people.map(({ username, password }) => `  ${username.padEnd(width)}  ${password}`);
  metadata.write(`Demo users and their passwords, which are shown only once:\n${lines.join('\n')}\n`);
}

/**
 * Prints the one-time link to the page for the first password. It is not printed for a parent process, which stores the output and creates
 * links itself with the admin token.
 */
function printSetUpLink(core: Core, base: string, metadata: ProcessMetadata): void {
  const link = `${base.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}${mintSetUpLink(core)}`;
  metadata.write(
    `No user has a password yet. Set the password of root with this one-time link, which is valid for one hour:\n  ${link}\n`,
  );
}

/** Applies a seed file if nobody has used the server yet, and prints the generated secrets once. */
async function seedFromFile(
  core: SeedCore,
  file: string,
  command: ServeCommand,
  metadata: ProcessMetadata,
  progress: Progress,
): Promise<void> {
  if (!isUntouched(core)) {
    core.log.info(`the seed file ${file} is skipped: the server already has data`);
    return;
  }
  const applied = await apply(core, file, readSeedFile(file, metadata.write), metadata.write, progress);
  const lines = secretLines(applied);
  if (lines.length === 0 || command.stdinHandshake) return;
  metadata.write(
    `Secrets generated for the seed file, which are shown only once:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
}

function stopper(
  server: ReplaceableServer,
  connections: Connections,
  handlers: Handlers,
  folder: string | undefined,
  lock: { release(): void } | undefined,
) {
  let stopping: Promise<void> | undefined;
  return (reason: string): Promise<void> => {
    stopping ??= (async () => {
      await server.settled();
      const { platform } = server;
      platform.log.info(`stopping: ${reason}`);
      platform.schedule.stop();
      platform.live.end();
      await connections.drain(platform.log);
      // A handler continues after its client disconnects, and needs the database until it ends.
      await handlers.idle(HANDLER_GRACE);
      runAll(platform.log, [
        () => endPlatform(platform),
        // A missing locator shows a clean shutdown, so that the next start need not check for damage.
        () => folder !== undefined && platform.store.damage() === undefined && removeLocator(folder),
        () => lock?.release(),
      ]);
    })();
    return stopping;
  };
}
