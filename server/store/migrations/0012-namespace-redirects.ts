export const namespaceRedirects = `
-- A namespace is found by the paths that it had, unless something has these now.
CREATE TABLE namespace_redirects (
  full_path TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,
  namespace_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX namespace_redirects_by_namespace ON namespace_redirects (namespace_id);
CREATE TRIGGER namespaces_moved AFTER UPDATE OF full_path ON namespaces WHEN old.full_path <> new.full_path COLLATE NOCASE BEGIN
  DELETE FROM namespace_redirects WHERE full_path IN (old.full_path, new.full_path);
  INSERT INTO namespace_redirects (full_path, namespace_id) VALUES (old.full_path, new.id);
END;
CREATE TRIGGER namespaces_made AFTER INSERT ON namespaces BEGIN
  DELETE FROM namespace_redirects WHERE full_path = new.full_path;
END;
CREATE TRIGGER projects_made_at_former_path AFTER INSERT ON projects BEGIN
  DELETE FROM namespace_redirects WHERE full_path = new.full_path;
END;
CREATE TRIGGER projects_moved_to_former_path AFTER UPDATE OF full_path ON projects BEGIN
  DELETE FROM namespace_redirects WHERE full_path = new.full_path;
END;
`;
