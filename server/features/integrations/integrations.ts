import type { Feature } from '../../http/feature.ts';
import { integrationRoutes } from './routes.ts';

export { integrationsFieldsOf, integrationsGraphql } from './graphql.ts';

/** Integrations of projects with other programs. */
export const integrations: Feature = { routes: integrationRoutes };
