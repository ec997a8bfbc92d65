import type { Profile } from './profile.ts';

/**
 * Everything in which the two dialects differ. `documented` says what the documented interface says, `observed` what servers of this
 * family send today. Nothing else in the server looks at the dialect.
 */
export interface Wording {
  /** `token_type` of code, PKCE, refresh and password answers; device and client-credentials answers say `Bearer` in both. */
  readonly tokenType: 'bearer' | 'Bearer';
  /** `action_name` of a push event, by what happened to the ref. */
  readonly pushActionName: Readonly<Record<'pushed' | 'created' | 'removed', string>>;
  /** What the two members of error tracking are called that differ. */
  readonly trackerMembers:
    | { readonly externalUrl: 'tracker_external_url'; readonly dsn: 'tracker_dsn' }
    | { readonly externalUrl: 'sentry_external_url'; readonly dsn: 'sentry_dsn' };
  /** Whether OAuth errors with status 400 carry `WWW-Authenticate`; RFC 6749 §5.2 asks for it on 401 only. */
  readonly challengeOnBadRequest: boolean;
  /** Whether events of merge requests and of their notes are in `/events` and `/users/:id/events`. */
  readonly mergeRequestEventsInUserFeeds: boolean;
  /** Whether `GET /users` answers in keyset form when neither `page` nor `pagination` is sent (from release 16.5). */
  readonly usersKeysetByDefault: boolean;
}

const documented: Wording = {
  tokenType: 'bearer',
  pushActionName: { pushed: 'pushed', created: 'pushed', removed: 'pushed' },
  trackerMembers: { externalUrl: 'tracker_external_url', dsn: 'tracker_dsn' },
  challengeOnBadRequest: false,
  mergeRequestEventsInUserFeeds: false,
  usersKeysetByDefault: true,
};

const observed: Wording = {
  tokenType: 'Bearer',
  pushActionName: { pushed: 'pushed to', created: 'pushed new', removed: 'deleted' },
  trackerMembers: { externalUrl: 'sentry_external_url', dsn: 'sentry_dsn' },
  challengeOnBadRequest: true,
  mergeRequestEventsInUserFeeds: true,
  usersKeysetByDefault: false,
};

export function wordingOf(profile: Profile): Wording {
  return profile.dialect === 'observed' ? observed : documented;
}
