import type { Core } from '../core/core.ts';
import type { Route } from './route.ts';

/** A feature as the application composes it. `Needs` are the parts of the server that it works with. */
export interface Feature<Needs extends Core = Core> {
  /** Creates its endpoints and pages. Called when a request first needs one of them. */
  readonly routes: (core: Needs) => Route[];
  /** Attaches its subscribers of changes and its scheduled work. Called at start. */
  readonly start?: (core: Needs) => void;
}
