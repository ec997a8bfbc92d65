import type { MailCore } from '../mail/mail.ts';
import type { Feature } from '../../http/feature.ts';
import { keepFormerAddresses } from './manageEmails.ts';
import { emailPages } from './pages.ts';
import { emailRoutes } from './routes.ts';

export { addEmail, confirmedAddresses, notificationAddress } from './manageEmails.ts';

/** Email addresses of accounts besides the primary one. */
export const emails: Feature<MailCore> = {
  routes: emailRoutes,
  pages: emailPages,
  subscribe: keepFormerAddresses,
};
