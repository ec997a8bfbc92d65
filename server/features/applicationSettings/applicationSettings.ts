import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { planLimitRoutes } from './planLimitRoutes.ts';
import { settingRoutes } from './routes.ts';

export { changeSettings } from './settings.ts';

/** Settings of the whole instance, for administrators. */
export const applicationSettings: Feature<GitCore> = {
  routes: (core) => [...settingRoutes(core), ...planLimitRoutes(core)],
};
