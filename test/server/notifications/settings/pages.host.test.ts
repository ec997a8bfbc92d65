import { describePages } from '../../../support/host/pageChecks.ts';
import { walkNotificationPages } from '../../../support/host/notificationPages.ts';

describePages('pages of email addresses and notification settings', walkNotificationPages, [
  'emails-empty',
  'emails-refused',
  'emails-added',
  'confirmation',
  'confirmed',
  'confirmed-before',
  'confirmation-unknown',
  'settings-custom',
  'settings-events',
  'settings-project',
  'settings-none',
]);
