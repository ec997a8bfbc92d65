export const oauthTokensWithoutApplication = `
-- A token of the password grant may belong to no application; a column cannot be made nullable in place.
CREATE TABLE oauth_tokens_of_any (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  family INTEGER NOT NULL,
  grant_type TEXT NOT NULL,
  redirect_uri TEXT,
  code_challenge TEXT,
  access_hash TEXT NOT NULL UNIQUE,
  refresh_hash TEXT UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  ended_at INTEGER,
  authenticated_at INTEGER
) STRICT;
INSERT INTO oauth_tokens_of_any
  SELECT id, application_id, user_id, family, grant_type, redirect_uri, code_challenge, access_hash, refresh_hash, scopes,
    created_at, expires_at, revoked_at, rotated_at, ended_at, authenticated_at FROM oauth_tokens;
DROP TABLE oauth_tokens;
ALTER TABLE oauth_tokens_of_any RENAME TO oauth_tokens;
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX oauth_tokens_by_application ON oauth_tokens (application_id, user_id);
`;
