export const sshKeys = `
-- Public SSH keys of users. A key belongs to one user, and is not a deploy key at the same time.
CREATE TABLE ssh_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  fingerprint_sha256 TEXT NOT NULL UNIQUE,
  usage_type TEXT NOT NULL CHECK (usage_type IN ('auth', 'signing', 'auth_and_signing')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX ssh_keys_by_user ON ssh_keys (user_id, id);
CREATE INDEX ssh_keys_by_fingerprint ON ssh_keys (fingerprint);
CREATE VIEW deploy_keys_view AS SELECT id, fingerprint_sha256 FROM deploy_keys;
`;
