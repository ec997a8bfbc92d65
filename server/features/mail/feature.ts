import { retentionWork } from '../../core/retention.ts';
import type { Feature } from '../../feature.ts';
import type { Platform } from '../../platform.ts';
import { followMails } from './newMails.ts';
import { mailRoutes } from './routes.ts';
import { scheduleDelivery, sendDue } from './sending.ts';
import { deleteMailsBefore, oldestMail } from './store.ts';
import { waiting } from './waiting.ts';

/** The mailbox of this server. */
export const mailbox: Feature = {
  routes: mailRoutes,
  start: (platform) => {
    scheduleDelivery(platform);
    scheduleRetention(platform);
    followMails(platform, () => {
      waiting(platform).wake();
      sendDue(platform);
    });
  },
};

/** Number of mails that are deleted per turn of the event loop. */
const SLICE = 500;

function scheduleRetention({ store, schedule }: Platform): void {
  schedule.add(
    retentionWork({
      name: 'mails past their retention',
      oldest: () => oldestMail(store),
      deleteUntil: (time) => deleteMailsBefore(store, time, SLICE) === SLICE,
    }),
  );
}
