import * as z from 'zod';
import { listedEvents, notificationLevels, type NotificationSettingsResponse } from '../../../../src/contract/notifications.ts';
import { named, readAs } from '../../../http/responses.ts';

const level = () => z.enum(notificationLevels);

export const globalNotificationSettings = named('GlobalNotificationSettings', () =>
  readAs<NotificationSettingsResponse>()(z.strictObject({ level: level(), notification_email: z.string() })),
);

export const notificationSettings = named('NotificationSettings', () =>
  readAs<NotificationSettingsResponse>()(
    z.strictObject({
      level: level(),
      // With level `custom`. Null means that the switch was never set.
      events: z
        .strictObject({
          ...Object.fromEntries(listedEvents.map((event) => [event, z.boolean().nullable()])),
        })
        .exactOptional(),
    }),
  ),
);
