export const endedOAuthTokens = `
-- When every token of a family was revoked; null while it lives. All rows of a family have the same.
ALTER TABLE oauth_tokens ADD COLUMN ended_at INTEGER;
UPDATE oauth_tokens SET ended_at = (SELECT max(t.revoked_at) FROM oauth_tokens t WHERE t.family = oauth_tokens.family)
  WHERE NOT EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.family = oauth_tokens.family AND t.revoked_at IS NULL);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (ended_at) WHERE ended_at IS NOT NULL;
`;
