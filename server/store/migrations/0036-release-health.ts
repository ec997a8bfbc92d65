export const releaseHealth = `
-- Release health: sessions that programs report one by one, and those that they counted themselves. Where there is none, an environment and a
-- user are empty.
CREATE TABLE tracked_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- None of a session that had ended when it was first heard of.
  sid BLOB,
  app_release_id INTEGER NOT NULL REFERENCES app_releases (id) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  user_hash BLOB NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'exited', 'crashed', 'abnormal')),
  seq INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  -- The latest report.
  received_at INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- Seconds.
  duration REAL,
  abnormal_mechanism TEXT,
  UNIQUE (project_id, sid)
) STRICT;
CREATE INDEX tracked_sessions_by_start ON tracked_sessions (project_id, started_at);
CREATE INDEX tracked_sessions_by_release ON tracked_sessions (app_release_id, started_at);
CREATE INDEX tracked_sessions_by_receipt ON tracked_sessions (received_at);

CREATE TABLE tracked_session_counts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  app_release_id INTEGER NOT NULL REFERENCES app_releases (id) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  user_hash BLOB NOT NULL,
  -- The minute in which they began.
  started_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  exited INTEGER NOT NULL,
  errored INTEGER NOT NULL,
  crashed INTEGER NOT NULL,
  abnormal INTEGER NOT NULL,
  UNIQUE (app_release_id, started_at, environment, user_hash)
) STRICT;
CREATE INDEX tracked_session_counts_by_start ON tracked_session_counts (project_id, started_at);
CREATE INDEX tracked_session_counts_by_receipt ON tracked_session_counts (received_at);

-- Requests with sessions that have no id, remembered for some minutes: what is sent again is not counted again.
CREATE TABLE tracked_session_requests (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_session_requests_by_receipt ON tracked_session_requests (received_at);
`;
