export const numberedOAuthTokens = `
-- A token says which row is its own, so that its hashes need no index. Those of before are found by theirs.
CREATE TABLE numbered_oauth_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  family INTEGER NOT NULL,
  grant_type TEXT NOT NULL,
  redirect_uri TEXT,
  code_challenge TEXT,
  access_hash TEXT NOT NULL,
  refresh_hash TEXT,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  ended_at INTEGER,
  authenticated_at INTEGER
) STRICT;
INSERT INTO numbered_oauth_tokens SELECT id, application_id, user_id, family, grant_type, redirect_uri, code_challenge,
  access_hash, refresh_hash, scopes, created_at, expires_at, revoked_at, rotated_at, ended_at, authenticated_at FROM oauth_tokens;
DELETE FROM sqlite_sequence WHERE name = 'numbered_oauth_tokens';
INSERT INTO sqlite_sequence (name, seq) SELECT 'numbered_oauth_tokens', seq FROM sqlite_sequence WHERE name = 'oauth_tokens';
DROP TABLE oauth_tokens;
ALTER TABLE numbered_oauth_tokens RENAME TO oauth_tokens;
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX oauth_tokens_by_application ON oauth_tokens (application_id, user_id);
CREATE TABLE earlier_oauth_tokens (
  hash TEXT PRIMARY KEY,
  token_id INTEGER NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX earlier_oauth_tokens_by_token ON earlier_oauth_tokens (token_id);
INSERT INTO earlier_oauth_tokens (hash, token_id)
  SELECT access_hash, id FROM oauth_tokens UNION ALL SELECT refresh_hash, id FROM oauth_tokens WHERE refresh_hash IS NOT NULL;
`;
