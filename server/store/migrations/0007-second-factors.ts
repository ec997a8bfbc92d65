export const secondFactors = `
-- The second factor of a person: the secret of their app, sealed (server/core/sealing.ts). enabled_at is null while it is being set up.
CREATE TABLE second_factors (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  enabled_at INTEGER
) STRICT;
CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;
-- The time steps whose code a person has used: none is good twice (RFC 6238 §5.2).
CREATE TABLE spent_time_steps (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  step INTEGER NOT NULL,
  spent_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_time_steps_by_time ON spent_time_steps (spent_at);
-- Whose password was right on a browser that has yet to show the second factor, and until when it may.
ALTER TABLE web_sessions ADD COLUMN half_user_id INTEGER REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE web_sessions ADD COLUMN half_until INTEGER;
`;
