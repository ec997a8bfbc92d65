export const groups = `
-- Who may create projects and subgroups in a group: the lowest role, or noone.
ALTER TABLE namespaces ADD COLUMN project_creation_level TEXT NOT NULL DEFAULT 'developer'
  CHECK (project_creation_level IN ('noone', 'maintainer', 'developer'));
ALTER TABLE namespaces ADD COLUMN subgroup_creation_level TEXT NOT NULL DEFAULT 'maintainer'
  CHECK (subgroup_creation_level IN ('owner', 'maintainer'));
CREATE INDEX namespaces_by_parent ON namespaces (parent_id, name);
CREATE INDEX namespaces_groups_by_name ON namespaces (name, id) WHERE kind = 'group';

-- Every namespace with itself and those it lies in, at any depth. Groups do not change their parent.
CREATE TABLE namespace_ancestors (
  namespace_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  ancestor_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  PRIMARY KEY (namespace_id, ancestor_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX namespace_ancestors_by_ancestor ON namespace_ancestors (ancestor_id, namespace_id);
INSERT INTO namespace_ancestors SELECT id, id FROM namespaces;
CREATE TRIGGER namespaces_after_insert AFTER INSERT ON namespaces BEGIN
  INSERT INTO namespace_ancestors VALUES (new.id, new.id);
  INSERT INTO namespace_ancestors SELECT new.id, ancestor_id FROM namespace_ancestors WHERE namespace_id = new.parent_id;
END;

CREATE TABLE group_members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL,
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  UNIQUE (group_id, user_id)
) STRICT;
CREATE INDEX group_members_by_user ON group_members (user_id, group_id, access_level);
CREATE INDEX group_members_by_expiry ON group_members (expires_at) WHERE expires_at IS NOT NULL;

-- The highest level a person has in a project, by itself or by any group around it. Triggers keep it, so that it follows every
-- write to what it is made of, deletions by foreign keys included, and every query of projects reads one row of it.
CREATE TABLE project_access (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_access_by_user ON project_access (user_id, project_id, access_level);
INSERT INTO project_access SELECT project_id, user_id, access_level FROM project_members;
CREATE VIEW project_access_sources (project_id, user_id, access_level) AS
  SELECT project_id, user_id, access_level FROM project_members
  UNION ALL
  SELECT p.id, g.user_id, g.access_level FROM projects p
    JOIN namespace_ancestors a ON a.namespace_id = p.namespace_id
    JOIN group_members g ON g.group_id = a.ancestor_id;
CREATE TRIGGER project_members_after_insert AFTER INSERT ON project_members BEGIN
  DELETE FROM project_access WHERE project_id = new.project_id AND user_id = new.user_id;
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE project_id = new.project_id AND user_id = new.user_id GROUP BY project_id, user_id;
END;
CREATE TRIGGER project_members_after_update AFTER UPDATE OF access_level ON project_members BEGIN
  DELETE FROM project_access WHERE project_id = new.project_id AND user_id = new.user_id;
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE project_id = new.project_id AND user_id = new.user_id GROUP BY project_id, user_id;
END;
CREATE TRIGGER project_members_after_delete AFTER DELETE ON project_members BEGIN
  DELETE FROM project_access WHERE project_id = old.project_id AND user_id = old.user_id;
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE project_id = old.project_id AND user_id = old.user_id GROUP BY project_id, user_id;
END;
CREATE TRIGGER group_members_after_insert AFTER INSERT ON group_members BEGIN
  DELETE FROM project_access WHERE user_id = new.user_id AND project_id IN
    (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = new.group_id);
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE user_id = new.user_id AND project_id IN
      (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = new.group_id)
    GROUP BY project_id, user_id;
END;
CREATE TRIGGER group_members_after_update AFTER UPDATE OF access_level ON group_members BEGIN
  DELETE FROM project_access WHERE user_id = new.user_id AND project_id IN
    (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = new.group_id);
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE user_id = new.user_id AND project_id IN
      (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = new.group_id)
    GROUP BY project_id, user_id;
END;
CREATE TRIGGER group_members_after_delete AFTER DELETE ON group_members BEGIN
  DELETE FROM project_access WHERE user_id = old.user_id AND project_id IN
    (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = old.group_id);
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE user_id = old.user_id AND project_id IN
      (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = old.group_id)
    GROUP BY project_id, user_id;
END;
CREATE TRIGGER projects_after_insert AFTER INSERT ON projects BEGIN
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources WHERE project_id = new.id GROUP BY user_id;
END;
`;
