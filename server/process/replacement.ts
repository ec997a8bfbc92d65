import { writeFileSync } from 'node:fs';
import { createHandler } from '../app.ts';
import { createClock } from '../core/clock.ts';
import { conflict } from '../core/errors.ts';
import { Fatal } from '../core/fatal.ts';
import type { Log } from '../core/log.ts';
import { takeKeys } from '../core/sealing.ts';
import { endPlatform, type PlatformOptions } from '../createPlatform.ts';
import type { Platform, Replaced, Replacement } from '../platform.ts';
import type { ReplaceableServer } from '../replaceableServer.ts';
import type { Repositories } from '../repositories/repositories.ts';
import type { MemorySnapshots } from '../snapshots/memorySnapshots.ts';
import { draftOf, prepareSnapshot, removeDraft, replaceDatabase, type Trigger } from '../snapshots/snapshots.ts';
import { openStore, settleDatabase, type Store } from '../store/open.ts';
import { openDatabase } from './database.ts';
import type { NewDatabase } from './demoData.ts';
import { wordedLater } from './startFailures.ts';
import { claimStorages, refuseMissingStorage } from './storages.ts';

export interface ReplacementSettings {
  /** Undefined for a server whose data is in memory. */
  readonly folder: string | undefined;
  /** Path of the database. Ignored without a folder. */
  readonly file: string;
  readonly memory: MemorySnapshots;
  readonly storages: ReadonlyMap<string, string>;
  readonly nativeBinding: string | undefined;
  readonly log: Log;
  /** Creates a platform on an open database. */
  readonly platformOn: (store: Store, parts: Partial<PlatformOptions>) => Platform;
  /** Loads the prepared demo data, if the server starts with it and some fits. */
  readonly loadDemo: (parts: Pick<NewDatabase, 'repositories' | 'keyOwner'>) => Promise<NewDatabase | undefined>;
  /** Writes the data of the first start into an empty platform. */
  readonly seed: (platform: Platform) => Promise<void>;
  /** Called with the new platform. `passwords` are those of loaded demo data. */
  readonly onReplaced: (platform: Platform, trigger: Trigger, loaded: NewDatabase | undefined) => void;
}

/** New data: the content of a database, or undefined if it is in the draft. */
interface NewContent {
  readonly content: Buffer | undefined;
  readonly repositories: Repositories;
  readonly loaded?: NewDatabase | undefined;
}

/** Replaces the data of the server that is attached once it exists. */
export interface AttachableReplacement extends Replacement {
  attach(server: ReplaceableServer): void;
}

export function createReplacement(settings: ReplacementSettings): AttachableReplacement {
  let attached: ReplaceableServer | undefined;
  let isUnderWay = false;
  /** Only one replacement at a time writes the draft. */
  const alone = async (work: (server: ReplaceableServer) => Promise<Replaced>): Promise<Replaced> => {
    if (isUnderWay || attached === undefined) throw conflict('The data of this server is being replaced');
    isUnderWay = true;
    try {
      return await work(attached);
    } finally {
      isUnderWay = false;
      if (settings.folder !== undefined) removeDraft(settings.file);
    }
  };
  return {
    attach: (server) => {
      attached = server;
    },
    restore: (name, sender) =>
      alone(async (server) => {
        const content = await snapshotContent(settings, name);
        return replace(settings, server, 'restore', sender, async (_former, repositories) => ({ content, repositories }), name);
      }),
    reset: (seed, sender) =>
      alone((server) =>
        replace(settings, server, 'reset', sender, (former, repositories) =>
          seed === 'none' ? emptyContent(settings, repositories) : firstContent(settings, former, repositories),
        ),
      ),
  };
}

/**
 * Ends the platform, replaces its data and creates a platform on the new data. If that fails, the former data is used again, and the failure
 * is thrown.
 */
async function replace(
  settings: ReplacementSettings,
  server: ReplaceableServer,
  trigger: Trigger,
  sender: Parameters<ReplaceableServer['replace']>[0],
  create: (former: Platform, repositories: Repositories) => Promise<NewContent>,
  spared?: string,
): Promise<Replaced> {
  const { folder, file, memory, nativeBinding, log } = settings;
  let savedAs = '';
  let failure: { readonly error: unknown } | undefined;
  await server.replace(sender, async (former) => {
    const content = folder === undefined ? former.store.content() : undefined;
    let repositories = former.repositories.reopened();
    await end(former);
    let database: Buffer | undefined = content;
    let loaded: NewDatabase | undefined;
    try {
      const made = await create(former, repositories);
      ({ repositories, loaded } = { loaded: undefined, ...made });
      const { systemNow } = createClock();
      if (folder === undefined) {
        savedAs = memory.keep(trigger, content ?? Buffer.alloc(0), systemNow(), spared);
        database = made.content;
      } else {
        if (made.content !== undefined) writeFileSync(draftOf(file), made.content, { mode: 0o600 });
        savedAs = replaceDatabase(trigger, folder, file, nativeBinding, systemNow(), spared) ?? '';
      }
    } catch (error) {
      failure = { error };
      repositories = repositories.reopened();
    }
    const next = opened(settings, former, database, repositories);
    if (failure === undefined) {
      log.info(
        `${trigger === 'reset' ? 'reset' : `restored snapshot ${spared}`}; the previous data was saved as snapshot ${savedAs}`,
      );
      settings.onReplaced(next, trigger, loaded);
    }
    return next;
  });
  if (failure !== undefined) throw failure.error;
  return { instanceId: server.platform.instanceId, savedAs };
}

/** Ends a platform and waits until no thread uses its database. */
async function end(platform: Platform): Promise<void> {
  try {
    endPlatform(platform);
  } catch (error) {
    platform.log.error('a part of the server failed to end', error);
    platform.store.close();
  }
  await platform.store.released();
}

/** Creates the platform on the current data. `content` is that of a database in memory. */
function opened(
  { folder, file, nativeBinding, log, platformOn, storages }: ReplacementSettings,
  former: Platform,
  content: Buffer | undefined,
  repositories: Repositories,
): Platform {
  const store =
    folder === undefined
      ? openStore(content ?? ':memory:', nativeBinding)
      : openDatabase({ folder, file, nativeBinding, now: createClock().systemNow(), log });
  const platform = platformOn(store, { repositories, profile: former.profile });
  takeKeys(platform, former);
  claimStorages(platform, storages);
  return platform;
}

/** Returns the database of a snapshot. In a data folder, it becomes the draft. Throws Fatal if the server cannot use it. */
async function snapshotContent(settings: ReplacementSettings, name: string): Promise<Buffer | undefined> {
  const { folder, file, memory, storages, nativeBinding } = settings;
  if (folder === undefined) {
    const content = memory.content(name);
    if (content === undefined) throw new Fatal('snapshot_missing', `There is no snapshot "${name}".`, 'Choose one of the list.');
    return content;
  }
  await wordedLater(async () => {
    await prepareSnapshot(folder, file, name, nativeBinding);
    const draft = openStore(draftOf(file), nativeBinding);
    try {
      refuseMissingStorage(draft, storages);
    } finally {
      draft.close();
      settleDatabase(draftOf(file), nativeBinding);
    }
  }, `snapshot ${name}`);
  return undefined;
}

async function emptyContent({ nativeBinding }: ReplacementSettings, repositories: Repositories): Promise<NewContent> {
  const store = openStore(':memory:', nativeBinding);
  try {
    return { content: store.content(), repositories };
  } finally {
    store.close();
  }
}

/** Returns data like that of the first start. It is created in memory. */
async function firstContent(
  { folder, nativeBinding, loadDemo, platformOn, seed }: ReplacementSettings,
  former: Platform,
  repositories: Repositories,
): Promise<NewContent> {
  const loaded = await loadDemo({ repositories, keyOwner: folder === undefined ? former : { dataFolder: folder } });
  if (loaded !== undefined && typeof loaded.database !== 'string') return { content: loaded.database, repositories, loaded };
  const next = repositories.reopened();
  // Without snapshots, the repositories of the former data stay, whose snapshot does not exist yet.
  const platform = platformOn(openStore(':memory:', nativeBinding), { repositories, snapshotsOf: () => undefined });
  try {
    takeKeys(platform, former);
    createHandler(platform);
    await seed(platform);
    platform.inbox.flush();
    return { content: platform.store.content(), repositories: next };
  } finally {
    endPlatform(platform);
  }
}
