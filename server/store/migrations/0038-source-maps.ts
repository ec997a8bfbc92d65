export const sourceMaps = `
-- Source maps that were uploaded, compressed. What is not known of one is empty; the bytes stand behind what lists read.
CREATE TABLE source_maps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  file TEXT NOT NULL,
  app_release TEXT NOT NULL,
  dist TEXT NOT NULL,
  debug_id TEXT NOT NULL,
  -- SHA-256 and length of what was uploaded.
  key TEXT NOT NULL,
  size INTEGER NOT NULL,
  uploaded_at INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (project_id, file, app_release, dist, debug_id)
) STRICT;
CREATE INDEX source_maps_by_project ON source_maps (project_id, id);
CREATE INDEX source_maps_by_key ON source_maps (project_id, key);
`;
