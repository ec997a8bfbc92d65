import type { LiveCore } from '../../core/live.ts';
import type { GitCore } from '../../repositories/repositories.ts';

/** The core with what deliveries are made and sent with. */
export interface HookCore extends LiveCore, GitCore {
  /** Address of the server, such as `http://127.0.0.1:8080`. Empty until the server listens. */
  readonly origin: { readonly value: string };
}
