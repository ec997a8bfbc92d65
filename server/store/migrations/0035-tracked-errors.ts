export const trackedErrors = `
-- Errors that programs report. An event belongs to a grouping (one hash of what its like have in common), a grouping to an error: merging and
-- splitting errors repoints groupings. Everything that is counted is counted by grouping, and can be counted again from the events.
CREATE TABLE app_releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  UNIQUE (project_id, version)
) STRICT;

CREATE TABLE tracked_errors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Number by which the error is known outside; made of the first hash of it.
  fingerprint INTEGER NOT NULL,
  -- Of the latest event.
  title TEXT NOT NULL,
  type TEXT,
  message TEXT,
  culprit TEXT NOT NULL,
  platform TEXT NOT NULL,
  level TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'unresolved' CHECK (status IN ('unresolved', 'resolved', 'resolved_in_next_release', 'ignored')),
  -- When and on which release the status was given, until when an ignored error is ignored, and what was counted when that began.
  status_at INTEGER,
  status_release TEXT,
  ignored_until TEXT CHECK (ignored_until IN ('next_occurrence', 'occurrences', 'occurrences_per_hour', 'date')),
  ignored_number INTEGER,
  counted_events INTEGER NOT NULL DEFAULT 0,
  counted_hour INTEGER NOT NULL DEFAULT 0,
  counted_of_hour INTEGER NOT NULL DEFAULT 0,
  is_regression INTEGER NOT NULL DEFAULT 0,
  is_overflow INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- By the time of the events.
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  first_release_id INTEGER REFERENCES app_releases (id),
  last_release_id INTEGER REFERENCES app_releases (id),
  event_count INTEGER NOT NULL DEFAULT 0,
  user_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (project_id, fingerprint)
) STRICT;
CREATE INDEX tracked_errors_by_creation ON tracked_errors (project_id, created_at);
CREATE INDEX tracked_errors_by_last_seen ON tracked_errors (project_id, status, last_seen_at, id);
CREATE INDEX tracked_errors_by_first_seen ON tracked_errors (project_id, status, first_seen_at, id);
CREATE INDEX tracked_errors_by_frequency ON tracked_errors (project_id, status, event_count, id);
CREATE INDEX tracked_errors_by_first_release ON tracked_errors (first_release_id);
CREATE INDEX tracked_errors_by_last_release ON tracked_errors (last_release_id);

CREATE TABLE tracked_groupings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  error_id INTEGER NOT NULL REFERENCES tracked_errors (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  algorithm INTEGER NOT NULL,
  event_count INTEGER NOT NULL DEFAULT 0,
  payload_count INTEGER NOT NULL DEFAULT 0,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  UNIQUE (project_id, hash)
) STRICT;
CREATE INDEX tracked_groupings_by_error ON tracked_groupings (error_id);

-- One slim row for each event; what was sent is kept for the latest only.
CREATE TABLE tracked_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  event_id BLOB NOT NULL,
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  occurred_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  user_hash BLOB,
  app_release_id INTEGER REFERENCES app_releases (id),
  environment TEXT,
  level TEXT NOT NULL,
  UNIQUE (project_id, event_id)
) STRICT;
CREATE INDEX tracked_events_by_grouping ON tracked_events (grouping_id, id);
CREATE INDEX tracked_events_by_receipt ON tracked_events (received_at);
CREATE INDEX tracked_events_by_release ON tracked_events (app_release_id);
CREATE TABLE tracked_payloads (
  event_id INTEGER PRIMARY KEY REFERENCES tracked_events (id) ON DELETE CASCADE,
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  -- How the bytes are compressed, what they hold, and which of its events is meant.
  encoding TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('envelope', 'store')),
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX tracked_payloads_by_grouping ON tracked_payloads (grouping_id, event_id);

CREATE TABLE tracked_users (
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  user_hash BLOB NOT NULL,
  event_count INTEGER NOT NULL,
  PRIMARY KEY (grouping_id, user_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE tracked_hours (
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  -- Hours since 1970, UTC.
  hour INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  PRIMARY KEY (grouping_id, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE tracked_facets (
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('environment', 'level', 'release')),
  value TEXT NOT NULL,
  event_count INTEGER NOT NULL,
  PRIMARY KEY (grouping_id, kind, value)
) STRICT, WITHOUT ROWID;
-- Title and stack of errors, searched by any three letters and more.
CREATE VIRTUAL TABLE tracked_search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER tracked_errors_after_delete AFTER DELETE ON tracked_errors BEGIN
  DELETE FROM tracked_search WHERE rowid = old.id;
END;
`;
