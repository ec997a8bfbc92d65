import type { Feature } from '../../feature.ts';
import { recordNotifications } from './occurrences.ts';
import { notificationSettingPages } from './settings/pages.ts';
import { notificationSettingRoutes } from './settings/routes.ts';
import { whyPages } from './whyPages.ts';
import { whyRoutes } from './whyRoutes.ts';
import { scheduleDecisions } from './work.ts';

/** Notification settings, and the mails that follow from them. */
export const notifications: Feature = {
  routes: (platform) => [
    ...notificationSettingRoutes(platform),
    ...notificationSettingPages(platform),
    ...whyRoutes(platform),
    ...whyPages(platform),
  ],
  start: (platform) => {
    recordNotifications(platform);
    scheduleDecisions(platform);
  },
};
