import type { User } from '../../core/caller.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

/** Follows a user. Returns false if the follower already follows them or both are the same user. */
export function insertFollow(store: Store, followerId: number, followeeId: number): boolean {
  if (followerId === followeeId) return false;
  const sql = 'INSERT INTO user_follows (follower_id, followee_id) VALUES ($followerId, $followeeId) ON CONFLICT DO NOTHING';
  return store.run(sql, { followerId, followeeId }).changes === 1;
}

/** Unfollows a user. Returns false if the follower did not follow them. */
export function deleteFollow(store: Store, followerId: number, followeeId: number): boolean {
  const sql = 'DELETE FROM user_follows WHERE follower_id = $followerId AND followee_id = $followeeId';
  return store.run(sql, { followerId, followeeId }).changes === 1;
}

/** Direction of a follow list. Users who cannot sign in are omitted from both. */
export type Side = 'followers' | 'following';

function from(side: Side): string {
  const [other, own] = side === 'followers' ? ['follower_id', 'followee_id'] : ['followee_id', 'follower_id'];
  return `FROM user_follows f JOIN users u ON u.id = f.${other} WHERE f.${own} = $userId AND u.state = 'active'`;
}

export function countFollows(store: Store, side: Side, userId: number, cap: number): number {
  return countRows(store, from(side), { userId }, cap);
}

/** Returns followers or followed users, most recent first. */
export function listFollows(store: Store, side: Side, userId: number, limit: number, offset: number): User[] {
  const sql = `SELECT u.* ${from(side)} ORDER BY f.id DESC LIMIT $limit OFFSET $offset`;
  return store.all<User>(sql, { userId, limit, offset });
}

const FOLLOWS = `SELECT (SELECT count(*) FROM (SELECT 1 ${from('followers')} LIMIT $cap)) AS followers,
  (SELECT count(*) FROM (SELECT 1 ${from('following')} LIMIT $cap)) AS following,
  EXISTS (SELECT 1 FROM user_follows WHERE follower_id = $viewer AND followee_id = $userId) AS is_followed`;

/** Returns the lengths of both lists of a user, counted up to `cap`, and whether the viewer follows the user. */
export function followsOf(
  store: Store,
  userId: number,
  viewer: number,
  cap: number,
): { readonly followers: number; readonly following: number; readonly isFollowed: boolean } {
  const row = store.get<{ followers: number; following: number; is_followed: number }>(FOLLOWS, { userId, viewer, cap });
  return { followers: row?.followers ?? 0, following: row?.following ?? 0, isFollowed: row?.is_followed === 1 };
}
