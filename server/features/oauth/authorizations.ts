import type { Core } from '../../core/core.ts';
import { grantedTokens, takeBackGrants } from './store.ts';

/** Access that a user has granted to an application in all active sign-ins. */
export interface Authorization {
  /** Null for clients that used the password grant without an application. */
  readonly applicationId: number | null;
  readonly name: string | null;
  readonly scopes: readonly string[];
  /** Times at which the first and the latest of these sign-ins were granted or renewed. */
  readonly since: number;
  readonly renewedAt: number;
}

/** Returns the applications that can access the account of a user with a valid or renewable token, and clients without an application. */
export function authorizationsOf({ store, clock }: Core, userId: number): readonly Authorization[] {
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

/** Revokes all access that a user has granted to an application, including pending grants. Returns false if there was none. */
export function revokeAuthorization({ store, clock }: Core, userId: number, applicationId: number | null): boolean {
  const changes = store.transaction(() => takeBackGrants(store, { userId, applicationId, now: clock.now() }));
  return changes > 0;
}
