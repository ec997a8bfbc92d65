import type { OwnAddresses } from '../../http/hostGuard.ts';
import type { LiveCore } from '../../core/live.ts';
import type { GitCore } from '../../repositories/repositories.ts';

/** The core with what deliveries are made and sent with. */
export interface HookCore extends LiveCore, GitCore {
  /** Addresses of the server, to which no hook is delivered. */
  readonly origin: OwnAddresses;
}
