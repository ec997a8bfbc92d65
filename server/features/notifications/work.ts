import { type MailCore, deliver, type MailContent, storeContent } from '../mail/mail.ts';
import { randomBytes } from 'node:crypto';
import { HOUR, MINUTE } from '../../core/clock.ts';
import { retentionWork } from '../../core/retention.ts';
import type { Core } from '../../core/core.ts';
import { type Audience, audienceOf, candidatesAfter } from './audience.ts';
import { contentOf } from './contents.ts';
import type { NewNotificationEvent, RecordedEvent } from './event.ts';
import { decide } from './rules.ts';
import { readEventDetails } from './stored.ts';
import {
  deleteDecidedBefore,
  type EventRow,
  insertDecision,
  insertEvent,
  nextPending,
  nextPendingTime,
  oldestDecided,
  writeFailure,
  writeProgress,
} from './store.ts';

/** Number of users that are decided in one transaction, so that requests have their turn in between. */
const SLICE = 50;
/** Number of events that one transaction continues at most. */
const MAX_EVENTS = 10;
/** Pause before the recipients of a new event are decided, in milliseconds, so that events in quick succession share a transaction. */
const PAUSE = 20;
/** Waiting times after failed attempts. An event is given up when the attempt after the last one fails. */
const RETRIES: readonly number[] = [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR];
/** Number of attempts after the first one. */
export const MAX_RETRIES = RETRIES.length;
/** Number of decisions that one run of the retention job deletes. */
const MAX_DELETIONS = 500;

/** Functions that decide pending events soon. */
const wakers = new WeakMap<Core, () => void>();
/** Data that all recipients of an event share. */
interface Shared {
  readonly eventId: number;
  readonly audience: Audience;
  readonly content: MailContent;
}

/** The shared data of the event that was decided last, because the next slice needs it again. */
const remembered = new WeakMap<Core, Shared>();

/** Records an event in the transaction of its cause. Recipients are decided after the commit. */
export function recordEvent(core: Core, event: NewNotificationEvent): void {
  insertEvent(core.store, {
    event: event.event,
    actor_id: event.actorId,
    project_id: event.projectId,
    group_id: event.groupId,
    target_type: event.targetType,
    target_id: event.targetId,
    details: JSON.stringify(event.details),
    created_at: core.clock.now(),
  });
  wakers.get(core)?.();
}

/**
 * Decides the next users of the oldest pending events and writes their mails. Decisions, mails and progress share a transaction, so each
 * user is mailed exactly once whenever the process ends. An event that fails is tried again later and does not block others
 * (docs/design/notifications.md). Returns true if there may be more to do.
 */
export function decideSome(core: MailCore): boolean {
  const { store, clock } = core;
  if (nextPending(store, clock.now()) === undefined) return false;
  let current: EventRow | undefined;
  try {
    store.transaction(() => {
      let budget = SLICE;
      for (let events = 0; events < MAX_EVENTS && budget > 0; events += 1) {
        current = nextPending(store, clock.now());
        if (current === undefined) return;
        budget -= decideSlice(core, current, budget);
      }
    });
  } catch (error) {
    remembered.delete(core);
    // A failure of the database itself is none of the event.
    if (current === undefined) throw error;
    recordFailure(core, current, error);
  }
  return true;
}

/** Decides the next users of an event. Returns the number of users. */
function decideSlice(core: MailCore, row: EventRow, limit: number): number {
  const { store } = core;
  const event = recordedEvent(row);
  const shared = sharedOf(core, event);
  if (shared === undefined) {
    writeProgress(store, row.id, null, row.content_id);
    return 0;
  }
  const { audience, content } = shared;
  let contentId = row.content_id;
  const { candidates, knownTo } = candidatesAfter(core, event, audience, { after: row.decided_to ?? 0, limit });
  for (const { userId, address, details } of candidates) {
    const { mailed, reason, candidacies } = decide(details);
    if (candidacies.length === 0) continue;
    if (mailed) contentId ??= storeContent(core, content);
    const messageId = content.messageId ?? randomBytes(16).toString('hex');
    const mailId = mailed && contentId !== null ? deliver(core, contentId, messageId, { userId, address, reason }) : null;
    insertDecision(store, { eventId: row.id, userId, mailId, mailed: mailed ? 1 : 0, details: JSON.stringify(details) });
  }
  writeProgress(store, row.id, knownTo, contentId);
  return candidates.length;
}

/** Returns what all recipients of an event share, or undefined if its target no longer exists. */
function sharedOf(core: Core, event: RecordedEvent): Shared | undefined {
  const known = remembered.get(core);
  if (known?.eventId === event.id) return known;
  const content = contentOf(core, event);
  const audience = content === undefined ? undefined : audienceOf(core, event);
  if (content === undefined || audience === undefined) return undefined;
  const shared = { eventId: event.id, audience, content };
  remembered.set(core, shared);
  return shared;
}

function recordFailure({ store, clock, log }: Core, { id, event, failures }: EventRow, error: unknown): void {
  const pause = RETRIES[failures];
  writeFailure(store, id, pause === undefined ? null : clock.now() + pause);
  if (failures === 0)
    log.error(`recipients of notification event ${id} (${event}) could not be decided; it is tried again`, error);
  if (pause === undefined) log.error(`notification event ${id} (${event}) was given up`, error);
}

export function recordedEvent(row: EventRow): RecordedEvent {
  return {
    id: row.id,
    event: row.event,
    actorId: row.actor_id,
    projectId: row.project_id,
    groupId: row.group_id,
    targetType: row.target_type,
    details: readEventDetails(row.details),
    targetId: row.target_id,
    createdAt: row.created_at,
  };
}

/** Decides everything that is pending, at once. For tests and preparations, which need not leave time to requests. */
export function decideAll(core: MailCore): void {
  while (decideSome(core));
}

/**
 * Decides pending events shortly after the commit of their cause, a slice per turn of the event loop, and at the next start those that are
 * left.
 */
export function scheduleDecisions(core: MailCore): void {
  const { store, clock, schedule, log } = core;
  schedule.add({
    name: 'pending notifications',
    next: () => nextPendingTime(store, clock.now()),
    run: () => decideSome(core),
  });
  schedule.add(
    retentionWork({
      name: 'notification events past their retention',
      oldest: () => oldestDecided(store),
      deleteUntil: (time) => deleteDecidedBefore(store, time, MAX_DELETIONS),
    }),
  );
  let isWaiting = false;
  const pump = (): void => {
    // The database may already be closed.
    if (core.live.isEnded) return;
    try {
      isWaiting = decideSome(core);
      if (isWaiting) setImmediate(pump);
    } catch (error) {
      isWaiting = false;
      log.error('pending notifications could not be decided', error);
    }
  };
  wakers.set(core, () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(pump, PAUSE).unref();
  });
}
