import type { Changes } from './changes.ts';
import type { Clock } from './clock.ts';
import type { IngestStats } from './errorTracking/ingestStats/ingestStats.ts';
import type { Inbox } from './errorTracking/inbox.ts';
import type { Wording } from './dialect.ts';
import type { Repositories } from './git/repositories.ts';
import type { BodyBudget } from './http/bodyBudget.ts';
import type { RequestLog } from './http/requestLog.ts';
import type { Flows } from './oauth/flows.ts';
import type { Log } from './log.ts';
import type { Profile } from './profile.ts';
import type { Schedule } from './schedule.ts';
import type { Live } from './stream/live.ts';
import type { Snapshots } from './process/snapshots.ts';
import type { Store } from './store/open.ts';

/** What every feature is given: the whole server without its routes. */
export interface Platform {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly changes: Changes;
  readonly profile: Profile;
  /** Whether `code_challenge_method=plain` is accepted (docs/interface.md#authorization-endpoint). */
  readonly allowPlainPkce: boolean;
  readonly wording: Wording;
  readonly requestLog: RequestLog;
  /** Limits the memory that request bodies take together. */
  readonly bodyBudget: BodyBudget;
  /** What OAuth clients did, request by request. */
  readonly flows: Flows;
  /** Counts what SDKs send. */
  readonly ingestStats: IngestStats;
  /** Takes the events that SDKs send. */
  readonly inbox: Inbox;
  readonly repositories: Repositories;
  /** Tells what happens to those who listen. */
  readonly live: Live;
  /** Undefined for a server that keeps nothing. */
  readonly snapshots: Snapshots | undefined;
  /** Undefined when nothing is kept on disk. */
  readonly dataFolder: string | undefined;
  readonly log: Log;
  readonly version: string;
  /** Identifies this database; the same over restarts. */
  readonly instanceId: string;
  /** SHA-256 of the token that `/_local` demands; null when the server was started without one. */
  readonly adminTokenHash: string | null;
  /** Folder of static files. */
  readonly mediaDir: string;
  /** The description of all endpoints that the build made; undefined where there was no build. */
  readonly openApi: () => unknown;
  /** Asks the process to end in an orderly way. */
  shutdown(reason: string): void;
}
