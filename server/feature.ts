import type { Route } from './http/route.ts';
import type { Platform } from './platform.ts';

/** A feature as the application composes it. */
export interface Feature {
  /** Creates its endpoints and pages. Called when a request first needs one of them. */
  readonly routes: (platform: Platform) => Route[];
  /** Attaches its subscribers of changes and its scheduled work. Called at start. */
  readonly start?: (platform: Platform) => void;
}
