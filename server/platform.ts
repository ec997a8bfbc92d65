import type { Changes } from './core/changes.ts';
import type { Clock } from './core/clock.ts';
import type { Inbox, IngestStats } from './features/errorTracking/errorTracking.ts';
import type { DialectRules } from './core/dialect.ts';
import type { BlobFiles } from './features/dependencyProxy/blobFiles.ts';
import type { DeprecatedCalls } from './features/deprecations/calls.ts';
import type { RecordedReads } from './features/deprecations/reads.ts';
import type { SmtpServer } from './features/mail/smtpUrl.ts';
import type { Repositories } from './features/git/repositories.ts';
import type { BodyBudget } from './http/bodyBudget.ts';
import type { RequestLog } from './http/requestLog.ts';
import type { Flows } from './features/oauth/oauth.ts';
import type { Log } from './core/log.ts';
import type { Emulation, Profile } from './core/profile.ts';
import type { Schedule } from './core/schedule.ts';
import type { Live } from './features/stream/live.ts';
import type { Snapshots } from './process/snapshots.ts';
import type { Store } from './store/open.ts';

/** The server without its routes, as passed to every feature. */
export interface Platform {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly changes: Changes;
  /** The profile that is emulated now. */
  readonly profile: Profile;
  readonly emulation: Emulation;
  /** True if `code_challenge_method=plain` is accepted (docs/interface.md#authorization-endpoint). */
  readonly allowPlainPkce: boolean;
  readonly dialect: DialectRules;
  readonly requestLog: RequestLog;
  /** Limit on the memory of all request bodies. */
  readonly bodyBudget: BodyBudget;
  /** Calls of deprecated elements of the API. */
  readonly deprecatedCalls: DeprecatedCalls;
  /** The latest different reads of the API. */
  readonly recordedReads: RecordedReads;
  /** Requests of OAuth clients, grouped by flow. */
  readonly flows: Flows;
  /** Statistics of what SDKs send. */
  readonly ingestStats: IngestStats;
  /** Queue of the events that SDKs send. */
  readonly inbox: Inbox;
  readonly repositories: Repositories;
  /** Files of the blobs of the dependency proxy. */
  readonly blobFiles: BlobFiles;
  /** Address of the registry from which the dependency proxy pulls. Undefined if it has none. */
  readonly dependencyProxyUpstream: string | undefined;
  /** Live updates for connected clients. */
  readonly live: Live;
  /** Undefined for a server without data folder. */
  readonly snapshots: Snapshots | undefined;
  /** Undefined if nothing is stored on disk. */
  readonly dataFolder: string | undefined;
  readonly log: Log;
  readonly version: string;
  /** Address of the server for links in mails, such as `http://127.0.0.1:8080`. Empty until the server listens. */
  readonly origin: { value: string };
  /** SMTP server of the command line. Undefined if mails only arrive in the local mailbox. */
  readonly smtp: SmtpServer | undefined;
  /** ID of this database, which survives restarts. */
  readonly instanceId: string;
  /** SHA-256 of the token that `/_local` requires. Null if the server was started without one. */
  readonly adminTokenHash: string | null;
  /** Folder of static files. */
  readonly mediaDir: string;
  /** Returns the OpenAPI document of the build, or undefined without a build. */
  readonly openApi: () => unknown;
  /** Requests a clean shutdown of the process. */
  shutdown(reason: string): void;
}
