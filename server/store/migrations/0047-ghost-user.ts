export const ghostUser = `
-- The ghost user is the author of what deleted users contributed.
ALTER TABLE users ADD COLUMN is_ghost INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX users_ghost ON users (is_ghost) WHERE is_ghost = 1;
DROP VIEW users_view;
CREATE VIEW users_view AS
  SELECT id, username, name, email, admin, external, private_profile, state, created_at, is_ghost FROM users;
-- Usernames that differ only in case are equal for the column, but the paths have to follow them.
DROP TRIGGER users_renamed;
CREATE TRIGGER users_renamed AFTER UPDATE OF name, username ON users
  WHEN old.name <> new.name OR old.username <> new.username COLLATE BINARY BEGIN
  UPDATE namespaces SET name = new.name, path = new.username, full_path = new.username WHERE owner_id = new.id AND kind = 'user';
END;
CREATE TRIGGER users_deleted BEFORE DELETE ON users BEGIN
  DELETE FROM namespaces WHERE owner_id = old.id AND kind = 'user';
END;
`;
