import type { PersonalTokenRow } from './store.ts';
import type { personalToken } from './responses.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { isoDate, isoTime } from '../../core/clock.ts';

/** Returns true for a token that is neither revoked nor expired. */
export function isActiveToken(token: PersonalTokenRow, now: number): boolean {
  return token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

/** Presents a personal access token without its value. */
export function presentPersonalToken(token: PersonalTokenRow, now: number): ResponseOf<typeof personalToken> {
  return {
    id: token.id,
    name: token.name,
    revoked: token.revoked_at !== null,
    created_at: isoTime(token.created_at),
    description: token.description,
    scopes: token.scopes.split(' '),
    user_id: token.user_id,
    last_used_at: nullableTime(token.last_used_at),
    active: isActiveToken(token, now),
    expires_at: token.expires_at === null ? null : isoDate(token.expires_at),
  };
}

function nullableTime(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
