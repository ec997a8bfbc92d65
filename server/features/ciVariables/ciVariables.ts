import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { ciVariableRoutes } from './routes.ts';

/** Variables of projects, groups and pipelines. */
export const ciVariables: Feature<GitCore> = { routes: ciVariableRoutes };
