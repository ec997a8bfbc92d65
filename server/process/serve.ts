import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { createApp } from '../app.ts';
import { createClock } from '../clock.ts';
import { createHandlers, type Handlers } from '../http/handlers.ts';
import type { ServeCommand } from './command.ts';
import {
  defaultDataFolder,
  diskFull,
  notWritable,
  prepareDataFolder,
  readLocator,
  removeLocator,
  writeLocator,
} from './dataFolder.ts';
import { beginNewDatabase, damagedDatabase, endNewDatabase, openDatabase, refuseLostData, wasCutOff } from './database.ts';
import { Fatal } from './fatal.ts';
import { createLog, type Log } from '../log.ts';
import type { Platform } from '../platform.ts';
import { loadDemoData, type NewDatabase } from './demoData.ts';
import type { GitFacts } from '../git/program.ts';
import { createProgress } from './progress.ts';
import { takeKeys } from '../sealing.ts';
import { type DemoPassword, isUntouched, type Progress, secretLines, seedDemo } from '../seeds/seeds.ts';
import { hasModes, makeRepositoriesPrivate } from './privateFiles.ts';
import { plant, readSeedFile } from './seedFile.ts';
import { type Connections, followConnections } from './stopping.ts';
import { restoreSnapshot, setAside } from './snapshots.ts';
import { createPlatform, endPlatform } from '../createPlatform.ts';
import { lockFolder, openStore, type Store } from '../store/open.ts';
import { isDamage } from '../store/damage.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { ForeignDatabase, NewerSchema } from '../store/migrate.ts';
import { isUnclaimed } from '../identity/identity.ts';
import { VERSION } from '../version.ts';
import { mintSetUpLink } from '../web/signInLinks.ts';

/** What the process gives the server: nothing below reads process.* itself. */
export interface ProcessFacts {
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

/** Another server owns the folder. */
export interface Busy {
  readonly kind: 'busy';
  readonly origin: string;
  readonly instanceId: string;
}

export const DATABASE = 'signalbox.sqlite';
const LOCK = 'lock.sqlite';
/** Milliseconds that handlers have after the last connection was closed. */
const HANDLER_GRACE = 1_000;

/** Starts the server. `busy` when another one owns the data folder. Throws Fatal with words. */
export async function serve(command: ServeCommand, facts: ProcessFacts): Promise<Serving | Busy> {
  const log = createLog(command.logLevel, facts.write);
  const folder = command.memory ? undefined : path.resolve(command.dataDir ?? defaultDataFolder(facts.env, facts.platform));
  const progress = createProgress(command.stdinHandshake, facts.write, log);
  const owned = folder === undefined ? undefined : await ownFolder(folder, facts, log, progress);
  if (owned !== undefined && 'kind' in owned) return owned;
  const lock = owned;
  let store: Store | undefined;
  let platform: Platform | undefined;
  let connections: Connections | undefined;
  try {
    const file = folder === undefined ? ':memory:' : path.join(folder, DATABASE);
    if (folder !== undefined) await prepareDatabase(folder, file, command, facts, log, progress);
    const loaded = await loadedDemo(command, facts, folder, file, log, progress);
    const isNew = loaded === undefined && (folder === undefined || !existsSync(file));
    // A person at a terminal knows that a new database is made.
    const tellMigration = isNew && !command.stdinHandshake ? undefined : migrationTeller(isNew, progress);
    const mustCheck = folder !== undefined && wasCutOff(folder, file);
    store = worded(
      () =>
        folder === undefined || loaded !== undefined
          ? openStore(loaded?.database ?? file, facts.nativeBinding, tellMigration)
          : openDatabase({
              folder,
              file,
              nativeBinding: facts.nativeBinding,
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
      mediaDir: existsSync(path.join(facts.root, 'media'))
        ? path.join(facts.root, 'media')
        : path.join(facts.root, '..', 'media'),
      openApi: () => builtDescription(facts.root),
      adminToken: facts.adminToken,
      dataFolder: folder,
      nativeBinding: facts.nativeBinding,
      git: gitOf(facts),
      repositories: loaded?.repositories,
      shutdown: facts.end,
    });
    if (loaded !== undefined) takeKeys(platform, loaded.keyOwner);
    const handlers = createHandlers();
    const server = createApp(platform, { publicUrl: command.publicUrl, handlers });
    connections = followConnections(server);
    if (loaded !== undefined) tellPasswords(loaded.passwords, facts);
    else if (command.seed === 'demo') await seed(platform, command, facts, progress);
    else if (command.seed !== 'none') await seedFromFile(platform, command.seed.file, command, facts, progress);
    platform.schedule.runDue();
    const origin = await listen(server, command);
    if (folder !== undefined) {
      writeLocator(folder, { instanceId: platform.instanceId, origin, pid: facts.pid, version: VERSION });
    }
    afterFirstRequests(() => {
      if (folder !== undefined && hasModes(facts.platform)) void correctRepositories(folder, log);
      if (mustCheck && store !== undefined) void check(store, file, log);
    });
    if (!command.stdinHandshake && isUnclaimed(platform)) tellSetUpLink(platform, command.publicUrl ?? origin, facts);
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

/** A failure of the disk is no defect of the server, wherever in the start it shows. */
export function startFailure(error: unknown, folder: string | undefined): unknown {
  if (folder !== undefined && isDamage(error)) return damagedDatabase(folder, path.join(folder, DATABASE));
  const storage = storageFailureOf(error);
  if (error instanceof Fatal || storage === undefined || folder === undefined) return error;
  return storage === 'full' ? diskFull(folder) : notWritable(folder, error);
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
  { nativeBinding }: ProcessFacts,
  log: Log,
  progress: Progress,
): Promise<void> {
  const { reset, restore } = command;
  const { systemNow } = createClock();
  let kept: string | undefined;
  if (reset) {
    await progress('Keeping the data as a snapshot');
    beginNewDatabase(file);
    kept = worded(() => setAside(folder, file, nativeBinding, systemNow()), file);
  }
  if (restore !== undefined) {
    const copied = (done: number, total: number): Promise<void> => progress(`Restoring the snapshot ${restore}`, done, total);
    kept = await wordedLater(
      () => restoreSnapshot(folder, file, restore, nativeBinding, systemNow(), copied),
      `snapshot ${restore}`,
    );
    log.info(`the data is that of snapshot ${restore}`);
  }
  if (kept !== undefined) log.info(`what was there before is snapshot ${kept}`);
  refuseLostData(folder, file);
  if (!existsSync(file)) beginNewDatabase(file);
}

/** The demo data as the database of a server that has none yet; undefined where it has one, or nothing was prepared. */
function loadedDemo(
  command: ServeCommand,
  facts: ProcessFacts,
  dataFolder: string | undefined,
  file: string,
  log: Log,
  progress: Progress,
): Promise<NewDatabase | undefined> | undefined {
  if (command.seed !== 'demo' || (dataFolder !== undefined && existsSync(file))) return undefined;
  return loadDemoData({
    root: facts.root,
    dataFolder,
    file: dataFolder === undefined ? undefined : file,
    now: createClock().systemNow(),
    git: gitOf(facts),
    tellsPasswords: !command.stdinHandshake,
    nativeBinding: facts.nativeBinding,
    log,
    progress,
  });
}

function gitOf({ env }: ProcessFacts): GitFacts {
  return { program: 'git', env };
}

/** Plays the demo data where nobody has used the server yet. */
async function seed(platform: Platform, command: ServeCommand, facts: ProcessFacts, progress: Progress): Promise<void> {
  const people = await seedDemo(platform, { tellsPasswords: !command.stdinHandshake, progress });
  if (people !== undefined && !command.stdinHandshake) tellPasswords(people, facts);
}

/** The passwords of the demo data are random and shown once, unless a program started us that signs people in by links. */
function tellPasswords(people: readonly DemoPassword[], facts: ProcessFacts): void {
  if (people.length === 0) return;
  const width = Math.max(...people.map(({ username }) => username.length));
  const lines = people.map(({ username, password }) => `  ${username.padEnd(width)}  ${password}`);
  facts.write(`The demo data has these people; the passwords are shown this once:\n${lines.join('\n')}\n`);
}

/**
 * The link that leads to the page for the first password. A program that starts the server keeps what is written, and makes links of its
 * own with the admin token.
 */
function tellSetUpLink(platform: Platform, base: string, facts: ProcessFacts): void {
  const link = `${base.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}${mintSetUpLink(platform)}`;
  facts.write(`Nobody has a password yet. This link sets the one of root; it works once, for an hour:\n  ${link}\n`);
}

/** What a file holds, where nobody has used the server yet; secrets that were made are shown once, as above. */
async function seedFromFile(
  platform: Platform,
  file: string,
  command: ServeCommand,
  facts: ProcessFacts,
  progress: Progress,
): Promise<void> {
  if (!isUntouched(platform)) {
    platform.log.info(`the seed file ${file} is not read: the data is not new`);
    return;
  }
  const planted = await plant(platform, file, readSeedFile(file, facts.write), facts.write, progress);
  const lines = secretLines(planted);
  if (lines.length === 0 || command.stdinHandshake) return;
  facts.write(`The seed file has made these secrets; they are shown this once:\n${lines.map((line) => `  ${line}\n`).join('')}`);
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

function listen(server: Server, command: ServeCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') void portTaken(command).then(reject, reject);
      else
        reject(
          error.code === 'EACCES'
            ? new Fatal(
                'port_taken',
                `Port ${command.port} of ${command.host} is not allowed to this program.`,
                'Choose another --port, or 0 for a free one.',
              )
            : new Fatal(
                'address_unavailable',
                `${command.host} cannot be listened on (${error.code ?? error.message}).`,
                'Choose another --host.',
              ),
        );
    });
    server.listen(command.port, command.host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no address after listening'));
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${host}:${address.port}`);
    });
  });
}

/** Who has the port: another server of ours, which serves other data, or a stranger. */
async function portTaken({ host, port }: ServeCommand): Promise<Fatal> {
  const health = await healthOf(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return typeof health === 'object'
    ? new Fatal(
        'port_of_signalbox',
        `Port ${port} of ${host} belongs to another Signalbox server, which serves other data.`,
        'Stop that server, or choose another --port, or 0 for a free one.',
      )
    : new Fatal(
        'port_taken',
        `Port ${port} of ${host} is taken by another program.`,
        'End that program, or choose another --port, or 0 for a free one.',
      );
}

/** Milliseconds that a holder of the folder has until it tells its address; it may be writing demo data first, on a busy machine. */
const HOLDER_LIMIT = 60_000;
/** Questions of one second each that a server which says nothing is asked. */
const MOST_SILENCES = 3;

/**
 * The lock of a folder, or the address of the server that holds it. A holder tells its address within moments of taking the lock, and
 * may also be gone in the next one, so both are asked for a while.
 */
export async function ownFolder(
  folder: string,
  { nativeBinding, platform }: Pick<ProcessFacts, 'nativeBinding' | 'platform'>,
  log: Log,
  progress: Progress,
): Promise<{ release(): void } | Busy> {
  prepareDataFolder(folder, platform, log);
  const file = path.join(folder, LOCK);
  const deadline = performance.now() + HOLDER_LIMIT;
  let silences = 0;
  for (let attempt = 0; performance.now() < deadline && silences < MOST_SILENCES; attempt += 1) {
    const lock = worded(() => lockFolder(file, nativeBinding), file);
    if (lock !== undefined) return lock;
    const locator = readLocator(folder);
    const health = locator === undefined ? 'absent' : await healthOf(locator.origin);
    if (locator !== undefined && typeof health === 'object' && health.instanceId === locator.instanceId)
      return { kind: 'busy', origin: locator.origin, instanceId: locator.instanceId };
    if (health === 'silent') silences += 1;
    if (attempt % 40 === 20) await progress('Waiting for the server that holds the data folder');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Fatal(
    'folder_held',
    `Another process holds the data folder ${folder}, but no server answers for it.`,
    'End that process, or choose another folder with --data.',
  );
}

/** Which server of ours answers at an origin; `silent` when something is there that says nothing within a second. */
async function healthOf(origin: string): Promise<{ readonly instanceId: string } | 'silent' | 'absent'> {
  try {
    const response = await fetch(`${origin}/_local/health`, { signal: AbortSignal.timeout(1000), redirect: 'manual' });
    const health: unknown = await response.json();
    const isOurs = typeof health === 'object' && health !== null && 'instance_id' in health;
    return isOurs && typeof health.instance_id === 'string' ? { instanceId: health.instance_id } : 'absent';
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'absent';
  }
}

async function wordedLater<T>(open: () => Promise<T>, file: string): Promise<T> {
  try {
    return await open();
  } catch (error) {
    return worded(() => {
      throw error;
    }, file);
  }
}

/** Turns the failures of opening a database into words. */
export function worded<T>(open: () => T, file: string): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof NewerSchema) {
      throw new Fatal('database_newer', error.message, `Use the newer Signalbox that wrote ${file}, or another data folder.`);
    }
    if (error instanceof ForeignDatabase)
      throw new Fatal('database_foreign', error.message, `Choose another data folder than the one of ${file}.`);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (isDamage(error)) {
      throw path.isAbsolute(file)
        ? damagedDatabase(path.dirname(file), file)
        : new Fatal(
            'database_damaged',
            `The ${file} is damaged and cannot be read.`,
            'Choose another snapshot. Nothing was changed.',
          );
    }
    if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
      throw new Fatal(
        'binary_unloadable',
        `The database binary could not be loaded: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`,
        'Install the package made for this platform. On Linux it needs glibc 2.34 or musl.',
      );
    }
    const storage = storageFailureOf(error);
    if (storage === 'full') throw diskFull(path.dirname(file));
    if (storage === 'unwritable') {
      throw new Fatal(
        'data_not_writable',
        `${file} cannot be opened (${code}).`,
        'Choose another folder with --data, or correct its rights.',
      );
    }
    throw error;
  }
}
