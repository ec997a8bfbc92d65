import type { Feature } from '../../http/feature.ts';
import { packageRoutes } from './routes.ts';
import { packagePages } from './pages.ts';

export { addFile, createPackage } from './managePackages.ts';
export { packageStatuses, type PackageType, packageTypes } from './rules.ts';

/** Packages, which are listed and deleted. */
export const packages: Feature = { routes: packageRoutes, pages: packagePages };
