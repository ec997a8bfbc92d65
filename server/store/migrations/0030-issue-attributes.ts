export const issueAttributes = `
-- What an issue has beside its words: kind, weight, place in a board, time, lock, and where it was moved to.
ALTER TABLE issues ADD COLUMN issue_type TEXT NOT NULL DEFAULT 'issue'
  CHECK (issue_type IN ('issue', 'incident', 'test_case', 'task'));
ALTER TABLE issues ADD COLUMN weight INTEGER;
ALTER TABLE issues ADD COLUMN relative_position INTEGER;
ALTER TABLE issues ADD COLUMN time_estimate INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issues ADD COLUMN time_spent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issues ADD COLUMN discussion_locked INTEGER;
ALTER TABLE issues ADD COLUMN moved_to_id INTEGER REFERENCES issues (id) ON DELETE SET NULL;
-- One index for each order of the list of a project, which keyset pages go on from.
CREATE INDEX issues_by_created ON issues (project_id, created_at, id);
CREATE INDEX issues_by_creation ON issues (created_at, id);
CREATE INDEX issues_by_due_date ON issues (project_id, due_date, id);
CREATE INDEX issues_by_weight ON issues (project_id, weight, id);
CREATE INDEX issues_by_position ON issues (project_id, relative_position, id);
CREATE INDEX issues_by_target ON issues (moved_to_id) WHERE moved_to_id IS NOT NULL;
`;
