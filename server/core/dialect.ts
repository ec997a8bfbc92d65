import type { Profile } from './profile.ts';

/**
 * All differences between the two dialects. `documented` follows the documented interface, `observed` what GitLab servers send
 * today. No other code depends on the dialect.
 */
export interface DialectRules {
  /** `token_type` of code, PKCE, refresh and password responses. Device and client-credentials responses use `Bearer` in both dialects. */
  readonly tokenType: 'bearer' | 'Bearer';
  /** `action_name` of a push event, by the action on the ref. */
  readonly pushActionName: Readonly<Record<'pushed' | 'created' | 'removed', 'pushed' | 'pushed to' | 'pushed new' | 'deleted'>>;
  /** Names of the two members of error tracking that differ. */
  readonly trackerMembers:
    | { readonly externalUrl: 'tracker_external_url'; readonly dsn: 'tracker_dsn' }
    | { readonly externalUrl: 'sentry_external_url'; readonly dsn: 'sentry_dsn' };
  /** True if OAuth errors with status 400 include `WWW-Authenticate`. RFC 6749 §5.2 requires it only for 401. */
  readonly challengeOnBadRequest: boolean;
  /** True if a PKCE verifier consists of any characters, such as the padding `=`. Otherwise RFC 7636 §4.1 applies. */
  readonly verifierOfAnyCharacters: boolean;
  /** True if `/events` and `/users/:id/events` include events of merge requests and their notes. */
  readonly mergeRequestEventsInUserFeeds: boolean;
  /** True if `/users/:id/events` requires a token, as `/events` does in both dialects. */
  readonly tokenForUserFeeds: boolean;
  /** True if `GET /users` uses keyset pagination when neither `page` nor `pagination` is sent (from release 16.5). */
  readonly usersKeysetByDefault: boolean;
}

const documented: DialectRules = {
  tokenType: 'bearer',
  pushActionName: { pushed: 'pushed', created: 'pushed', removed: 'pushed' },
  trackerMembers: { externalUrl: 'tracker_external_url', dsn: 'tracker_dsn' },
  challengeOnBadRequest: false,
  verifierOfAnyCharacters: false,
  mergeRequestEventsInUserFeeds: false,
  tokenForUserFeeds: true,
  usersKeysetByDefault: true,
};

const observed: DialectRules = {
  tokenType: 'Bearer',
  pushActionName: { pushed: 'pushed to', created: 'pushed new', removed: 'deleted' },
  trackerMembers: { externalUrl: 'sentry_external_url', dsn: 'sentry_dsn' },
  challengeOnBadRequest: true,
  verifierOfAnyCharacters: true,
  mergeRequestEventsInUserFeeds: true,
  tokenForUserFeeds: false,
  usersKeysetByDefault: false,
};

export function dialectRules(profile: Profile): DialectRules {
  return profile.dialect === 'observed' ? observed : documented;
}
