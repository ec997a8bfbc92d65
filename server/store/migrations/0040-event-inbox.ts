export const eventInbox = `
-- Events that were received and are not counted yet, as they came: with each, nothing else is written. The ids go on in tracked_events.
-- A grouping that is not there any more takes what is here of it along when the others are counted.
CREATE TABLE tracked_inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  event_id BLOB NOT NULL,
  grouping_id INTEGER NOT NULL,
  occurred_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  user_hash BLOB,
  app_release_id INTEGER,
  environment TEXT,
  level TEXT NOT NULL,
  -- Title and the like as JSON, of the latest of those of a grouping that came at once.
  appearance TEXT,
  encoding TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('envelope', 'store')),
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (project_id, event_id)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) SELECT 'tracked_inbox', seq FROM sqlite_sequence WHERE name = 'tracked_events';

-- What was received of the latest events of a grouping stands in 256 places of its own, from its id times 256 on, and each event takes the
-- place of the one that is the oldest there: what is written lies together, and nothing has to be looked for that can go.
ALTER TABLE tracked_groupings RENAME COLUMN payload_count TO payload_number;
ALTER TABLE tracked_events ADD COLUMN payload_id INTEGER;
CREATE TABLE placed_payloads (
  id INTEGER PRIMARY KEY,
  event_id INTEGER NOT NULL,
  encoding TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('envelope', 'store')),
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
UPDATE tracked_groupings SET payload_number =
  MIN(200, (SELECT COUNT(*) FROM tracked_events AS event JOIN tracked_payloads AS payload ON payload.event_id = event.id
    WHERE event.grouping_id = tracked_groupings.id));
UPDATE tracked_events SET payload_id = placed.id
  FROM (
    SELECT event.id AS event_id, event.grouping_id * 256 + one.payload_number
        - row_number() OVER (PARTITION BY event.grouping_id ORDER BY event.id DESC) AS id, one.id * 256 AS first
    FROM tracked_events AS event JOIN tracked_payloads AS payload ON payload.event_id = event.id
      JOIN tracked_groupings AS one ON one.id = event.grouping_id
  ) AS placed WHERE placed.event_id = tracked_events.id AND placed.id >= placed.first;
INSERT INTO placed_payloads SELECT event.payload_id, event.id, encoding, form, ordinal, bytes
  FROM tracked_events AS event JOIN tracked_payloads AS payload ON payload.event_id = event.id WHERE event.payload_id IS NOT NULL;
DROP TABLE tracked_payloads;
ALTER TABLE placed_payloads RENAME TO tracked_payloads;
CREATE TRIGGER tracked_groupings_after_delete AFTER DELETE ON tracked_groupings BEGIN
  DELETE FROM tracked_payloads WHERE id BETWEEN old.id * 256 AND old.id * 256 + 255;
END;
`;
