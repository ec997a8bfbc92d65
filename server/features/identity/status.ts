import { DAY, HOUR, isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { invalidRecord } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import type { availabilities, userStatus } from './responses.ts';

type Availability = (typeof availabilities)[number];

/** Time after which a status is cleared, in milliseconds. */
export const clearances = {
  '30_minutes': HOUR / 2,
  '3_hours': 3 * HOUR,
  '8_hours': 8 * HOUR,
  '1_day': DAY,
  '3_days': 3 * DAY,
  '7_days': 7 * DAY,
  '30_days': 30 * DAY,
} as const;
export type Clearance = keyof typeof clearances;

interface StatusRow {
  readonly emoji: string;
  readonly message: string | null;
  readonly availability: Availability;
  readonly clear_at: number | null;
}

/** Status of a user; omitted and empty members are cleared. */
export interface StatusInput {
  readonly emoji?: string | undefined;
  readonly message?: string | undefined;
  readonly availability?: Availability | undefined;
  /** Never cleared if omitted. */
  readonly clearAfter?: Clearance | undefined;
}

const DEFAULT_EMOJI = 'speech_balloon';
const MAX_MESSAGE_LENGTH = 100;

/** Returns the status of a user; undefined if it has none or it has expired. */
function statusOf({ store, clock }: Core, userId: number): StatusRow | undefined {
  return store.get<StatusRow>(
    `SELECT emoji, message, availability, clear_at FROM user_statuses
     WHERE user_id = $userId AND (clear_at IS NULL OR clear_at > $now)`,
    { userId, now: clock.now() },
  );
}

/**
 * Replaces the whole status of a user; removes it if everything is empty.
 *
 * @throws {Invalid} for an invalid status.
 */
export function setStatus(core: Core, userId: number, input: StatusInput): void {
  const { store, clock } = core;
  const { emoji = '', message = '', availability = 'not_set', clearAfter } = input;
  const validationErrors: Record<string, string[]> = {};
  if (!/^[a-z0-9_+-]*$/.test(emoji)) validationErrors['emoji'] = ['is not a valid emoji name'];
  if (message.length > MAX_MESSAGE_LENGTH)
    validationErrors['message'] = [`is too long (maximum is ${MAX_MESSAGE_LENGTH} characters)`];
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  store.transaction(() => {
    store.run('DELETE FROM user_statuses WHERE user_id = $userId', { userId });
    if (emoji === '' && message === '' && availability === 'not_set') return;
    store.run(
      `INSERT INTO user_statuses (user_id, emoji, message, availability, clear_at)
       VALUES ($userId, $emoji, $message, $availability, $clearAt)`,
      {
        userId,
        emoji: emoji === '' ? DEFAULT_EMOJI : emoji,
        message: message === '' ? null : message,
        availability,
        clearAt: clearAfter === undefined ? null : clock.now() + clearances[clearAfter],
      },
    );
  });
}

/**
 * Changes the given members of a user's status and keeps the others, including the time at which it is cleared.
 *
 * @throws {Invalid} for an invalid status.
 */
export function changeStatus(core: Core, userId: number, input: StatusInput): void {
  const before = statusOf(core, userId);
  core.store.transaction(() => {
    setStatus(core, userId, {
      emoji: input.emoji ?? before?.emoji,
      message: input.message ?? before?.message ?? undefined,
      availability: input.availability ?? before?.availability,
      clearAfter: input.clearAfter,
    });
    if (input.clearAfter !== undefined) return;
    const params = { userId, clearAt: before?.clear_at ?? null };
    core.store.run('UPDATE user_statuses SET clear_at = $clearAt WHERE user_id = $userId', params);
  });
}

export function presentStatus(core: Core, userId: number): ResponseOf<typeof userStatus> {
  const status = statusOf(core, userId);
  return {
    emoji: status?.emoji ?? null,
    message: status?.message ?? null,
    availability: status?.availability ?? null,
    message_html: escaped(status?.message ?? ''),
    clear_status_at: status?.clear_at === undefined || status.clear_at === null ? null : isoTime(status.clear_at),
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
