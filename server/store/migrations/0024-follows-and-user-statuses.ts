export const followsAndUserStatuses = `
-- Whom people follow, and what they say they are doing.
CREATE TABLE user_follows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  follower_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  followee_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  UNIQUE (follower_id, followee_id)
) STRICT;
CREATE INDEX user_follows_by_followee ON user_follows (followee_id, id);
CREATE TABLE user_statuses (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  emoji TEXT NOT NULL,
  message TEXT,
  availability TEXT NOT NULL CHECK (availability IN ('not_set', 'busy')),
  clear_at INTEGER
) STRICT;
`;
