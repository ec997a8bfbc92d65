import type { Feature } from '../../feature.ts';
import { keepFormerAddresses } from './emails.ts';
import { emailPages } from './pages.ts';
import { emailRoutes } from './routes.ts';

/** Email addresses of accounts besides the primary one. */
export const emails: Feature = {
  routes: (platform) => [...emailRoutes(platform), ...emailPages(platform)],
  start: keepFormerAddresses,
};
