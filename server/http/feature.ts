import type { Core } from '../core/core.ts';
import type { Route } from './route.ts';

/** A feature as the application composes it. `Needs` are the parts of the server that it works with. */
export interface Feature<Needs extends Core = Core> {
  /** Creates its endpoints. Called when a request first needs one of them. */
  readonly routes?: (core: Needs) => Route[];
  /** Creates its pages. Called when a request first needs one of them. */
  readonly pages?: (core: Needs) => Route[];
  /** Attaches its subscribers of changes. Called at start. */
  readonly subscribe?: (core: Needs) => void;
  /** Schedules its jobs. Called at start, after all subscribers are attached. */
  readonly start?: (core: Needs) => void;
}
