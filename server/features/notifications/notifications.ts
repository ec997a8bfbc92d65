import type { MailCore } from '../mail/mail.ts';
import type { Feature } from '../../http/feature.ts';
import { recordNotifications } from './occurrences.ts';
import { notificationSettingPages } from './settings/pages.ts';
import { notificationSettingRoutes } from './settings/routes.ts';
import { whyPages } from './whyPages.ts';
import { whyRoutes } from './whyRoutes.ts';
import { scheduleDecisions } from './work.ts';

export { mentionedIds, mentionedNames } from './mentions.ts';
export { recordNotifications } from './occurrences.ts';
export { decideSome } from './work.ts';

/** Notification settings, and the mails that follow from them. */
export const notifications: Feature<MailCore> = {
  routes: (core) => [...notificationSettingRoutes(core), ...whyRoutes(core)],
  pages: (core) => [...notificationSettingPages(core), ...whyPages(core)],
  subscribe: recordNotifications,
  start: scheduleDecisions,
};
