export const repositories = `
-- A repository is a folder of objects; what its branches and tags point to stands here, so that a push and its events are one
-- transaction and a copy of the database has both. folder: a random name, so that no repository is ever taken for another one.
CREATE TABLE repositories (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  storage TEXT NOT NULL,
  folder TEXT NOT NULL UNIQUE,
  readme_path TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE repository_refs (
  project_id INTEGER NOT NULL REFERENCES repositories (project_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('branch', 'tag')),
  name TEXT NOT NULL,
  target TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  message TEXT,
  tagged_at INTEGER,
  PRIMARY KEY (project_id, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX repository_refs_by_time ON repository_refs (project_id, kind, coalesce(tagged_at, committed_at), name);
`;
