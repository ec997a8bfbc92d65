import * as z from 'zod';
import { listedEvents, notificationLevels, type NotificationSettingsResponse } from '../../../../src/contract/notifications.ts';
import { named, readAs } from '../../../http/responses.ts';

const level = () => z.enum(notificationLevels);
const state = () => z.boolean().nullable();

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
          ...Object.fromEntries(listedEvents.filter((event) => event !== 'new_epic').map((event) => [event, state()])),
          // Only on some tiers.
          new_epic: state().exactOptional(),
        })
        .exactOptional(),
    }),
  ),
);
