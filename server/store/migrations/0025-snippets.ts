export const snippets = `
-- A repository of no project has one branch, whose newest commit stands here. A snippet is what such a repository holds, with the
-- paths of its files, so that lists need no git.
CREATE TABLE single_repositories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  storage TEXT NOT NULL,
  folder TEXT NOT NULL UNIQUE,
  head TEXT
) STRICT;
CREATE TABLE snippets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id),
  repository_id INTEGER NOT NULL UNIQUE REFERENCES single_repositories (id),
  title TEXT NOT NULL,
  description TEXT,
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
  files TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX snippets_by_author ON snippets (author_id, id);
CREATE INDEX snippets_by_project ON snippets (project_id, id);
CREATE TRIGGER single_repositories_end AFTER DELETE ON snippets BEGIN
  DELETE FROM single_repositories WHERE id = old.repository_id;
END;
`;
