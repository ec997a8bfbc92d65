import type { Feature } from '../../feature.ts';
import { mailRoutes } from './routes.ts';

/** The mailbox of this server. */
export const mailbox: Feature = { routes: mailRoutes };
