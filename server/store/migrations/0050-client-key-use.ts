export const clientKeyUse = `
-- When a client key was last used, and the last request with it that was refused.
CREATE TABLE tracked_key_states (
  key_id INTEGER PRIMARY KEY REFERENCES error_tracking_client_keys (id) ON DELETE CASCADE,
  used_at INTEGER,
  refused_at INTEGER,
  refused_code TEXT,
  refused_status INTEGER,
  refused_reason TEXT
) STRICT;

-- Number of events that were received with a client key, by UTC day since 1970.
CREATE TABLE tracked_key_days (
  key_id INTEGER NOT NULL REFERENCES error_tracking_client_keys (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  events INTEGER NOT NULL,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_key_days_by_day ON tracked_key_days (day);

-- Programs that sent events with a client key. What an event does not name is an empty text.
CREATE TABLE tracked_key_programs (
  key_id INTEGER NOT NULL REFERENCES error_tracking_client_keys (id) ON DELETE CASCADE,
  release_version TEXT NOT NULL,
  server_name TEXT NOT NULL,
  sdk TEXT NOT NULL,
  events INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, release_version, server_name, sdk)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_key_programs_by_last ON tracked_key_programs (last_at);
`;
