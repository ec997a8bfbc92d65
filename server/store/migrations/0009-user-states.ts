export const userStates = `
-- More states of people. The check of a column cannot be changed in place, and the table must stay: everything refers to it.
ALTER TABLE users ADD COLUMN new_state TEXT NOT NULL DEFAULT 'active'
  CHECK (new_state IN ('active', 'blocked', 'banned', 'deactivated'));
UPDATE users SET new_state = state;
ALTER TABLE users DROP COLUMN state;
ALTER TABLE users RENAME COLUMN new_state TO state;
`;
