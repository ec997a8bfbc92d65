import { randomBytes } from 'node:crypto';
import { isNotificationEvent } from '../../../src/contract/notifications.ts';
import type { Platform } from '../../platform.ts';
import { deliver, storeContent } from '../mail/mail.ts';
import { candidatesAfter } from './audience.ts';
import { contentOf } from './contents.ts';
import type { EventDetails, NewNotificationEvent, RecordedEvent, TargetType } from './event.ts';
import { decide } from './rules.ts';
import { type EventRow, insertDecision, insertEvent, nextPending, writeProgress } from './store.ts';

/** Number of users that are decided in one transaction, so that requests have their turn in between. */
const SLICE = 50;

/** Records an event in the transaction of its cause. Recipients are decided after the commit. */
export function recordEvent(platform: Platform, event: NewNotificationEvent): void {
  insertEvent(platform.store, {
    event: event.event,
    actor_id: event.actorId,
    project_id: event.projectId,
    group_id: event.groupId,
    target_type: event.targetType,
    target_id: event.targetId,
    details: JSON.stringify(event.details),
    created_at: platform.clock.now(),
  });
}

/**
 * Decides the next users of the oldest pending event and writes their mails. Decisions, mails and progress share a transaction, so each
 * user is mailed exactly once whenever the process ends. Returns true if there may be more to do.
 */
export function decideSome(platform: Platform): boolean {
  const { store } = platform;
  return store.transaction(() => {
    const row = nextPending(store);
    if (row === undefined) return false;
    const event = recordedEvent(row);
    const content = row.content_id === null ? contentOf(platform, event) : undefined;
    if (row.content_id === null && content === undefined) {
      writeProgress(store, row.id, null, null);
      return true;
    }
    const messageId = content?.messageId ?? null;
    let contentId = row.content_id;
    const candidates = candidatesAfter(platform, event, row.decided_to ?? 0, SLICE);
    for (const { userId, address, facts } of candidates) {
      const { mailed, reason } = decide(facts);
      if (mailed && contentId === null && content !== undefined) contentId = storeContent(platform, content);
      const mailId =
        mailed && contentId !== null
          ? deliver(platform, contentId, messageId ?? randomBytes(16).toString('hex'), { userId, address, reason })
          : null;
      insertDecision(store, { eventId: row.id, userId, mailId, mailed: mailed ? 1 : 0, facts: JSON.stringify(facts) });
    }
    const last = candidates.at(-1);
    writeProgress(store, row.id, candidates.length < SLICE || last === undefined ? null : last.userId, contentId);
    return true;
  });
}

export function recordedEvent(row: EventRow): RecordedEvent {
  if (!isNotificationEvent(row.event)) throw new Error(`unknown notification event ${row.event}`);
  return {
    id: row.id,
    event: row.event,
    actorId: row.actor_id,
    projectId: row.project_id,
    groupId: row.group_id,
    // Only `recordEvent` writes these two.
    targetType: row.target_type as TargetType,
    details: JSON.parse(row.details) as EventDetails,
    targetId: row.target_id,
    createdAt: row.created_at,
  };
}

/** Decides pending events soon after the commit of their cause, a slice per turn of the event loop, and at the next start those that are left. */
export function scheduleDecisions(platform: Platform): void {
  const { store, schedule, changes, log } = platform;
  schedule.add({
    name: 'pending notifications',
    next: () => nextPending(store)?.created_at ?? null,
    run: () => decideSome(platform),
  });
  let isWaiting = false;
  const pump = (): void => {
    isWaiting = false;
    // The database may already be closed.
    if (platform.live.isEnded) return;
    try {
      if (decideSome(platform)) wait();
    } catch (error) {
      log.error('pending notifications could not be decided', error);
    }
  };
  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(pump);
  };
  changes.subscribe(wait);
}
