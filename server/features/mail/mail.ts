import type { MailCore } from './mailCore.ts';
import { retentionWork } from '../../core/retention.ts';
import type { Feature } from '../../http/feature.ts';
import type { Core } from '../../core/core.ts';
import { followMails } from './newMails.ts';
import { mailRoutes } from './routes.ts';
import { scheduleDelivery, sendDue } from './sending.ts';
import { deleteMailsBefore, oldestMail } from './store.ts';
import { waiting } from './waiting.ts';

export { CONFIRMATION_PATH, emailIdOfToken, isConfirmationToken } from './confirmationToken.ts';
export type { MailBlock, MailContent, MailTarget } from './content.ts';
export { hasRandomMessageId, makeMessageIds, renameDiscussionsOfMails } from './demoStore.ts';
export type { MailCore } from './mailCore.ts';
export { unreadMails } from './newMails.ts';
export { mailRoutes } from './routes.ts';
export { retryAll, sendDue } from './sending.ts';
export { smtpUrl, smtpUrlProblem, storeSmtp } from './smtp.ts';
export { deliver, storeContent } from './deliverMail.ts';

/** The mailbox of this server. */
export const mailbox: Feature<MailCore> = {
  routes: mailRoutes,
  start: (core) => {
    scheduleDelivery(core);
    scheduleRetention(core);
    followMails(core, () => {
      waiting(core).wake();
      sendDue(core);
    });
  },
};

/** Number of mails that are deleted per turn of the event loop. */
const SLICE = 500;

function scheduleRetention({ store, schedule }: Core): void {
  schedule.add(
    retentionWork({
      name: 'mails past their retention',
      oldest: () => oldestMail(store),
      deleteUntil: (time) => deleteMailsBefore(store, time, SLICE) === SLICE,
    }),
  );
}
