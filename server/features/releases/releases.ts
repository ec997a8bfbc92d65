import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { releaseRoutes } from './routes.ts';
import { releasePages } from './pages.ts';
import { schedulePublications } from './manageReleases.ts';

export { linksOf, type LinkInput, releaseContributions, releasesByTag, releaseTag } from './manageReleases.ts';
export { releaseAddress } from './present.ts';
export { listReleases, releaseById, releaseNameSql, type ReleaseRow } from './store.ts';

/** Releases of projects. */
export const releases: Feature<GitCore> = { routes: releaseRoutes, pages: releasePages, start: schedulePublications };
