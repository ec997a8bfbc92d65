export const discussions = `
-- A note belongs to a discussion, alone or with others, and not always to a project: a column cannot be made nullable in place, and the
-- table must stay. position: where a note on a line of changes stands, as JSON.
ALTER TABLE notes ADD COLUMN new_project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE;
UPDATE notes SET new_project_id = project_id;
DROP INDEX notes_by_project;
ALTER TABLE notes DROP COLUMN project_id;
ALTER TABLE notes RENAME COLUMN new_project_id TO project_id;
CREATE INDEX notes_by_project ON notes (project_id);
ALTER TABLE notes ADD COLUMN discussion_id TEXT NOT NULL DEFAULT '';
UPDATE notes SET discussion_id = lower(hex(randomblob(20)));
CREATE INDEX notes_by_discussion ON notes (noteable_type, noteable_id, discussion_id, created_at, id, internal);
ALTER TABLE notes ADD COLUMN position TEXT;
ALTER TABLE notes ADD COLUMN resolved_at INTEGER;
ALTER TABLE notes ADD COLUMN resolved_by INTEGER REFERENCES users (id) ON DELETE SET NULL;
`;
