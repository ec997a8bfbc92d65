import type { Feature } from '../../feature.ts';
import { ciVariableRoutes } from './routes.ts';

/** Variables of projects, groups and pipelines. */
export const ciVariables: Feature = { routes: ciVariableRoutes };
