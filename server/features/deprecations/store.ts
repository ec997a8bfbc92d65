import type { DeprecationId } from '../../../src/contract/deprecations.ts';
import { applicationNames, applicationsOfTokens } from '../oauth/oauth.ts';
import type { DeprecatedCall } from '../../http/httpParts.ts';
import type { Store } from '../../store/open.ts';

/** Calls that are counted together. */
export interface CountedCall extends Omit<DeprecatedCall, 'at'> {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Maximum number of stored rows. Calls of further clients are not stored. */
const MAX_ROWS = 10_000;

/** Adds counted calls to the stored ones. */
export function addCalls(store: Store, calls: readonly CountedCall[]): void {
  store.transaction(() => {
    const applications = applicationsOfTokens(
      store,
      calls.flatMap(({ oauthTokenId }) => oauthTokenId ?? []),
    );
    for (const { deprecation, username, userAgent, oauthTokenId, request, count, firstAt, lastAt } of calls) {
      store.run(
        `INSERT INTO deprecated_calls (deprecation, user_id, user_agent, application_id, request, count, first_at, last_at)
         SELECT $deprecation, coalesce((SELECT id FROM users_view WHERE username = $username), 0), $userAgent,
           $applicationId, $request, $count, $firstAt, $lastAt
         WHERE (SELECT count(*) FROM deprecated_calls) < $maxRows
         ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
        {
          deprecation,
          username,
          userAgent,
          applicationId: (oauthTokenId === undefined ? undefined : applications.get(oauthTokenId)) ?? 0,
          request,
          count,
          firstAt,
          lastAt,
          maxRows: MAX_ROWS,
        },
      );
    }
  });
}

export interface StoredCall {
  readonly deprecation: DeprecationId;
  /** Null for anonymous callers. */
  readonly username: string | null;
  readonly user_agent: string;
  readonly application_name: string | null;
  readonly request: string;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** Selects stored calls. An omitted member does not limit. */
export interface CallFilter {
  readonly userId?: number | undefined;
  readonly deprecations?: readonly DeprecationId[] | undefined;
}

const CONDITION = `($userId IS NULL OR c.user_id = $userId)
  AND ($deprecations IS NULL OR c.deprecation IN (SELECT value FROM json_each($deprecations)))`;

function valuesOf({ userId, deprecations }: CallFilter) {
  return { userId: userId ?? null, deprecations: deprecations === undefined ? null : JSON.stringify(deprecations) };
}

/** Returns stored calls, the latest first. */
export function listCalls(store: Store, filter: CallFilter, limit: number, offset = 0): readonly StoredCall[] {
  const rows = store.all<Omit<StoredCall, 'application_name'> & { readonly application_id: number }>(
    `SELECT c.deprecation, u.username, c.user_agent, c.application_id, c.request, c.count, c.first_at, c.last_at
     FROM deprecated_calls c
     LEFT JOIN users_view u ON u.id = c.user_id
     WHERE ${CONDITION}
     ORDER BY c.last_at DESC, c.id DESC LIMIT $limit OFFSET $offset`,
    { ...valuesOf(filter), limit, offset },
  );
  const names = applicationNames(store, [...new Set(rows.map((row) => row.application_id))]);
  return rows.map(({ application_id: applicationId, ...row }) => ({
    ...row,
    application_name: names.get(applicationId) ?? null,
  }));
}

/** Returns the number of rows of `listCalls` without a limit. */
export function countCalls(store: Store, filter: CallFilter): number {
  return store.get<{ n: number }>(`SELECT count(*) AS n FROM deprecated_calls c WHERE ${CONDITION}`, valuesOf(filter))?.n ?? 0;
}

/** Deletes the calls of a user, or those of everyone with undefined. */
export function deleteCalls(store: Store, userId: number | undefined): void {
  store.run('DELETE FROM deprecated_calls WHERE $userId IS NULL OR user_id = $userId', { userId: userId ?? null });
}

/** Returns the earliest time of a last call, or null without calls. */
export function oldestCall(store: Store): number | null {
  return store.get<{ at: number | null }>('SELECT min(last_at) AS at FROM deprecated_calls')?.at ?? null;
}

/** Deletes calls that were last made by a time. Returns their number, at most `limit`. */
export function deleteCallsUntil(store: Store, until: number, limit: number): number {
  return store.run('DELETE FROM deprecated_calls WHERE last_at <= $until ORDER BY last_at LIMIT $limit', { until, limit })
    .changes;
}
