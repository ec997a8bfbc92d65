import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { releaseRoutes } from './routes.ts';
import { releasePages } from './pages.ts';
import { schedulePublications } from './manageReleases.ts';

export { type LinkInput, releaseContributions, releasesByTag, releaseTag } from './manageReleases.ts';
export { releaseById, releaseNameSql } from './store.ts';

/** Releases of projects. */
export const releases: Feature<GitCore> = { routes: releaseRoutes, pages: releasePages, start: schedulePublications };
