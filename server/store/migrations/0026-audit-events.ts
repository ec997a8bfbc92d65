export const auditEvents = `
-- Who did what that administrators want to know of. It outlives what it tells of, so nothing is referenced; author_id -1 is nobody in particular.
-- details: JSON, as it is shown.
CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id INTEGER NOT NULL,
  event_name TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX audit_events_by_entity ON audit_events (entity_type, entity_id, id);
CREATE INDEX audit_events_by_type ON audit_events (entity_type, id);
CREATE INDEX audit_events_by_author ON audit_events (entity_type, entity_id, author_id, id);
-- Which times blocks of 1024 ids that follow one another reach over: lists are in the order of ids and limited to a window of times.
CREATE TABLE audit_event_blocks (
  block INTEGER PRIMARY KEY,
  earliest INTEGER NOT NULL,
  latest INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_events_made AFTER INSERT ON audit_events BEGIN
  INSERT INTO audit_event_blocks (block, earliest, latest) VALUES (new.id >> 10, new.created_at, new.created_at)
    ON CONFLICT (block) DO UPDATE SET earliest = min(earliest, new.created_at), latest = max(latest, new.created_at);
END;
`;
