export const labelsAndMilestones = `
-- Labels of projects and groups, and what carries them: one table for issues, merge requests and epics.
CREATE TABLE labels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT,
  color TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX labels_by_project ON labels (project_id, title) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX labels_by_group ON labels (group_id, title) WHERE group_id IS NOT NULL;
CREATE INDEX labels_by_title ON labels (title);
CREATE TABLE label_priorities (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  priority INTEGER NOT NULL,
  PRIMARY KEY (project_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_priorities_by_label ON label_priorities (label_id);
CREATE TABLE label_links (
  target_type TEXT NOT NULL CHECK (target_type IN ('Issue', 'MergeRequest', 'Epic')),
  target_id INTEGER NOT NULL,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (target_type, target_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_links_by_label ON label_links (label_id, target_type, target_id);
INSERT INTO labels (project_id, title, color, created_at, updated_at)
  SELECT i.project_id, name.value, '#6699cc', min(i.created_at), min(i.created_at)
  FROM issues i, json_each(i.labels) name GROUP BY i.project_id, name.value;
INSERT INTO label_links
  SELECT DISTINCT 'Issue', i.id, l.id FROM issues i, json_each(i.labels) name
    JOIN labels l ON l.project_id = i.project_id AND l.title = name.value;
ALTER TABLE issues DROP COLUMN labels;

-- What people follow, or no longer follow although they take part in it.
CREATE TABLE subscriptions (
  target_type TEXT NOT NULL CHECK (target_type IN ('Issue', 'MergeRequest', 'Epic', 'Label')),
  target_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscribed INTEGER NOT NULL,
  PRIMARY KEY (target_type, target_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_by_user ON subscriptions (user_id);
CREATE TRIGGER issues_after_delete AFTER DELETE ON issues BEGIN
  DELETE FROM label_links WHERE target_type = 'Issue' AND target_id = old.id;
  DELETE FROM subscriptions WHERE target_type = 'Issue' AND target_id = old.id;
END;
CREATE TRIGGER labels_after_delete AFTER DELETE ON labels BEGIN
  DELETE FROM subscriptions WHERE target_type = 'Label' AND target_id = old.id;
END;

CREATE TABLE milestones (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  iid INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'closed')),
  start_date TEXT,
  due_date TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX milestones_by_project ON milestones (project_id, iid) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_by_group ON milestones (group_id, iid) WHERE group_id IS NOT NULL;
CREATE INDEX milestones_by_title ON milestones (title);
ALTER TABLE projects ADD COLUMN last_milestone_iid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN last_milestone_iid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issues ADD COLUMN milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL;
CREATE INDEX issues_by_milestone ON issues (milestone_id, id) WHERE milestone_id IS NOT NULL;
`;
