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

export function isFollowed(store: Store, followerId: number, followeeId: number): boolean {
  const sql = 'SELECT 1 FROM user_follows WHERE follower_id = $followerId AND followee_id = $followeeId';
  return store.get(sql, { followerId, followeeId }) !== undefined;
}
