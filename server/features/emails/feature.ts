import type { MailCore } from '../mail/mailCore.ts';
import type { Feature } from '../../http/feature.ts';
import { keepFormerAddresses } from './emails.ts';
import { emailPages } from './pages.ts';
import { emailRoutes } from './routes.ts';

/** Email addresses of accounts besides the primary one. */
export const emails: Feature<MailCore> = {
  routes: (core) => [...emailRoutes(core), ...emailPages(core)],
  start: keepFormerAddresses,
};
