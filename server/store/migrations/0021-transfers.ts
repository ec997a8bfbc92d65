export const transfers = `
-- Groups and projects can be moved into another namespace: what lies around them follows, and who has access by it.
CREATE TRIGGER namespaces_after_move AFTER UPDATE OF parent_id ON namespaces WHEN old.parent_id IS NOT new.parent_id BEGIN
  DELETE FROM namespace_ancestors
    WHERE namespace_id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = new.id)
      AND ancestor_id NOT IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = new.id);
  INSERT INTO namespace_ancestors
    SELECT inside.namespace_id, around.ancestor_id FROM namespace_ancestors inside, namespace_ancestors around
    WHERE inside.ancestor_id = new.id AND around.namespace_id = new.parent_id;
  DELETE FROM project_access WHERE project_id IN
    (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = new.id);
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources
    WHERE project_id IN
      (SELECT p.id FROM namespace_ancestors a JOIN projects p ON p.namespace_id = a.namespace_id WHERE a.ancestor_id = new.id)
    GROUP BY project_id, user_id;
END;
CREATE TRIGGER projects_after_move AFTER UPDATE OF namespace_id ON projects WHEN old.namespace_id <> new.namespace_id BEGIN
  DELETE FROM project_access WHERE project_id = new.id;
  INSERT INTO project_access
    SELECT project_id, user_id, max(access_level) FROM project_access_sources WHERE project_id = new.id GROUP BY project_id, user_id;
END;
`;
