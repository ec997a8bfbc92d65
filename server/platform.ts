import type { Readable } from 'node:stream';
import type { Core } from './core/core.ts';
import type { Inbox, IngestStats } from './features/errorTracking/errorTracking.ts';
import type { BlobFiles } from './features/dependencyProxy/dependencyProxy.ts';
import type { DeprecatedCalls, RecordedReads } from './features/deprecations/deprecations.ts';
import type { SmtpServer } from './support/smtpUrl.ts';
import type { PackLimits } from './repositories/packLimits.ts';
import type { Repositories } from './repositories/repositories.ts';
import type { BodyBudget } from './http/bodyBudget.ts';
import type { OwnAddresses } from './http/hostGuard.ts';
import type { OwnRequests } from './http/ownRequests.ts';
import type { RequestLog } from './http/requestLog.ts';
import type { Flows } from './features/oauth/oauth.ts';
import type { Emulation } from './core/profile.ts';
import type { Live } from './core/live.ts';
import type { Snapshots } from './snapshots/snapshots.ts';

/** Result of replacing the data of a running server. */
export interface Replaced {
  /** ID of the data that the server has now. */
  readonly instanceId: string;
  /** Name of the snapshot with the previous data. */
  readonly savedAs: string;
}

/**
 * Replaces the data of the running server. The request with the body `sender` demands it: all others are finished or aborted first, and those
 * that arrive meanwhile get the new data. If that fails, the server keeps its data.
 *
 * @throws {Fatal} If the new data cannot be used.
 */
export interface Replacement {
  restore(name: string, sender: Readable): Promise<Replaced>;
  /** Creates new data, like that of the first start or empty. */
  reset(seed: 'start' | 'none', sender: Readable): Promise<Replaced>;
}

/** The server without its routes. Features take the parts that they need. */
export interface Platform extends Core {
  readonly emulation: Emulation;
  /** True if `code_challenge_method=plain` is accepted (docs/interface.md#authorization-endpoint). */
  readonly allowPlainPkce: boolean;
  readonly requestLog: RequestLog;
  /** Requests that pages of this server send to it. */
  readonly ownRequests: OwnRequests;
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
  /** Limits of pushed packs. */
  readonly packLimits: PackLimits;
  /** Files of the blobs of the dependency proxy. */
  readonly blobFiles: BlobFiles;
  /** Address of the registry from which the dependency proxy pulls. Undefined if it has none. */
  readonly dependencyProxyUpstream: string | undefined;
  /** Live updates for connected clients. */
  readonly live: Live;
  /** Undefined while the data of a new server is created. */
  readonly snapshots: Snapshots | undefined;
  /** Replaces the data of the running server. Undefined if no process serves it. */
  readonly replacement: Replacement | undefined;
  readonly version: string;
  readonly origin: { -readonly [Name in keyof OwnAddresses]: OwnAddresses[Name] };
  /** SMTP server of the command line. Undefined if mails only arrive in the local mailbox. */
  readonly smtp: SmtpServer | undefined;
  /** SHA-256 of the token that `/_local` requires. Null if the server was started without one. */
  readonly adminTokenHash: string | null;
  /** Folder of static files. */
  readonly mediaDir: string;
  /** Returns the OpenAPI document of the build, or undefined without a build. */
  readonly openApi: () => unknown;
  /** Requests a clean shutdown of the process. */
  shutdown(reason: string): void;
}
