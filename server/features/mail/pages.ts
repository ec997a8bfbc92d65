import type { Route } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';

/** Returns the pages of the mailbox. */
export function mailPages(_platform: Platform): Route[] {
  return [];
}
