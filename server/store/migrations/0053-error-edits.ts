export const errorEdits = `
ALTER TABLE tracked_errors ADD COLUMN assignee_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
ALTER TABLE tracked_errors ADD COLUMN issue_id INTEGER REFERENCES issues (id) ON DELETE SET NULL;
CREATE INDEX tracked_errors_by_assignee ON tracked_errors (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX tracked_errors_by_issue ON tracked_errors (issue_id) WHERE issue_id IS NOT NULL;

-- Changes of errors by users that can be undone, with what they replaced as JSON.
CREATE TABLE tracked_edits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  error_id INTEGER NOT NULL REFERENCES tracked_errors (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('status', 'assignee', 'issue', 'merge', 'split')),
  previous TEXT NOT NULL,
  made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX tracked_edits_by_error ON tracked_edits (error_id, id);
`;
