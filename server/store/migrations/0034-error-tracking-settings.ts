export const errorTrackingSettings = `
-- Whether errors of a project are tracked, and the keys with which SDKs send them. A key is public: it stands in every page that uses it.
CREATE TABLE error_tracking_settings (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  integrated INTEGER NOT NULL,
  -- Whether secrets are taken out of what is sent.
  scrub_data INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE error_tracking_client_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL UNIQUE,
  active INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX error_tracking_client_keys_by_project ON error_tracking_client_keys (project_id, id);
-- What SDKs say they have not sent.
CREATE TABLE client_key_discards (
  key_id INTEGER NOT NULL REFERENCES error_tracking_client_keys (id) ON DELETE CASCADE,
  reason TEXT NOT NULL,
  category TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, reason, category)
) STRICT, WITHOUT ROWID;
`;
