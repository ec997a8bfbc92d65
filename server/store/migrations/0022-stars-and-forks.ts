export const starsAndForks = `
-- Stars. How many a project has stands beside it, so that lists are ordered by it.
CREATE TABLE project_stars (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (user_id, project_id)
) STRICT;
CREATE INDEX project_stars_by_project ON project_stars (project_id, id);
ALTER TABLE projects ADD COLUMN star_count INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_by_stars ON projects (star_count, id);
CREATE TRIGGER project_stars_after_insert AFTER INSERT ON project_stars BEGIN
  UPDATE projects SET star_count = star_count + 1 WHERE id = new.project_id;
END;
CREATE TRIGGER project_stars_after_delete AFTER DELETE ON project_stars BEGIN
  UPDATE projects SET star_count = star_count - 1 WHERE id = old.project_id;
END;

-- The project that another one was forked from, until it is deleted.
ALTER TABLE projects ADD COLUMN forked_from_id INTEGER REFERENCES projects (id) ON DELETE SET NULL;
ALTER TABLE projects ADD COLUMN import_status TEXT NOT NULL DEFAULT 'none';
ALTER TABLE projects ADD COLUMN mr_default_target_self INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_by_source ON projects (forked_from_id) WHERE forked_from_id IS NOT NULL;
`;
