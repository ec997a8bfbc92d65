import { randomUUID } from 'node:crypto';
import { createChanges } from './core/changes.ts';
import { createClock } from './core/clock.ts';
import { dialectRules } from './core/dialect.ts';
import { createInbox, createIngestStats } from './features/errorTracking/errorTracking.ts';
import { createBlobFiles } from './features/dependencyProxy/dependencyProxy.ts';
import { createDeprecatedCalls, createRecordedReads } from './features/deprecations/deprecations.ts';
import type { SmtpServer } from './support/smtpUrl.ts';
import { adoptRegistrationToken } from './features/registrationTokens/registrationTokens.ts';
import { defaultPackLimits, type PackLimits } from './repositories/packLimits.ts';
import type { GitMetadata } from './repositories/program.ts';
import { createRepositories, type Repositories } from './repositories/repositories.ts';
import { type BodyBudget, createBodyBudget } from './http/bodyBudget.ts';
import { createOwnRequests } from './http/ownRequests.ts';
import { createRequestLog } from './http/requestLog.ts';
import { adoptAdminToken } from './features/authentication/authentication.ts';
import { createFlows } from './features/oauth/oauth.ts';
import type { Log } from './core/log.ts';
import type { Platform, Replacement } from './platform.ts';
import { createEmulation, type Profile } from './core/profile.ts';
import { createSchedule } from './core/schedule.ts';
import { hashSecret } from './core/secrets.ts';
import { createLive } from './core/live.ts';
import { createMemorySnapshots } from './snapshots/memorySnapshots.ts';
import { createSnapshots, type Snapshots } from './snapshots/snapshots.ts';
import type { Store } from './store/open.ts';

export interface PlatformOptions {
  readonly store: Store;
  readonly profile: Profile;
  /** Default: false. */
  readonly allowPlainPkce?: boolean;
  readonly log: Log;
  readonly version: string;
  readonly mediaDir: string;
  readonly openApi?: () => unknown;
  /** Undefined if nothing is stored on disk. */
  readonly dataFolder?: string | undefined;
  /** Address of the registry from which the dependency proxy pulls. */
  readonly dependencyProxyUpstream?: string | undefined;
  /** Folders of further repository storages by name. */
  readonly storages?: ReadonlyMap<string, string> | undefined;
  /** Limits of pushed packs. */
  readonly packLimits?: PackLimits;
  readonly adminToken?: string | undefined;
  /** Registration token of the instance for runners (docs/interface.md#runners). */
  readonly runnerRegistrationToken?: string | undefined;
  readonly smtp?: SmtpServer | undefined;
  /** Path of the database driver's addon, for reader threads. Default: the driver's own look-up. */
  readonly nativeBinding?: string | undefined;
  readonly shutdown?: (reason: string) => void;
  /** Settings for finding and running the git program. */
  readonly git: GitMetadata;
  /** Repositories of the same data folder, if some were written before the database was opened. */
  readonly repositories?: Repositories | undefined;
  /** Maximum delay before events are counted, in milliseconds. Overridden by tests. */
  readonly countingPause?: number;
  /** Limit on the memory of all request bodies. Overridden by tests. */
  readonly bodyBudget?: BodyBudget;
  /** Creates the snapshots. Default: those of the data folder, or new ones in memory. */
  readonly snapshotsOf?: ((store: Store, systemNow: () => number) => Snapshots | undefined) | undefined;
  /** Replaces the data of the running server. */
  readonly replacement?: Replacement | undefined;
  /** The machine's clock. Overridden by tests. */
  readonly systemNow?: () => number;
}

/** Creates the parts of a server on an open store. The app adds routes and subscribers. */
export function createPlatform(options: PlatformOptions): Platform {
  const { store, log } = options;
  const instanceId = ensureInstance(store);
  const clock = createClock(
    {
      load: () =>
        store.get<{ offset: number; frozenAt: number | null }>(
          'SELECT clock_offset AS offset, clock_frozen_at AS frozenAt FROM instance',
        ) ?? { offset: 0, frozenAt: null },
      save: ({ offset, frozenAt }) => {
        store.run('UPDATE instance SET clock_offset = $offset, clock_frozen_at = $frozenAt', { offset, frozenAt });
      },
    },
    options.systemNow,
  );
  const changes = createChanges();
  const emulation = createEmulation(options.profile);
  const platform: Platform = {
    store,
    clock,
    schedule: createSchedule(clock, (work, error) => log.error(`scheduled work "${work}" failed`, error)),
    changes,
    // Getters, because the profile can change.
    get profile() {
      return emulation.current();
    },
    get dialect() {
      return dialectRules(emulation.current());
    },
    emulation,
    deprecatedCalls: createDeprecatedCalls(store, log),
    recordedReads: createRecordedReads(),
    allowPlainPkce: options.allowPlainPkce ?? false,
    requestLog: createRequestLog(),
    ownRequests: createOwnRequests(),
    bodyBudget: options.bodyBudget ?? createBodyBudget(),
    flows: createFlows(),
    live: createLive(),
    ingestStats: createIngestStats(store, log, changes),
    inbox: createInbox(store, log, changes, options.countingPause),
    repositories: options.repositories ?? createRepositories(options.dataFolder, options.git, options.storages),
    packLimits: options.packLimits ?? defaultPackLimits,
    blobFiles: createBlobFiles(options.dataFolder),
    dependencyProxyUpstream: options.dependencyProxyUpstream,
    snapshots:
      options.snapshotsOf === undefined ? storedSnapshots(options, clock.systemNow) : options.snapshotsOf(store, clock.systemNow),
    replacement: options.replacement,
    dataFolder: options.dataFolder,
    log,
    version: options.version,
    origin: { value: '', listening: '' },
    smtp: options.smtp,
    instanceId,
    adminTokenHash: options.adminToken === undefined ? null : hashSecret(options.adminToken),
    mediaDir: options.mediaDir,
    openApi: options.openApi ?? (() => undefined),
    shutdown: options.shutdown ?? (() => undefined),
  };
  if (options.adminToken !== undefined) adoptAdminToken(platform, options.adminToken);
  if (options.runnerRegistrationToken !== undefined) adoptRegistrationToken(platform, options.runnerRegistrationToken);
  return platform;
}

/**
 * Stops the parts of a server. The store is closed last, because the other parts still write to it. Callers with a running server must
 * finish its requests first.
 */
export function endPlatform(platform: Platform): void {
  platform.schedule.stop();
  platform.live.end();
  platform.repositories.stop();
  platform.blobFiles.stop();
  platform.inbox.end();
  platform.ingestStats.end();
  platform.deprecatedCalls.flush();
  platform.store.close();
}

function storedSnapshots({ dataFolder, store, nativeBinding }: PlatformOptions, systemNow: () => number): Snapshots {
  return dataFolder === undefined
    ? createMemorySnapshots().of(store, systemNow)
    : createSnapshots(dataFolder, store, systemNow, nativeBinding);
}

function ensureInstance(store: Store): string {
  store.run('INSERT INTO instance (only, instance_id) VALUES (1, $id) ON CONFLICT DO NOTHING', { id: randomUUID() });
  return store.get<{ instance_id: string }>('SELECT instance_id FROM instance')?.instance_id ?? '';
}
