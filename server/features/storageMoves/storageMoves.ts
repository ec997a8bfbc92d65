import type { LiveCore } from '../../core/live.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { scheduleMoves } from './mover.ts';
import { storageMoveRoutes } from './routes.ts';

export { MAX_STEP_SECONDS, setStepSeconds, stepSeconds } from './pace.ts';
export { storagesInUse } from './store.ts';
export { storageUsage } from './usage.ts';

/** Moves of repositories between storages. */
export const storageMoves: Feature<GitCore & LiveCore> = { routes: storageMoveRoutes, start: scheduleMoves };
