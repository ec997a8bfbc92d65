import type { Platform } from '../platform.ts';
import { grantedTokens, takeBackGrants } from './store.ts';

/** What a person has granted to one application, over all sign-ins that live. */
export interface Authorization {
  /** Null for programs that came with the password alone, and named no application. */
  readonly applicationId: number | null;
  readonly name: string | null;
  readonly scopes: readonly string[];
  /** When the first and the latest of these sign-ins were granted or renewed. */
  readonly since: number;
  readonly renewedAt: number;
}

/** Applications, and programs without one, that can use the account of a person: by a token that is good, or by one with which they can get another. */
export function authorizationsOf({ store, clock }: Platform, userId: number): readonly Authorization[] {
  const rows = grantedTokens(store, userId, clock.now());
  const found = new Map<number | null, Authorization>();
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
export function revokeAuthorization({ store, clock }: Platform, userId: number, applicationId: number | null): boolean {
  const changes = store.transaction(() => takeBackGrants(store, { userId, applicationId, now: clock.now() }));
  return changes > 0;
}
