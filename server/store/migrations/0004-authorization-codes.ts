export const authorizationCodes = `
-- Authorization codes (RFC 6749 §4.1.2). The challenge is always that of S256. family: of the tokens it was exchanged for.
CREATE TABLE oauth_authorization_codes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL UNIQUE,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL,
  code_challenge TEXT,
  nonce TEXT,
  authenticated_at INTEGER,
  family INTEGER,
  spent_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_authorization_codes_by_expiry ON oauth_authorization_codes (expires_at);
CREATE INDEX oauth_applications_by_owner ON oauth_applications (owner_id, id);
CREATE INDEX oauth_tokens_by_application ON oauth_tokens (application_id, user_id);
-- When the person had signed in who granted this; null where nobody did on a page.
ALTER TABLE oauth_tokens ADD COLUMN authenticated_at INTEGER;
`;
