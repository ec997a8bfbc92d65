import type { Platform } from '../platform.ts';

/** What a person has granted to one application, over all sign-ins that live. */
export interface Authorization {
  readonly applicationId: number;
  readonly name: string;
  readonly scopes: readonly string[];
  /** When the first and the latest of these sign-ins were granted or renewed. */
  readonly since: number;
  readonly renewedAt: number;
}

/** Applications that can use the account of a person: by a token that is good, or by one with which they can get another. */
export function authorizationsOf({ store, clock }: Platform, userId: number): readonly Authorization[] {
  const rows = store.all<{ applicationId: number; name: string; scopes: string; since: number; renewedAt: number }>(
    `SELECT t.application_id AS applicationId, a.name, t.scopes, f.created_at AS since, t.created_at AS renewedAt
     FROM oauth_tokens t
       JOIN oauth_applications a ON a.id = t.application_id
       JOIN oauth_tokens f ON f.id = t.family
     WHERE t.user_id = $userId AND t.revoked_at IS NULL AND (t.refresh_hash IS NOT NULL OR t.expires_at IS NULL OR t.expires_at > $now)
     ORDER BY a.name, a.id, t.id`,
    { userId, now: clock.now() },
  );
  const found = new Map<number, Authorization>();
  for (const { scopes, ...row } of rows) {
    const before = found.get(row.applicationId);
    found.set(row.applicationId, {
      ...row,
      scopes: [...new Set([...(before?.scopes ?? []), ...scopes.split(' ')])],
      since: Math.min(row.since, before?.since ?? row.since),
      renewedAt: Math.max(row.renewedAt, before?.renewedAt ?? row.renewedAt),
    });
  }
  return [...found.values()];
}

/** Takes from an application everything a person has granted to it, also what it has not fetched yet. False when there was nothing. */
export function revokeAuthorization({ store, clock, schedule }: Platform, userId: number, applicationId: number): boolean {
  const params = { userId, applicationId };
  const changes = store.transaction(() => {
    const tokens = store.run(
      `UPDATE oauth_tokens SET revoked_at = coalesce(revoked_at, $now), ended_at = $now
       WHERE user_id = $userId AND application_id = $applicationId AND ended_at IS NULL`,
      { ...params, now: clock.now() },
    );
    const codes = store.run(
      'DELETE FROM oauth_authorization_codes WHERE user_id = $userId AND application_id = $applicationId AND spent_at IS NULL',
      params,
    );
    const devices = store.run(
      `UPDATE oauth_device_grants SET state = 'denied'
       WHERE user_id = $userId AND application_id = $applicationId AND state = 'approved'`,
      params,
    );
    return tokens.changes + codes.changes + devices.changes;
  });
  schedule.touch();
  return changes > 0;
}
