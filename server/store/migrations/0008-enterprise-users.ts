export const enterpriseUsers = `
-- Enterprise users belong to a top-level group, which may refuse passwords for them.
ALTER TABLE users ADD COLUMN enterprise_group_id INTEGER REFERENCES namespaces (id) ON DELETE SET NULL;
ALTER TABLE users ADD COLUMN enterprise_since INTEGER;
CREATE INDEX users_by_enterprise_group ON users (enterprise_group_id) WHERE enterprise_group_id IS NOT NULL;
ALTER TABLE namespaces ADD COLUMN disable_password_authentication INTEGER NOT NULL DEFAULT 0;
`;
