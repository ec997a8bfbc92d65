import type { LiveCore } from '../../core/live.ts';
import type { Core } from '../../core/core.ts';
import { countUnread, lastMailId, mailsAfter } from './store.ts';

/** Number of mails that are announced per turn of the event loop. */
const MAX_AT_ONCE = 100;
/** Unread mails are counted up to this number. */
const UNREAD_CAP = 1000;

const announcers = new WeakMap<Core, () => void>();

/** Announces mails that the current transaction has written, after its commit. */
export function announceMails(core: Core): void {
  announcers.get(core)?.();
}

/**
 * Publishes new mails to the listeners of the stream and calls `arrived` after each batch. Mails are announced inside their transaction, so
 * the committed ones are read in the next turn of the event loop.
 */
export function followMails(core: LiveCore, arrived: () => void): void {
  const { store, live, log } = core;
  let lastId = lastMailId(store);
  let isWaiting = false;
  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(publish);
  };
  const publish = (): void => {
    isWaiting = false;
    // The database may already be closed.
    if (live.isEnded) return;
    try {
      const mails = mailsAfter(store, lastId, MAX_AT_ONCE);
      lastId = mails.at(-1)?.id ?? lastId;
      if (mails.length === MAX_AT_ONCE) wait();
      // One occurrence per user, because counting what is unread takes longer than all the rest.
      const newest = new Map(mails.flatMap(({ id, user_id: userId }) => (userId === null ? [] : [[userId, id] as const])));
      live.publish([...newest].map(([userId, id]) => occurrence(core, id, userId)));
      if (mails.length > 0) arrived();
    } catch (error) {
      log.error('could not publish new mails', error);
    }
  };
  announcers.set(core, wait);
}

/** Publishes the number of unread mails of a user after a mail was marked as read or deleted. */
export function publishUnread(core: LiveCore, mailId: number, userId: number): void {
  setImmediate(() => {
    if (!core.live.isEnded) core.live.publish([occurrence(core, mailId, userId)]);
  });
}

/** Returns the number of unread mails of a user, at most 1000. */
export function unreadMails({ store }: Pick<Core, 'store'>, userId: number): number {
  return countUnread(store, userId, UNREAD_CAP);
}

function occurrence(core: Core, mailId: number, userId: number) {
  return { event: 'mail' as const, userId, data: { mail_id: mailId, unread: unreadMails(core, userId) } };
}
