/** A payload is stored once for all deliveries of its event, and the stored bytes of a project are counted. */
export const payloadsOfHooks = `
CREATE TABLE hook_payloads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The project that the event happened in. Null if it was deleted.
  project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  payload TEXT NOT NULL,
  -- What the payload still needs of the repository, as JSON; null if it is complete.
  completion TEXT,
  -- Bytes of the payload and of its deliveries.
  size INTEGER NOT NULL
) STRICT;
CREATE INDEX hook_payloads_project ON hook_payloads (project_id, id);

INSERT INTO hook_payloads (id, project_id, payload, completion, size)
SELECT id, (SELECT id FROM projects WHERE projects.id = found), payload, completion, octet_length(payload)
FROM (SELECT d.id, d.payload, d.completion,
    coalesce(h.project_id, d.payload ->> '$.project.id', d.payload ->> '$.project_id') AS found,
    row_number() OVER (PARTITION BY d.event_uuid ORDER BY d.completion IS NOT NULL, d.id) AS place
  FROM hook_deliveries AS d JOIN hooks AS h ON h.id = d.hook_id)
WHERE place = 1;

ALTER TABLE hook_deliveries ADD COLUMN payload_id INTEGER REFERENCES hook_payloads (id);
CREATE INDEX hook_deliveries_event ON hook_deliveries (event_uuid);
UPDATE hook_deliveries SET payload_id = (SELECT p.id FROM hook_deliveries AS other JOIN hook_payloads AS p ON p.id = other.id
  WHERE other.event_uuid = hook_deliveries.event_uuid);
DROP INDEX hook_deliveries_event;
ALTER TABLE hook_deliveries DROP COLUMN payload;
ALTER TABLE hook_deliveries DROP COLUMN completion;
CREATE INDEX hook_deliveries_payload ON hook_deliveries (payload_id, id);

UPDATE hook_payloads SET size = size + (SELECT sum(1024 + coalesce(
  octet_length(request_headers) + octet_length(response_headers) + octet_length(response_body), 0))
  FROM hook_deliveries WHERE payload_id = hook_payloads.id);

-- Bytes that the deliveries of the events of a project take.
CREATE TABLE hook_storage (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  size INTEGER NOT NULL
) STRICT;
INSERT INTO hook_storage (project_id, size)
SELECT project_id, sum(size) FROM hook_payloads WHERE project_id IS NOT NULL GROUP BY project_id;

CREATE TRIGGER hook_payloads_after_insert AFTER INSERT ON hook_payloads WHEN new.project_id IS NOT NULL BEGIN
  INSERT INTO hook_storage (project_id, size) VALUES (new.project_id, new.size)
    ON CONFLICT (project_id) DO UPDATE SET size = size + new.size;
END;
CREATE TRIGGER hook_payloads_after_update AFTER UPDATE OF size ON hook_payloads BEGIN
  UPDATE hook_storage SET size = size + new.size - old.size WHERE project_id = new.project_id;
END;
CREATE TRIGGER hook_payloads_after_delete AFTER DELETE ON hook_payloads BEGIN
  UPDATE hook_storage SET size = size - old.size WHERE project_id = old.project_id;
END;
CREATE TRIGGER hook_deliveries_after_insert AFTER INSERT ON hook_deliveries BEGIN
  UPDATE hook_payloads SET size = size + 1024 + coalesce(
    octet_length(new.request_headers) + octet_length(new.response_headers) + octet_length(new.response_body), 0)
    WHERE id = new.payload_id;
END;
CREATE TRIGGER hook_deliveries_after_update AFTER UPDATE OF request_headers, response_headers, response_body ON hook_deliveries BEGIN
  UPDATE hook_payloads SET size = size
    + coalesce(octet_length(new.request_headers) + octet_length(new.response_headers) + octet_length(new.response_body), 0)
    - coalesce(octet_length(old.request_headers) + octet_length(old.response_headers) + octet_length(old.response_body), 0)
    WHERE id = new.payload_id;
END;
CREATE TRIGGER hook_deliveries_after_delete AFTER DELETE ON hook_deliveries BEGIN
  UPDATE hook_payloads SET size = size - 1024 - coalesce(
    octet_length(old.request_headers) + octet_length(old.response_headers) + octet_length(old.response_body), 0)
    WHERE id = old.payload_id;
  DELETE FROM hook_payloads WHERE id = old.payload_id
    AND NOT EXISTS (SELECT 1 FROM hook_deliveries WHERE payload_id = old.payload_id);
END;
`;
