import { haveOneOrigin, stemsFrom } from './forkNetworkStore.ts';
import type { Project } from './access.ts';
import type { Core } from '../../core/core.ts';

/** Returns true if a project is `source` or was forked from it, directly or indirectly. */
export function goesBackTo(core: Core, project: Project, source: Project): boolean {
  return stemsFrom(core.store, project.id, source.id);
}

/** Returns true if both projects are in the same fork network. */
export function areRelated(core: Core, project: Project, other: Project): boolean {
  return haveOneOrigin(core.store, project.id, other.id);
}
