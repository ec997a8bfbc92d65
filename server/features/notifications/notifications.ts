import type { Feature } from '../../feature.ts';
import { recordNotifications } from './occurrences.ts';
import { notificationSettingRoutes } from './settings/routes.ts';
import { scheduleDecisions } from './work.ts';

/** Notification settings, and the mails that follow from them. */
export const notifications: Feature = {
  routes: notificationSettingRoutes,
  start: (platform) => {
    recordNotifications(platform);
    scheduleDecisions(platform);
  },
};
