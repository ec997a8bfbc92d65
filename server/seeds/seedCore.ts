import type { TrackingCore } from '../features/errorTracking/errorTracking.ts';
import type { MailCore } from '../features/mail/mail.ts';
import type { GitCore } from '../repositories/repositories.ts';

/** The core with what the steps of a seed need: repositories, mails, live updates and tracked errors. */
export interface SeedCore extends GitCore, MailCore, TrackingCore {}
