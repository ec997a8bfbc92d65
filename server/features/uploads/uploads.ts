import type { Feature } from '../../http/feature.ts';
import { uploadRoutes } from './routes.ts';

export { uploadRedirection } from './pages.ts';

/** Files that texts of a project refer to. */
export const uploads: Feature = { routes: uploadRoutes };
