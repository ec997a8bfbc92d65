/**
 * The addresses of errors that were merged lead to the error that they are part of, and their issues stay linked. Merges that can still be
 * undone are known.
 */
export const mergedErrors = `
CREATE TABLE tracked_merged_errors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Of the error that no longer exists.
  fingerprint INTEGER NOT NULL,
  error_id INTEGER NOT NULL REFERENCES tracked_errors (id) ON DELETE CASCADE,
  assignee_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  issue_id INTEGER REFERENCES issues (id) ON DELETE SET NULL,
  UNIQUE (project_id, fingerprint)
) STRICT;
CREATE INDEX tracked_merged_errors_by_error ON tracked_merged_errors (error_id, id);
CREATE INDEX tracked_merged_errors_by_assignee ON tracked_merged_errors (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX tracked_merged_errors_by_issue ON tracked_merged_errors (issue_id) WHERE issue_id IS NOT NULL;

INSERT OR IGNORE INTO tracked_merged_errors (project_id, fingerprint, error_id, assignee_id, issue_id)
SELECT error.project_id, merged.value ->> '$.fingerprint', error.id,
  (SELECT id FROM users WHERE id = merged.value ->> '$.responsibility.assignee_id'),
  (SELECT id FROM issues WHERE id = merged.value ->> '$.responsibility.issue_id')
FROM tracked_edits AS edit JOIN tracked_errors AS error ON error.id = edit.error_id, json_each(edit.previous, '$.merged') AS merged
WHERE edit.kind = 'merge' AND NOT EXISTS (SELECT 1 FROM tracked_errors AS other
  WHERE other.project_id = error.project_id AND other.fingerprint = merged.value ->> '$.fingerprint');

UPDATE tracked_edits SET previous = json_set(json_remove(previous, '$.closedIssueId'), '$.closedIssueIds',
  CASE WHEN previous ->> '$.closedIssueId' IS NULL THEN json('[]') ELSE json_array(previous -> '$.closedIssueId') END)
WHERE kind = 'status';
`;
