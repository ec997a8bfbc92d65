export const containerRegistry = `
-- Repositories of the container registry and their tags as they are listed; the images are nowhere. cleaned_at: when tags were deleted in
-- bulk last.
CREATE TABLE container_repositories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  cleaned_at INTEGER,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX container_repositories_by_project ON container_repositories (project_id, id);
CREATE TABLE container_tags (
  repository_id INTEGER NOT NULL REFERENCES container_repositories (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  revision TEXT NOT NULL,
  total_size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, name)
) STRICT, WITHOUT ROWID;
`;
