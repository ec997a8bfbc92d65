import type { MailCore } from './mailCore.ts';
import { createHmac } from 'node:crypto';
import { DAY, HOUR, MINUTE } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import { keyFor } from '../../core/sealing.ts';
import { htmlOfMail, messageOf, type Sender, senderAddress, textOfMail } from './render.ts';
import { smtpServer } from './smtp.ts';
import { insertDelivery, mailById, type MailRow, nextDelivery, retryDeliveries, writeAttempt, writeOrigin } from './store.ts';

// Delivery of mails to an SMTP server, at least once: the delivery is recorded with the mail, and a message whose acceptance was not
// recorded is sent again with the same Message-ID.

/** Maximum number of connections at the same time. */
const MAX_CONNECTIONS = 4;
/** Pause after the first failed attempt. It doubles with each attempt, up to the longest. */
const FIRST_PAUSE = MINUTE;
const LONGEST_PAUSE = HOUR;
/** Mails that are older than this are given up when an attempt fails. */
const MAX_AGE = 5 * DAY;

const senders = new WeakMap<Core, () => void>();

/** Records in the current transaction that a mail has to be sent, if an SMTP server is configured. */
export function recordDelivery(core: MailCore, mailId: number): void {
  if (smtpServer(core) !== undefined) insertDelivery(core.store, mailId, core.clock.now());
}

/** Sends what is due, as far as connections are free. Does nothing before the server listens, because its address is not known then. */
export function sendDue(core: Core): void {
  senders.get(core)?.();
}

/** Makes all waiting mails due and sends them, after the SMTP server was changed. */
export function retryAll(core: Core): void {
  retryDeliveries(core.store, core.clock.now());
  setImmediate(() => sendDue(core));
}

/** Returns the address of this server and that of the sender, as messages contain them. They stay the same for repeated attempts. */
export function senderOf(core: MailCore, { origin }: Pick<MailRow, 'origin'>): Sender {
  return { origin: origin ?? core.origin.value, address: smtpServer(core)?.from };
}

/** Returns the source of a message (RFC 5322). */
export async function sourceOf(core: Core, row: MailRow, sender: Sender): Promise<Buffer> {
  const { compose } = await import('./nodemailer.ts');
  return compose(messageOf(core, row, sender), {
    text: textOfMail(core, row, sender),
    html: await htmlOfMail(core, row, sender),
    boundary: createHmac('sha256', keyFor(core, 'mail boundary')).update(String(row.id)).digest('hex').slice(0, 32),
  });
}

/** Schedules the delivery to the SMTP server. */
export function scheduleDelivery(core: MailCore): void {
  const { store, clock, live, log, schedule } = core;
  const underWay = new Set<number>();

  const isReady = (): boolean => !live.isEnded && core.origin.value !== '' && smtpServer(core) !== undefined;
  const start = (): void => {
    while (isReady() && underWay.size < MAX_CONNECTIONS) {
      const due = nextDelivery(store, [...underWay]);
      if (due === undefined || due.next_at > clock.now()) return;
      underWay.add(due.mail_id);
      void attempt(core, due.mail_id)
        .catch((error: unknown) => {
          log.error(`mail ${due.mail_id} could not be sent`, error);
          if (!live.isEnded) recordDeferral(core, due.mail_id, 'the message could not be created');
        })
        .finally(() => {
          underWay.delete(due.mail_id);
          setImmediate(() => {
            if (!live.isEnded) start();
          });
        });
    }
  };
  senders.set(core, start);
  schedule.add({
    name: 'mails to the SMTP server',
    next: () => (isReady() && underWay.size < MAX_CONNECTIONS ? (nextDelivery(store, [...underWay])?.next_at ?? null) : null),
    run: () => {
      start();
      return false;
    },
  });
}

async function attempt(core: MailCore, mailId: number): Promise<void> {
  const { store, clock, live, log } = core;
  writeOrigin(store, mailId, core.origin.value);
  const server = smtpServer(core);
  const row = mailById(store, mailId);
  if (server === undefined || row === undefined) return;
  const sender = senderOf(core, row);
  const { send } = await import('./nodemailer.ts');
  const source = await sourceOf(core, row, sender);
  const abort = new AbortController();
  const unfollow = live.follow({ next: () => undefined, end: () => abort.abort() });
  const envelope = { from: senderAddress(sender), to: row.address, clientName: new URL(sender.origin).hostname };
  const result = await send(server, envelope, source, abort.signal).finally(unfollow);
  // The database may already be closed. A message that was accepted is sent again after the next start.
  if (live.isEnded) return;
  const now = clock.now();
  if (result.kind === 'sent') {
    writeAttempt(store, mailId, { nextAt: null, sentAt: now, failedAt: null, error: null });
  } else if (result.kind === 'failed') {
    log.warn(`mail ${mailId} was refused by the SMTP server: ${result.error}`);
    writeAttempt(store, mailId, { nextAt: null, sentAt: null, failedAt: now, error: result.error });
  } else {
    log.debug(`mail ${mailId} could not be sent to the SMTP server yet: ${result.error}`);
    recordDeferral(core, mailId, result.error);
  }
}

/** Records a failed attempt. The mail is tried again after a pause, unless it is too old. */
function recordDeferral({ store, clock }: Core, mailId: number, error: string): void {
  const row = mailById(store, mailId);
  if (row === undefined) return;
  const now = clock.now();
  const isTooOld = now - row.created_at >= MAX_AGE;
  const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(row.attempts ?? 0, 10), LONGEST_PAUSE);
  writeAttempt(store, mailId, {
    nextAt: isTooOld ? null : now + pause,
    sentAt: null,
    failedAt: isTooOld ? now : null,
    error,
  });
}
