export const releases = `
-- A release is what people are told about a tag, and goes with it.
CREATE TABLE releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  author_id INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  released_at INTEGER NOT NULL,
  UNIQUE (project_id, tag)
) STRICT;
CREATE INDEX releases_by_release ON releases (project_id, released_at, id);
CREATE INDEX releases_by_creation ON releases (project_id, created_at, id);
CREATE TRIGGER releases_end_with_tags AFTER DELETE ON repository_refs WHEN old.kind = 'tag' BEGIN
  DELETE FROM releases WHERE project_id = old.project_id AND tag = old.name;
END;
CREATE TABLE release_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  release_id INTEGER NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  filepath TEXT,
  link_type TEXT NOT NULL CHECK (link_type IN ('other', 'runbook', 'image', 'package')),
  UNIQUE (release_id, name),
  UNIQUE (release_id, url)
) STRICT;
`;
