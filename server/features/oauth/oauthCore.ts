import type { Core } from '../../core/core.ts';
import type { Flows } from './flows.ts';

/** The core with what the OAuth provider needs. */
export interface OAuthCore extends Core {
  /** Requests of OAuth clients, grouped by flow. */
  readonly flows: Flows;
  /** True if `code_challenge_method=plain` is accepted (docs/interface.md#authorization-endpoint). */
  readonly allowPlainPkce: boolean;
}
