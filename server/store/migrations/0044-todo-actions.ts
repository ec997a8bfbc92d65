export const todoActions = `
-- To-do items of approvers, and those that users add themselves.
CREATE TABLE todos_of_more_actions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  target_type TEXT NOT NULL CHECK (target_type IN ('Issue', 'MergeRequest')),
  target_id INTEGER NOT NULL,
  note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  action TEXT NOT NULL CHECK (
    action IN ('assigned', 'mentioned', 'directly_addressed', 'review_requested', 'approval_required', 'marked')
  ),
  state TEXT NOT NULL CHECK (state IN ('pending', 'done')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO todos_of_more_actions
  SELECT id, user_id, author_id, project_id, target_type, target_id, note_id, action, state, created_at, updated_at FROM todos;
DROP TRIGGER todos_end_with_issues;
DROP TRIGGER todos_end_with_merge_requests;
DROP TABLE todos;
ALTER TABLE todos_of_more_actions RENAME TO todos;
CREATE UNIQUE INDEX todos_pending ON todos (target_type, target_id, user_id) WHERE state = 'pending';
CREATE INDEX todos_by_user ON todos (user_id, state, id);
CREATE INDEX todos_by_target ON todos (target_type, target_id);
CREATE INDEX todos_by_project ON todos (project_id);
CREATE INDEX todos_by_author ON todos (author_id);
CREATE INDEX todos_by_note ON todos (note_id) WHERE note_id IS NOT NULL;
CREATE TRIGGER todos_end_with_issues AFTER DELETE ON issues BEGIN
  DELETE FROM todos WHERE target_type = 'Issue' AND target_id = old.id;
END;
CREATE TRIGGER todos_end_with_merge_requests AFTER DELETE ON merge_requests BEGIN
  DELETE FROM todos WHERE target_type = 'MergeRequest' AND target_id = old.id;
END;
`;
