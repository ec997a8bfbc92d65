export const epics = `
-- Epics of groups, and the issues of projects that are part of them; an issue is part of one at most. The dates are the fixed ones.
CREATE TABLE epics (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  iid INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'opened' CHECK (state IN ('opened', 'closed')),
  author_id INTEGER NOT NULL REFERENCES users (id),
  confidential INTEGER NOT NULL DEFAULT 0,
  start_date_is_fixed INTEGER NOT NULL DEFAULT 0,
  start_date_fixed TEXT,
  due_date_is_fixed INTEGER NOT NULL DEFAULT 0,
  due_date_fixed TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER,
  UNIQUE (group_id, iid)
) STRICT;
CREATE INDEX epics_by_author ON epics (author_id);
CREATE TABLE epic_issues (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  epic_id INTEGER NOT NULL REFERENCES epics (id) ON DELETE CASCADE,
  issue_id INTEGER NOT NULL UNIQUE REFERENCES issues (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX epic_issues_by_epic ON epic_issues (epic_id, id);
CREATE TRIGGER epics_after_delete AFTER DELETE ON epics BEGIN
  DELETE FROM label_links WHERE target_type = 'Epic' AND target_id = old.id;
  DELETE FROM subscriptions WHERE target_type = 'Epic' AND target_id = old.id;
END;
ALTER TABLE namespaces ADD COLUMN last_epic_iid INTEGER NOT NULL DEFAULT 0;
`;
