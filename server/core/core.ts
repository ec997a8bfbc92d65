import type { Store } from '../store/open.ts';
import type { Changes } from './changes.ts';
import type { Clock } from './clock.ts';
import type { DialectRules } from './dialect.ts';
import type { Log } from './log.ts';
import type { Profile } from './profile.ts';
import type { Schedule } from './schedule.ts';

/** Parts of the server that every feature works with. */
export interface Core {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly changes: Changes;
  readonly log: Log;
  /** Profile that is emulated now. */
  readonly profile: Profile;
  readonly dialect: DialectRules;
  /** ID of this database, which survives restarts. */
  readonly instanceId: string;
  /** Undefined if nothing is stored on disk. */
  readonly dataFolder: string | undefined;
}
