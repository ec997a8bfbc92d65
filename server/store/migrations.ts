/**
 * The schema, as a list of migrations that is only ever appended to. Times are integer milliseconds since the epoch, booleans 0 or 1.
 * Secrets (tokens, codes, session ids) are stored as SHA-256 hashes, passwords as scrypt hashes.
 */
export const migrations: readonly string[] = [
  `
CREATE TABLE instance (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  instance_id TEXT NOT NULL,
  clock_offset INTEGER NOT NULL DEFAULT 0,
  clock_frozen_at INTEGER,
  last_port INTEGER
) STRICT;

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  username TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name TEXT NOT NULL,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  public_email TEXT NOT NULL DEFAULT '',
  bio TEXT NOT NULL DEFAULT '',
  password_hash TEXT,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'blocked')),
  admin INTEGER NOT NULL DEFAULT 0,
  external INTEGER NOT NULL DEFAULT 0,
  private_profile INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_sign_in_at INTEGER,
  current_sign_in_at INTEGER,
  last_activity_at INTEGER
) STRICT;
CREATE INDEX users_by_name ON users (name, id);
CREATE INDEX users_by_created ON users (created_at, id);
CREATE INDEX users_by_updated ON users (updated_at, id);

CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'group')),
  name TEXT NOT NULL,
  path TEXT NOT NULL COLLATE NOCASE,
  full_path TEXT NOT NULL COLLATE NOCASE UNIQUE,
  parent_id INTEGER REFERENCES namespaces (id),
  owner_id INTEGER REFERENCES users (id),
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'internal', 'public')),
  description TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX namespaces_by_owner ON namespaces (owner_id);

CREATE TABLE personal_access_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (user_id, id);

CREATE TABLE oauth_applications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  owner_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT,
  redirect_uris TEXT NOT NULL DEFAULT '',
  scopes TEXT NOT NULL,
  confidential INTEGER NOT NULL,
  trusted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE oauth_device_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
  device_code_hash TEXT NOT NULL UNIQUE,
  user_code_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  address TEXT NOT NULL,
  interval_seconds INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'spent')),
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  last_polled_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_device_grants_by_application ON oauth_device_grants (application_id, address, state);
CREATE INDEX oauth_device_grants_by_expiry ON oauth_device_grants (expires_at);

CREATE TABLE oauth_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  family INTEGER NOT NULL,
  grant_type TEXT NOT NULL,
  redirect_uri TEXT,
  code_challenge TEXT,
  access_hash TEXT NOT NULL UNIQUE,
  refresh_hash TEXT UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER
) STRICT;
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id);

CREATE TABLE web_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX web_sessions_by_expiry ON web_sessions (expires_at);

CREATE TABLE sign_in_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  link_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  return_to TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_by_subject ON attempts (kind, subject, at);
CREATE INDEX attempts_by_time ON attempts (at);

CREATE TABLE projects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
  creator_id INTEGER NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  path TEXT NOT NULL COLLATE NOCASE,
  full_path TEXT NOT NULL COLLATE NOCASE UNIQUE,
  description TEXT,
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'internal', 'public')),
  default_branch TEXT NOT NULL DEFAULT 'main',
  archived INTEGER NOT NULL DEFAULT 0,
  issues_access TEXT NOT NULL DEFAULT 'enabled' CHECK (issues_access IN ('disabled', 'private', 'enabled')),
  last_issue_iid INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_by_namespace ON projects (namespace_id);
CREATE INDEX projects_by_name ON projects (name, id);
CREATE INDEX projects_by_path ON projects (path, id);
CREATE INDEX projects_by_updated ON projects (updated_at, id);
CREATE INDEX projects_by_activity ON projects (last_activity_at, id);

CREATE TABLE project_redirects (
  full_path TEXT NOT NULL COLLATE NOCASE PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX project_redirects_by_project ON project_redirects (project_id);

CREATE TABLE project_members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL,
  created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  UNIQUE (project_id, user_id)
) STRICT;
CREATE INDEX project_members_by_user ON project_members (user_id, project_id, access_level);
CREATE INDEX project_members_by_expiry ON project_members (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE issues (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  iid INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'opened' CHECK (state IN ('opened', 'closed')),
  author_id INTEGER NOT NULL REFERENCES users (id),
  confidential INTEGER NOT NULL DEFAULT 0,
  due_date TEXT,
  labels TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by INTEGER REFERENCES users (id),
  UNIQUE (project_id, iid)
) STRICT;
CREATE INDEX issues_by_project ON issues (project_id, id);
CREATE INDEX issues_by_state ON issues (project_id, state, id);
CREATE INDEX issues_by_updated ON issues (project_id, updated_at, id);
CREATE INDEX issues_by_title ON issues (project_id, title, id);
CREATE INDEX issues_by_author ON issues (author_id, id);
CREATE INDEX issues_open ON issues (project_id, confidential) WHERE state = 'opened';

CREATE TABLE issue_assignees (
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (issue_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_assignees_by_user ON issue_assignees (user_id, issue_id);

CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  noteable_type TEXT NOT NULL,
  noteable_id INTEGER NOT NULL,
  noteable_iid INTEGER,
  type TEXT,
  body TEXT NOT NULL,
  author_id INTEGER NOT NULL REFERENCES users (id),
  system INTEGER NOT NULL DEFAULT 0,
  internal INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_by_noteable ON notes (noteable_type, noteable_id, id, system, internal);
CREATE INDEX notes_by_project ON notes (project_id);

CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  action INTEGER NOT NULL,
  target_type TEXT,
  target_id INTEGER,
  target_iid INTEGER,
  target_title TEXT,
  -- What the event is about and ends with: the issue (also of its notes) and the note.
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  -- Who may see it, as numbered in activity/rules.ts: a kind of reader of the project, and whether the issue or note is held back.
  audience INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- Every filter of a feed has an index in the feed's order that also answers who may see the event, so that counting touches no row.
CREATE INDEX events_by_author ON events (author_id, created_at, id, project_id, audience);
CREATE INDEX events_by_author_action ON events (author_id, action, created_at, id, target_type, project_id, audience);
CREATE INDEX events_by_author_target ON events (author_id, target_type, created_at, id, project_id, audience);
CREATE INDEX events_by_author_project ON events (author_id, project_id);
CREATE INDEX events_by_project ON events (project_id, created_at, id, audience);
CREATE INDEX events_by_project_action ON events (project_id, action, created_at, id, target_type, audience);
CREATE INDEX events_by_project_target ON events (project_id, target_type, created_at, id, audience);
CREATE INDEX events_by_created ON events (created_at);
CREATE INDEX events_by_issue ON events (issue_id) WHERE issue_id IS NOT NULL;
CREATE INDEX events_by_note ON events (note_id) WHERE note_id IS NOT NULL;

CREATE TABLE push_payloads (
  event_id INTEGER PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
  commit_count INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('created', 'removed', 'pushed')),
  ref_type TEXT NOT NULL CHECK (ref_type IN ('branch', 'tag')),
  commit_from TEXT,
  commit_to TEXT,
  ref TEXT,
  commit_title TEXT,
  ref_count INTEGER
) STRICT;
`,
  `
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
`,
  `
-- When every token of a family was revoked; null while it lives. All rows of a family have the same.
ALTER TABLE oauth_tokens ADD COLUMN ended_at INTEGER;
UPDATE oauth_tokens SET ended_at = (SELECT max(t.revoked_at) FROM oauth_tokens t WHERE t.family = oauth_tokens.family)
  WHERE NOT EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.family = oauth_tokens.family AND t.revoked_at IS NULL);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (ended_at) WHERE ended_at IS NOT NULL;
`,
  `
-- Authorization codes (RFC 6749 §4.1.2). The challenge is always that of S256. family: of the tokens it was exchanged for.
CREATE TABLE oauth_authorization_codes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL UNIQUE,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL,
  code_challenge TEXT,
  nonce TEXT,
  authenticated_at INTEGER,
  family INTEGER,
  spent_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_authorization_codes_by_expiry ON oauth_authorization_codes (expires_at);
CREATE INDEX oauth_applications_by_owner ON oauth_applications (owner_id, id);
CREATE INDEX oauth_tokens_by_application ON oauth_tokens (application_id, user_id);
-- When the person had signed in who granted this; null where nobody did on a page.
ALTER TABLE oauth_tokens ADD COLUMN authenticated_at INTEGER;
`,
  `
-- A token of the password grant may belong to no application; a column cannot be made nullable in place.
CREATE TABLE oauth_tokens_of_any (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  family INTEGER NOT NULL,
  grant_type TEXT NOT NULL,
  redirect_uri TEXT,
  code_challenge TEXT,
  access_hash TEXT NOT NULL UNIQUE,
  refresh_hash TEXT UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  ended_at INTEGER,
  authenticated_at INTEGER
) STRICT;
INSERT INTO oauth_tokens_of_any
  SELECT id, application_id, user_id, family, grant_type, redirect_uri, code_challenge, access_hash, refresh_hash, scopes,
    created_at, expires_at, revoked_at, rotated_at, ended_at, authenticated_at FROM oauth_tokens;
DROP TABLE oauth_tokens;
ALTER TABLE oauth_tokens_of_any RENAME TO oauth_tokens;
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX oauth_tokens_by_application ON oauth_tokens (application_id, user_id);
`,
  `
-- A token and those it was rotated into are one family, which has the number of its first token.
ALTER TABLE personal_access_tokens ADD COLUMN family INTEGER;
ALTER TABLE personal_access_tokens ADD COLUMN description TEXT;
UPDATE personal_access_tokens SET family = id;
CREATE INDEX personal_access_tokens_by_family ON personal_access_tokens (family);
`,
  `
-- The second factor of a person: the secret of their app, sealed (server/core/sealing.ts). enabled_at is null while it is being set up.
CREATE TABLE second_factors (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  enabled_at INTEGER
) STRICT;
CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;
-- The time steps whose code a person has used: none is good twice (RFC 6238 §5.2).
CREATE TABLE spent_time_steps (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  step INTEGER NOT NULL,
  spent_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_time_steps_by_time ON spent_time_steps (spent_at);
-- Whose password was right on a browser that has yet to show the second factor, and until when it may.
ALTER TABLE web_sessions ADD COLUMN half_user_id INTEGER REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE web_sessions ADD COLUMN half_until INTEGER;
`,
  `
-- Enterprise users belong to a top-level group, which may refuse passwords for them.
ALTER TABLE users ADD COLUMN enterprise_group_id INTEGER REFERENCES namespaces (id) ON DELETE SET NULL;
ALTER TABLE users ADD COLUMN enterprise_since INTEGER;
CREATE INDEX users_by_enterprise_group ON users (enterprise_group_id) WHERE enterprise_group_id IS NOT NULL;
ALTER TABLE namespaces ADD COLUMN disable_password_authentication INTEGER NOT NULL DEFAULT 0;
`,
  `
-- More states of people. The check of a column cannot be changed in place, and the table must stay: everything refers to it.
ALTER TABLE users ADD COLUMN new_state TEXT NOT NULL DEFAULT 'active'
  CHECK (new_state IN ('active', 'blocked', 'banned', 'deactivated'));
UPDATE users SET new_state = state;
ALTER TABLE users DROP COLUMN state;
ALTER TABLE users RENAME COLUMN new_state TO state;
`,
  `
-- Settings of the whole instance that administrators have changed; switches are 0 or 1.
CREATE TABLE instance_settings (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
  `
-- When a device polled last is only remembered while the server runs.
ALTER TABLE oauth_device_grants DROP COLUMN last_polled_at;
`,
  `
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
`,
  `
-- A repository is a folder of objects; what its branches and tags point to stands here, so that a push and its events are one
-- transaction and a copy of the database has both. folder: a random name, so that no repository is ever taken for another one.
CREATE TABLE repositories (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  storage TEXT NOT NULL,
  folder TEXT NOT NULL UNIQUE,
  readme_path TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE repository_refs (
  project_id INTEGER NOT NULL REFERENCES repositories (project_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('branch', 'tag')),
  name TEXT NOT NULL,
  target TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  message TEXT,
  tagged_at INTEGER,
  PRIMARY KEY (project_id, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX repository_refs_by_time ON repository_refs (project_id, kind, coalesce(tagged_at, committed_at), name);
`,
  `
-- A token says which row is its own, so that its hashes need no index. Those of before are found by theirs.
CREATE TABLE numbered_oauth_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  family INTEGER NOT NULL,
  grant_type TEXT NOT NULL,
  redirect_uri TEXT,
  code_challenge TEXT,
  access_hash TEXT NOT NULL,
  refresh_hash TEXT,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  rotated_at INTEGER,
  ended_at INTEGER,
  authenticated_at INTEGER
) STRICT;
INSERT INTO numbered_oauth_tokens SELECT id, application_id, user_id, family, grant_type, redirect_uri, code_challenge,
  access_hash, refresh_hash, scopes, created_at, expires_at, revoked_at, rotated_at, ended_at, authenticated_at FROM oauth_tokens;
DELETE FROM sqlite_sequence WHERE name = 'numbered_oauth_tokens';
INSERT INTO sqlite_sequence (name, seq) SELECT 'numbered_oauth_tokens', seq FROM sqlite_sequence WHERE name = 'oauth_tokens';
DROP TABLE oauth_tokens;
ALTER TABLE numbered_oauth_tokens RENAME TO oauth_tokens;
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX oauth_tokens_by_application ON oauth_tokens (application_id, user_id);
CREATE TABLE earlier_oauth_tokens (
  hash TEXT PRIMARY KEY,
  token_id INTEGER NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX earlier_oauth_tokens_by_token ON earlier_oauth_tokens (token_id);
INSERT INTO earlier_oauth_tokens (hash, token_id)
  SELECT access_hash, id FROM oauth_tokens UNION ALL SELECT refresh_hash, id FROM oauth_tokens WHERE refresh_hash IS NOT NULL;
`,
  `
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
`,
  `
-- A release is what people are told about a tag, and goes with it.
CREATE TABLE releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  author_id INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  released_at INTEGER NOT NULL,
  UNIQUE (project_id, tag)
) STRICT;
CREATE INDEX releases_by_release ON releases (project_id, released_at, id);
CREATE INDEX releases_by_creation ON releases (project_id, created_at, id);
CREATE TRIGGER releases_end_with_tags AFTER DELETE ON repository_refs WHEN old.kind = 'tag' BEGIN
  DELETE FROM releases WHERE project_id = old.project_id AND tag = old.name;
END;
CREATE TABLE release_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  release_id INTEGER NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  filepath TEXT,
  link_type TEXT NOT NULL CHECK (link_type IN ('other', 'runbook', 'image', 'package')),
  UNIQUE (release_id, name),
  UNIQUE (release_id, url)
) STRICT;
`,
  `
-- What a release brings.
CREATE TABLE release_milestones (
  release_id INTEGER NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  milestone_id INTEGER NOT NULL REFERENCES milestones (id) ON DELETE CASCADE,
  PRIMARY KEY (release_id, milestone_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX release_milestones_by_milestone ON release_milestones (milestone_id);
`,
  `
-- Pipelines and jobs: nothing runs them, so they are in whatever state somebody put them. The commit of a pipeline is copied when it is
-- made, so that a list of jobs starts no program; none is there for a commit that the repository does not have.
CREATE TABLE pipeline_counters (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  last_iid INTEGER NOT NULL
) STRICT;
CREATE TABLE pipeline_commits (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  parents TEXT NOT NULL,
  message TEXT NOT NULL,
  author_name TEXT NOT NULL,
  author_email TEXT NOT NULL,
  author_seconds INTEGER NOT NULL,
  author_zone TEXT NOT NULL,
  committer_name TEXT NOT NULL,
  committer_email TEXT NOT NULL,
  committer_seconds INTEGER NOT NULL,
  committer_zone TEXT NOT NULL,
  PRIMARY KEY (project_id, sha)
) STRICT, WITHOUT ROWID;
CREATE TABLE pipelines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  iid INTEGER NOT NULL,
  name TEXT,
  status TEXT NOT NULL,
  source TEXT NOT NULL,
  ref TEXT NOT NULL,
  is_tag INTEGER NOT NULL DEFAULT 0,
  sha TEXT NOT NULL,
  before_sha TEXT NOT NULL,
  yaml_errors TEXT,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  UNIQUE (project_id, iid)
) STRICT;
CREATE INDEX pipelines_by_project ON pipelines (project_id, id);
CREATE INDEX pipelines_by_status ON pipelines (project_id, status, id);
CREATE INDEX pipelines_by_ref ON pipelines (project_id, ref, id);
CREATE INDEX pipelines_by_sha ON pipelines (project_id, sha, id);
CREATE INDEX pipelines_by_person ON pipelines (project_id, user_id, id);
CREATE INDEX pipelines_by_update ON pipelines (project_id, updated_at, id);
CREATE INDEX pipelines_of_person ON pipelines (user_id);
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  pipeline_id INTEGER NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  stage TEXT NOT NULL,
  status TEXT NOT NULL,
  allow_failure INTEGER NOT NULL DEFAULT 0,
  failure_reason TEXT,
  coverage REAL,
  -- JSON array of texts.
  tag_list TEXT NOT NULL DEFAULT '[]',
  -- Another job of the same name was made to take its place.
  retried INTEGER NOT NULL DEFAULT 0,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT;
CREATE INDEX jobs_by_project ON jobs (project_id, id);
CREATE INDEX jobs_by_status ON jobs (project_id, status, id);
CREATE INDEX jobs_by_pipeline ON jobs (pipeline_id, id);
CREATE INDEX jobs_of_person ON jobs (user_id);
`,
  `
-- Packages and their files as they are listed; the content of files is nowhere.
CREATE TABLE packages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version TEXT,
  package_type TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX packages_by_project ON packages (project_id, id);
CREATE INDEX packages_by_name ON packages (project_id, name, id);
CREATE INDEX packages_by_version ON packages (project_id, version, id);
CREATE INDEX packages_by_type ON packages (project_id, package_type, id);
CREATE TABLE package_tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  package_id INTEGER NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (package_id, name)
) STRICT;
CREATE TABLE package_pipelines (
  package_id INTEGER NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  pipeline_id INTEGER NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
  PRIMARY KEY (package_id, pipeline_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX package_pipelines_by_pipeline ON package_pipelines (pipeline_id);
CREATE TABLE package_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  package_id INTEGER NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  size INTEGER NOT NULL,
  file_md5 TEXT,
  file_sha1 TEXT,
  file_sha256 TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX package_files_by_package ON package_files (package_id, id);
`,
  `
-- Repositories of the container registry and their tags as they are listed; the images are nowhere. cleaned_at: when tags were deleted in
-- bulk last.
CREATE TABLE container_repositories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  cleaned_at INTEGER,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX container_repositories_by_project ON container_repositories (project_id, id);
CREATE TABLE container_tags (
  repository_id INTEGER NOT NULL REFERENCES container_repositories (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  revision TEXT NOT NULL,
  total_size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, name)
) STRICT, WITHOUT ROWID;
`,
  `
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
`,
  `
-- Stars. How many a project has stands beside it, so that lists are ordered by it.
CREATE TABLE project_stars (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (user_id, project_id)
) STRICT;
CREATE INDEX project_stars_by_project ON project_stars (project_id, id);
ALTER TABLE projects ADD COLUMN star_count INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_by_stars ON projects (star_count, id);
CREATE TRIGGER project_stars_after_insert AFTER INSERT ON project_stars BEGIN
  UPDATE projects SET star_count = star_count + 1 WHERE id = new.project_id;
END;
CREATE TRIGGER project_stars_after_delete AFTER DELETE ON project_stars BEGIN
  UPDATE projects SET star_count = star_count - 1 WHERE id = old.project_id;
END;

-- The project that another one was forked from, until it is deleted.
ALTER TABLE projects ADD COLUMN forked_from_id INTEGER REFERENCES projects (id) ON DELETE SET NULL;
ALTER TABLE projects ADD COLUMN import_status TEXT NOT NULL DEFAULT 'none';
ALTER TABLE projects ADD COLUMN mr_default_target_self INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_by_source ON projects (forked_from_id) WHERE forked_from_id IS NOT NULL;
`,
  `
-- What projects are about. A topic has its number for as long as a project has it.
CREATE TABLE topics (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE
) STRICT;
CREATE TABLE project_topics (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  topic_id INTEGER NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (project_id, topic_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_topics_by_topic ON project_topics (topic_id, project_id);
CREATE TRIGGER project_topics_after_delete AFTER DELETE ON project_topics BEGIN
  DELETE FROM topics WHERE id = old.topic_id AND NOT EXISTS (SELECT 1 FROM project_topics WHERE topic_id = old.topic_id);
END;
`,
  `
-- Whom people follow, and what they say they are doing.
CREATE TABLE user_follows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  follower_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  followee_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  UNIQUE (follower_id, followee_id)
) STRICT;
CREATE INDEX user_follows_by_followee ON user_follows (followee_id, id);
CREATE TABLE user_statuses (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  emoji TEXT NOT NULL,
  message TEXT,
  availability TEXT NOT NULL CHECK (availability IN ('not_set', 'busy')),
  clear_at INTEGER
) STRICT;
`,
  `
-- A repository of no project has one branch, whose newest commit stands here. A snippet is what such a repository holds, with the
-- paths of its files, so that lists need no git.
CREATE TABLE single_repositories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  storage TEXT NOT NULL,
  folder TEXT NOT NULL UNIQUE,
  head TEXT
) STRICT;
CREATE TABLE snippets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id),
  repository_id INTEGER NOT NULL UNIQUE REFERENCES single_repositories (id),
  title TEXT NOT NULL,
  description TEXT,
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
  files TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX snippets_by_author ON snippets (author_id, id);
CREATE INDEX snippets_by_project ON snippets (project_id, id);
CREATE TRIGGER single_repositories_end AFTER DELETE ON snippets BEGIN
  DELETE FROM single_repositories WHERE id = old.repository_id;
END;
`,
  `
-- Who did what that administrators want to know of. It outlives what it tells of, so nothing is referenced; author_id -1 is nobody in particular.
-- details: JSON, as it is shown.
CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id INTEGER NOT NULL,
  event_name TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
CREATE INDEX audit_events_by_entity ON audit_events (entity_type, entity_id, id);
CREATE INDEX audit_events_by_type ON audit_events (entity_type, id);
CREATE INDEX audit_events_by_author ON audit_events (entity_type, entity_id, author_id, id);
-- Which times blocks of 1024 ids that follow one another reach over: lists are in the order of ids and limited to a window of times.
CREATE TABLE audit_event_blocks (
  block INTEGER PRIMARY KEY,
  earliest INTEGER NOT NULL,
  latest INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_events_made AFTER INSERT ON audit_events BEGIN
  INSERT INTO audit_event_blocks (block, earliest, latest) VALUES (new.id >> 10, new.created_at, new.created_at)
    ON CONFLICT (block) DO UPDATE SET earliest = min(earliest, new.created_at), latest = max(latest, new.created_at);
END;
`,
  `
-- A note belongs to a discussion, alone or with others, and not always to a project: a column cannot be made nullable in place, and the
-- table must stay. position: where a note on a line of changes stands, as JSON.
ALTER TABLE notes ADD COLUMN new_project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE;
UPDATE notes SET new_project_id = project_id;
DROP INDEX notes_by_project;
ALTER TABLE notes DROP COLUMN project_id;
ALTER TABLE notes RENAME COLUMN new_project_id TO project_id;
CREATE INDEX notes_by_project ON notes (project_id);
ALTER TABLE notes ADD COLUMN discussion_id TEXT NOT NULL DEFAULT '';
UPDATE notes SET discussion_id = lower(hex(randomblob(20)));
CREATE INDEX notes_by_discussion ON notes (noteable_type, noteable_id, discussion_id, created_at, id, internal);
ALTER TABLE notes ADD COLUMN position TEXT;
ALTER TABLE notes ADD COLUMN resolved_at INTEGER;
ALTER TABLE notes ADD COLUMN resolved_by INTEGER REFERENCES users (id) ON DELETE SET NULL;
`,
  `
-- version_id: the state of the source branch that is shown. checked_*: the heads for which conflicts was found out.
CREATE TABLE merge_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  iid INTEGER NOT NULL,
  source_project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  source_branch TEXT NOT NULL,
  target_branch TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'opened' CHECK (state IN ('opened', 'closed', 'locked', 'merged')),
  draft INTEGER NOT NULL DEFAULT 0,
  author_id INTEGER NOT NULL REFERENCES users (id),
  version_id INTEGER,
  merge_commit_sha TEXT,
  squash_commit_sha TEXT,
  squash INTEGER NOT NULL DEFAULT 0,
  force_remove_source_branch INTEGER,
  should_remove_source_branch INTEGER,
  discussion_locked INTEGER,
  allow_collaboration INTEGER NOT NULL DEFAULT 0,
  auto_merge INTEGER NOT NULL DEFAULT 0,
  auto_merge_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  auto_merge_message TEXT,
  checked_head TEXT,
  checked_target TEXT,
  conflicts INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  merged_at INTEGER,
  merged_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  closed_at INTEGER,
  closed_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  UNIQUE (project_id, iid)
) STRICT;
ALTER TABLE projects ADD COLUMN last_merge_request_iid INTEGER NOT NULL DEFAULT 0;
CREATE INDEX merge_requests_by_project ON merge_requests (project_id, id);
CREATE INDEX merge_requests_by_state ON merge_requests (project_id, state, id);
CREATE INDEX merge_requests_by_updated ON merge_requests (project_id, updated_at, id);
CREATE INDEX merge_requests_by_title ON merge_requests (project_id, title, id);
CREATE INDEX merge_requests_by_merged ON merge_requests (project_id, merged_at, id);
CREATE INDEX merge_requests_by_target ON merge_requests (project_id, target_branch, id);
CREATE INDEX merge_requests_by_source ON merge_requests (source_project_id, source_branch, id);
CREATE INDEX merge_requests_by_author ON merge_requests (author_id, id);

-- base_sha and the counts are found out when they are first asked for, because that takes programs.
CREATE TABLE merge_request_versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  head_sha TEXT NOT NULL,
  start_sha TEXT NOT NULL,
  base_sha TEXT,
  commits_count INTEGER,
  changes_count INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX merge_request_versions_by_request ON merge_request_versions (merge_request_id, id);
CREATE TABLE merge_request_assignees (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_assignees_by_user ON merge_request_assignees (user_id, merge_request_id);
CREATE TABLE merge_request_reviewers (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'unreviewed'
    CHECK (state IN ('unreviewed', 'reviewed', 'requested_changes', 'approved', 'unapproved', 'review_started')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_reviewers_by_user ON merge_request_reviewers (user_id, merge_request_id);
CREATE TABLE merge_request_approvals (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_approvals_by_user ON merge_request_approvals (user_id, merge_request_id);
-- Issues that the words of a merge request name, and whether it says that it closes them.
CREATE TABLE merge_request_issues (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  closes INTEGER NOT NULL,
  PRIMARY KEY (merge_request_id, issue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_issues_by_issue ON merge_request_issues (issue_id, merge_request_id, closes);
ALTER TABLE events ADD COLUMN merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE;
CREATE INDEX events_by_merge_request ON events (merge_request_id) WHERE merge_request_id IS NOT NULL;
`,
  `
-- Maven virtual registries of top-level groups, the upstreams behind them in their order, and what is known of files fetched from these.
CREATE TABLE virtual_registries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (group_id, name)
) STRICT;
CREATE TABLE virtual_upstreams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  name TEXT,
  description TEXT,
  -- The password that goes with it is kept nowhere: nothing is ever fetched.
  username TEXT,
  cache_validity_hours INTEGER NOT NULL,
  metadata_cache_validity_hours INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX virtual_upstreams_by_group ON virtual_upstreams (group_id, id);
CREATE TABLE virtual_registry_upstreams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  registry_id INTEGER NOT NULL REFERENCES virtual_registries (id) ON DELETE CASCADE,
  upstream_id INTEGER NOT NULL REFERENCES virtual_upstreams (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  UNIQUE (registry_id, upstream_id)
) STRICT;
CREATE INDEX virtual_registry_upstreams_by_upstream ON virtual_registry_upstreams (upstream_id);
CREATE TABLE virtual_cache_entries (
  upstream_id INTEGER NOT NULL REFERENCES virtual_upstreams (id) ON DELETE CASCADE,
  relative_path TEXT NOT NULL,
  file_md5 TEXT,
  file_sha1 TEXT NOT NULL,
  size INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  upstream_etag TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (upstream_id, relative_path)
) STRICT, WITHOUT ROWID;
`,
  `
-- What an issue has beside its words: kind, weight, place in a board, time, lock, and where it was moved to.
ALTER TABLE issues ADD COLUMN issue_type TEXT NOT NULL DEFAULT 'issue'
  CHECK (issue_type IN ('issue', 'incident', 'test_case', 'task'));
ALTER TABLE issues ADD COLUMN weight INTEGER;
ALTER TABLE issues ADD COLUMN relative_position INTEGER;
ALTER TABLE issues ADD COLUMN time_estimate INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issues ADD COLUMN time_spent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issues ADD COLUMN discussion_locked INTEGER;
ALTER TABLE issues ADD COLUMN moved_to_id INTEGER REFERENCES issues (id) ON DELETE SET NULL;
-- One index for each order of the list of a project, which keyset pages go on from.
CREATE INDEX issues_by_created ON issues (project_id, created_at, id);
CREATE INDEX issues_by_creation ON issues (created_at, id);
CREATE INDEX issues_by_due_date ON issues (project_id, due_date, id);
CREATE INDEX issues_by_weight ON issues (project_id, weight, id);
CREATE INDEX issues_by_position ON issues (project_id, relative_position, id);
CREATE INDEX issues_by_target ON issues (moved_to_id) WHERE moved_to_id IS NOT NULL;
`,
  `
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
`,
  `
-- Merge requests have a milestone; what they carry and who follows them goes with them.
ALTER TABLE merge_requests ADD COLUMN milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL;
CREATE INDEX merge_requests_by_milestone ON merge_requests (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE TRIGGER merge_requests_after_delete AFTER DELETE ON merge_requests BEGIN
  DELETE FROM label_links WHERE target_type = 'MergeRequest' AND target_id = old.id;
  DELETE FROM subscriptions WHERE target_type = 'MergeRequest' AND target_id = old.id;
END;
`,
  `
-- Comments go with the snippet or epic that they are on.
CREATE TRIGGER snippet_notes_after_delete AFTER DELETE ON snippets BEGIN
  DELETE FROM notes WHERE noteable_type = 'Snippet' AND noteable_id = old.id;
END;
CREATE TRIGGER epic_notes_after_delete AFTER DELETE ON epics BEGIN
  DELETE FROM notes WHERE noteable_type = 'Epic' AND noteable_id = old.id;
END;
`,
  `
-- Whether errors of a project are tracked, and the keys with which SDKs send them. A key is public: it stands in every page that uses it.
CREATE TABLE error_tracking_settings (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  integrated INTEGER NOT NULL,
  -- Whether secrets are taken out of what is sent.
  scrub_data INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE error_tracking_client_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  public_key TEXT NOT NULL UNIQUE,
  active INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX error_tracking_client_keys_by_project ON error_tracking_client_keys (project_id, id);
-- What SDKs say they have not sent.
CREATE TABLE client_key_discards (
  key_id INTEGER NOT NULL REFERENCES error_tracking_client_keys (id) ON DELETE CASCADE,
  reason TEXT NOT NULL,
  category TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, reason, category)
) STRICT, WITHOUT ROWID;
`,
  `
-- Errors that programs report. An event belongs to a grouping (one hash of what its like have in common), a grouping to an error: merging and
-- splitting errors repoints groupings. Everything that is counted is counted by grouping, and can be counted again from the events.
CREATE TABLE app_releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  UNIQUE (project_id, version)
) STRICT;

CREATE TABLE tracked_errors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Number by which the error is known outside; made of the first hash of it.
  fingerprint INTEGER NOT NULL,
  -- Of the latest event.
  title TEXT NOT NULL,
  type TEXT,
  message TEXT,
  culprit TEXT NOT NULL,
  platform TEXT NOT NULL,
  level TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'unresolved' CHECK (status IN ('unresolved', 'resolved', 'resolved_in_next_release', 'ignored')),
  -- When and on which release the status was given, until when an ignored error is ignored, and what was counted when that began.
  status_at INTEGER,
  status_release TEXT,
  ignored_until TEXT CHECK (ignored_until IN ('next_occurrence', 'occurrences', 'occurrences_per_hour', 'date')),
  ignored_number INTEGER,
  counted_events INTEGER NOT NULL DEFAULT 0,
  counted_hour INTEGER NOT NULL DEFAULT 0,
  counted_of_hour INTEGER NOT NULL DEFAULT 0,
  is_regression INTEGER NOT NULL DEFAULT 0,
  is_overflow INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- By the time of the events.
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  first_release_id INTEGER REFERENCES app_releases (id),
  last_release_id INTEGER REFERENCES app_releases (id),
  event_count INTEGER NOT NULL DEFAULT 0,
  user_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (project_id, fingerprint)
) STRICT;
CREATE INDEX tracked_errors_by_creation ON tracked_errors (project_id, created_at);
CREATE INDEX tracked_errors_by_last_seen ON tracked_errors (project_id, status, last_seen_at, id);
CREATE INDEX tracked_errors_by_first_seen ON tracked_errors (project_id, status, first_seen_at, id);
CREATE INDEX tracked_errors_by_frequency ON tracked_errors (project_id, status, event_count, id);
CREATE INDEX tracked_errors_by_first_release ON tracked_errors (first_release_id);
CREATE INDEX tracked_errors_by_last_release ON tracked_errors (last_release_id);

CREATE TABLE tracked_groupings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  error_id INTEGER NOT NULL REFERENCES tracked_errors (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  algorithm INTEGER NOT NULL,
  event_count INTEGER NOT NULL DEFAULT 0,
  payload_count INTEGER NOT NULL DEFAULT 0,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  UNIQUE (project_id, hash)
) STRICT;
CREATE INDEX tracked_groupings_by_error ON tracked_groupings (error_id);

-- One slim row for each event; what was sent is kept for the latest only.
CREATE TABLE tracked_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  event_id BLOB NOT NULL,
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  occurred_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  user_hash BLOB,
  app_release_id INTEGER REFERENCES app_releases (id),
  environment TEXT,
  level TEXT NOT NULL,
  UNIQUE (project_id, event_id)
) STRICT;
CREATE INDEX tracked_events_by_grouping ON tracked_events (grouping_id, id);
CREATE INDEX tracked_events_by_receipt ON tracked_events (received_at);
CREATE INDEX tracked_events_by_release ON tracked_events (app_release_id);
CREATE TABLE tracked_payloads (
  event_id INTEGER PRIMARY KEY REFERENCES tracked_events (id) ON DELETE CASCADE,
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  -- How the bytes are compressed, what they hold, and which of its events is meant.
  encoding TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('envelope', 'store')),
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX tracked_payloads_by_grouping ON tracked_payloads (grouping_id, event_id);

CREATE TABLE tracked_users (
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  user_hash BLOB NOT NULL,
  event_count INTEGER NOT NULL,
  PRIMARY KEY (grouping_id, user_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE tracked_hours (
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  -- Hours since 1970, UTC.
  hour INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  PRIMARY KEY (grouping_id, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE tracked_facets (
  grouping_id INTEGER NOT NULL REFERENCES tracked_groupings (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('environment', 'level', 'release')),
  value TEXT NOT NULL,
  event_count INTEGER NOT NULL,
  PRIMARY KEY (grouping_id, kind, value)
) STRICT, WITHOUT ROWID;
-- Title and stack of errors, searched by any three letters and more.
CREATE VIRTUAL TABLE tracked_search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER tracked_errors_after_delete AFTER DELETE ON tracked_errors BEGIN
  DELETE FROM tracked_search WHERE rowid = old.id;
END;
`,
  `
-- Release health: sessions that programs report one by one, and those that they counted themselves. Where there is none, an environment and a
-- user are empty.
CREATE TABLE tracked_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- None of a session that had ended when it was first heard of.
  sid BLOB,
  app_release_id INTEGER NOT NULL REFERENCES app_releases (id) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  user_hash BLOB NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'exited', 'crashed', 'abnormal')),
  seq INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  -- The latest report.
  received_at INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  -- Seconds.
  duration REAL,
  abnormal_mechanism TEXT,
  UNIQUE (project_id, sid)
) STRICT;
CREATE INDEX tracked_sessions_by_start ON tracked_sessions (project_id, started_at);
CREATE INDEX tracked_sessions_by_release ON tracked_sessions (app_release_id, started_at);
CREATE INDEX tracked_sessions_by_receipt ON tracked_sessions (received_at);

CREATE TABLE tracked_session_counts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  app_release_id INTEGER NOT NULL REFERENCES app_releases (id) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  user_hash BLOB NOT NULL,
  -- The minute in which they began.
  started_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  exited INTEGER NOT NULL,
  errored INTEGER NOT NULL,
  crashed INTEGER NOT NULL,
  abnormal INTEGER NOT NULL,
  UNIQUE (app_release_id, started_at, environment, user_hash)
) STRICT;
CREATE INDEX tracked_session_counts_by_start ON tracked_session_counts (project_id, started_at);
CREATE INDEX tracked_session_counts_by_receipt ON tracked_session_counts (received_at);

-- Requests with sessions that have no id, remembered for some minutes: what is sent again is not counted again.
CREATE TABLE tracked_session_requests (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_session_requests_by_receipt ON tracked_session_requests (received_at);
`,
  `
-- What SDKs send to a project and what became of it, by day, so that it can go when it is old. Client keys had counted a part of that.
CREATE TABLE tracked_arrivals (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Days since 1970, UTC.
  day INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'repeated', 'ignored', 'dropped', 'discarded', 'refused')),
  -- Type of the items, or why they were not taken.
  name TEXT NOT NULL,
  -- Of what an SDK says it has dropped; else empty.
  category TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, day, outcome, name, category)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_arrivals_by_day ON tracked_arrivals (day);
INSERT INTO tracked_arrivals (project_id, day, outcome, name, category, quantity, last_at)
  SELECT key.project_id, told.last_at / 86400000, IIF(told.reason = 'key_quota', 'refused', 'discarded'),
    IIF(told.reason = 'key_quota', 'limit', told.reason), IIF(told.reason = 'key_quota', '', told.category),
    CAST(MIN(TOTAL(told.quantity), 9007199254740991) AS INTEGER), MAX(told.last_at)
  FROM client_key_discards AS told JOIN error_tracking_client_keys AS key ON key.id = told.key_id GROUP BY 1, 2, 3, 4, 5;
DROP TABLE client_key_discards;
-- The latest request of an SDK that a project has refused. Nothing of its body.
CREATE TABLE tracked_refusals (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  reason TEXT NOT NULL,
  endpoint TEXT NOT NULL CHECK (endpoint IN ('envelope', 'store', 'stream')),
  -- The first characters of the client key, to find it by.
  key_start TEXT,
  client TEXT
) STRICT;
`,
  `
-- Source maps that were uploaded, compressed. What is not known of one is empty; the bytes stand behind what lists read.
CREATE TABLE source_maps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  file TEXT NOT NULL,
  app_release TEXT NOT NULL,
  dist TEXT NOT NULL,
  debug_id TEXT NOT NULL,
  -- SHA-256 and length of what was uploaded.
  key TEXT NOT NULL,
  size INTEGER NOT NULL,
  uploaded_at INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (project_id, file, app_release, dist, debug_id)
) STRICT;
CREATE INDEX source_maps_by_project ON source_maps (project_id, id);
CREATE INDEX source_maps_by_key ON source_maps (project_id, key);
`,
  `
-- Whose payload it is stands in the event, and those of a grouping are of its latest events: no index of their own is written with each.
DROP INDEX tracked_payloads_by_grouping;
ALTER TABLE tracked_payloads DROP COLUMN grouping_id;
`,
  `
-- Events that were received and are not counted yet, as they came: with each, nothing else is written. The ids go on in tracked_events.
-- A grouping that is not there any more takes what is here of it along when the others are counted.
CREATE TABLE tracked_inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  event_id BLOB NOT NULL,
  grouping_id INTEGER NOT NULL,
  occurred_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  user_hash BLOB,
  app_release_id INTEGER,
  environment TEXT,
  level TEXT NOT NULL,
  -- Title and the like as JSON, of the latest of those of a grouping that came at once.
  appearance TEXT,
  encoding TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('envelope', 'store')),
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (project_id, event_id)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) SELECT 'tracked_inbox', seq FROM sqlite_sequence WHERE name = 'tracked_events';

-- What was received of the latest events of a grouping stands in 256 places of its own, from its id times 256 on, and each event takes the
-- place of the one that is the oldest there: what is written lies together, and nothing has to be looked for that can go.
ALTER TABLE tracked_groupings RENAME COLUMN payload_count TO payload_number;
ALTER TABLE tracked_events ADD COLUMN payload_id INTEGER;
CREATE TABLE placed_payloads (
  id INTEGER PRIMARY KEY,
  event_id INTEGER NOT NULL,
  encoding TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('envelope', 'store')),
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
UPDATE tracked_groupings SET payload_number =
  MIN(200, (SELECT COUNT(*) FROM tracked_events AS event JOIN tracked_payloads AS payload ON payload.event_id = event.id
    WHERE event.grouping_id = tracked_groupings.id));
UPDATE tracked_events SET payload_id = placed.id
  FROM (
    SELECT event.id AS event_id, event.grouping_id * 256 + one.payload_number
        - row_number() OVER (PARTITION BY event.grouping_id ORDER BY event.id DESC) AS id, one.id * 256 AS first
    FROM tracked_events AS event JOIN tracked_payloads AS payload ON payload.event_id = event.id
      JOIN tracked_groupings AS one ON one.id = event.grouping_id
  ) AS placed WHERE placed.event_id = tracked_events.id AND placed.id >= placed.first;
INSERT INTO placed_payloads SELECT event.payload_id, event.id, encoding, form, ordinal, bytes
  FROM tracked_events AS event JOIN tracked_payloads AS payload ON payload.event_id = event.id WHERE event.payload_id IS NOT NULL;
DROP TABLE tracked_payloads;
ALTER TABLE placed_payloads RENAME TO tracked_payloads;
CREATE TRIGGER tracked_groupings_after_delete AFTER DELETE ON tracked_groupings BEGIN
  DELETE FROM tracked_payloads WHERE id BETWEEN old.id * 256 AND old.id * 256 + 255;
END;
`,
  `
-- Additional email addresses of users; the primary one is in users. Only confirmed addresses can receive notifications.
CREATE TABLE emails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE,
  confirmed_at INTEGER,
  -- Time of the latest confirmation mail.
  confirmation_sent_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX emails_by_user ON emails (user_id, id);

-- Notification settings of users: the global ones have neither group nor project. Levels are numbered as in the API.
CREATE TABLE notification_settings (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 5),
  -- JSON object of the switches that were set, by event.
  switches TEXT NOT NULL DEFAULT '{}',
  -- These two are used in the global settings only. Null stands for the primary address.
  email TEXT COLLATE NOCASE,
  own_activity INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  CHECK (group_id IS NULL OR project_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX notification_settings_by_user
  ON notification_settings (user_id, ifnull(project_id, 0), ifnull(group_id, 0));
CREATE INDEX notification_settings_by_project ON notification_settings (project_id, level, user_id) WHERE project_id IS NOT NULL;
CREATE INDEX notification_settings_by_group ON notification_settings (group_id, level, user_id) WHERE group_id IS NOT NULL;
CREATE INDEX notification_settings_by_global_level ON notification_settings (level, user_id)
  WHERE project_id IS NULL AND group_id IS NULL;

-- What mails have in common: the mails about one event differ in recipient and reason only. Pages and messages are made from data.
CREATE TABLE mail_contents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_contents_by_created ON mail_contents (created_at);

-- The local mailbox. user_id is null for addresses that belong to nobody.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id INTEGER NOT NULL REFERENCES mail_contents (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  reason TEXT,
  -- Left part of the Message-ID.
  message_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  read_at INTEGER
) STRICT;
CREATE INDEX mails_by_content ON mails (content_id);
CREATE INDEX mails_by_user ON mails (user_id, id);
CREATE INDEX mails_unread ON mails (user_id) WHERE read_at IS NULL;
CREATE INDEX mails_by_created ON mails (created_at);
CREATE INDEX mails_by_address ON mails (address COLLATE NOCASE, id);
CREATE TRIGGER mails_after_delete AFTER DELETE ON mails BEGIN
  DELETE FROM mail_contents WHERE id = old.content_id AND NOT EXISTS (SELECT 1 FROM mails WHERE content_id = old.content_id);
END;

-- Mails that an SMTP server has to receive, too, with the result of the last attempt.
CREATE TABLE mail_deliveries (
  mail_id INTEGER PRIMARY KEY REFERENCES mails (id) ON DELETE CASCADE,
  -- Time of the next attempt. Null once the mail was accepted or given up.
  next_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  failed_at INTEGER,
  error TEXT,
  -- Address of this server at the first attempt, so that a repeated message is the same.
  origin TEXT
) STRICT;
CREATE INDEX mail_deliveries_by_next ON mail_deliveries (next_at, mail_id) WHERE next_at IS NOT NULL;

-- Instance settings that are texts. Secret ones are sealed.
CREATE TABLE instance_texts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The authors of the comments of a thread, and the comments that may mention somebody.
CREATE INDEX notes_by_author ON notes (noteable_type, noteable_id, author_id) WHERE system = 0;
CREATE INDEX notes_with_mentions ON notes (noteable_type, noteable_id, id) WHERE system = 0 AND instr(body, '@') > 0;

-- Events about which users may have to be mailed. Users are decided in slices, in the order of their ids.
CREATE TABLE notification_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  actor_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  target_type TEXT NOT NULL,
  target_id INTEGER NOT NULL,
  details TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  -- Users up to this id have been decided. Null when all have, or when that was given up.
  decided_to INTEGER DEFAULT 0,
  -- Number of failed attempts, and time of the next one.
  failures INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  content_id INTEGER REFERENCES mail_contents (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX notification_events_pending ON notification_events (retry_at, id) WHERE decided_to IS NOT NULL;
CREATE INDEX notification_events_decided ON notification_events (created_at) WHERE decided_to IS NULL;
CREATE INDEX notification_events_by_project ON notification_events (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX notification_events_by_group ON notification_events (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX notification_events_by_target ON notification_events (target_type, target_id, id);
CREATE INDEX notification_events_by_actor ON notification_events (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX notification_events_by_content ON notification_events (content_id) WHERE content_id IS NOT NULL;

-- What was decided about each candidate, with everything the rules looked at as JSON, so that the decision can be explained later.
CREATE TABLE notification_decisions (
  event_id INTEGER NOT NULL REFERENCES notification_events (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  mail_id INTEGER REFERENCES mails (id) ON DELETE SET NULL,
  mailed INTEGER NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (event_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_decisions_by_user ON notification_decisions (user_id, event_id);
CREATE INDEX notification_decisions_by_mail ON notification_decisions (mail_id) WHERE mail_id IS NOT NULL;

-- When an issue is announced as due on the next day: at 00:50 UTC. Null without a due date, after the announcement, and if the due date was
-- set too late for it.
ALTER TABLE issues ADD COLUMN due_notice_at INTEGER;
UPDATE issues SET due_notice_at = unixepoch(due_date, '-1 day', '+50 minutes') * 1000 WHERE due_date IS NOT NULL AND state = 'opened'
  AND unixepoch(due_date, '-1 day', '+50 minutes') * 1000
    > (SELECT coalesce(max(clock_frozen_at), unixepoch() * 1000 + coalesce(max(clock_offset), 0)) FROM instance);
CREATE INDEX issues_by_due_notice ON issues (due_notice_at) WHERE due_notice_at IS NOT NULL;

-- When a release is announced. Null after that.
ALTER TABLE releases ADD COLUMN notice_at INTEGER;
UPDATE releases SET notice_at = released_at
  WHERE released_at > (SELECT coalesce(max(clock_frozen_at), unixepoch() * 1000 + coalesce(max(clock_offset), 0)) FROM instance);
CREATE INDEX releases_by_notice ON releases (notice_at) WHERE notice_at IS NOT NULL;

-- Latest result of a pipeline that finished, which stays when it is retried.
ALTER TABLE pipelines ADD COLUMN last_result TEXT CHECK (last_result IN ('success', 'failed'));
UPDATE pipelines SET last_result = status WHERE status IN ('success', 'failed');
CREATE INDEX pipelines_by_result ON pipelines (project_id, ref, is_tag, id) WHERE last_result IS NOT NULL;

ALTER TABLE merge_requests ADD COLUMN auto_merge_squash_message TEXT;

-- Users who can approve merge requests of a project.
CREATE TABLE approval_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  rule_type TEXT NOT NULL CHECK (rule_type IN ('regular', 'any_approver')),
  approvals_required INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (project_id, rule_type, name)
) STRICT;
CREATE INDEX approval_rules_by_project ON approval_rules (project_id, id);
CREATE TABLE approval_rule_users (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_users_by_user ON approval_rule_users (user_id);
CREATE TABLE approval_rule_groups (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_groups_by_group ON approval_rule_groups (group_id);
`,
  `
-- The storage of a container, also while it has no repository. Read-only while its repository is moved.
ALTER TABLE projects ADD COLUMN repository_storage TEXT NOT NULL DEFAULT 'default';
ALTER TABLE projects ADD COLUMN repository_read_only INTEGER NOT NULL DEFAULT 0;
UPDATE projects SET repository_storage = r.storage FROM repositories r WHERE r.project_id = projects.id;
ALTER TABLE repositories DROP COLUMN storage;
CREATE INDEX projects_by_storage ON projects (repository_storage, id);
ALTER TABLE single_repositories ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
CREATE INDEX single_repositories_by_storage ON single_repositories (storage, id);
ALTER TABLE namespaces ADD COLUMN repository_storage TEXT NOT NULL DEFAULT 'default';
ALTER TABLE namespaces ADD COLUMN repository_read_only INTEGER NOT NULL DEFAULT 0;

-- Moves of repositories between storages. Exactly one container is set.
CREATE TABLE repository_storage_moves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  snippet_id INTEGER REFERENCES snippets (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('initial', 'scheduled', 'started', 'replicated', 'finished', 'failed', 'cleanup failed')),
  source_storage TEXT NOT NULL,
  destination_storage TEXT NOT NULL,
  -- Reason of a failure.
  failure TEXT,
  -- Number of pauses because of running pushes.
  waits INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- When the next step is due; null in a final state.
  due_at INTEGER,
  CHECK ((project_id IS NOT NULL) + (snippet_id IS NOT NULL) + (group_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX repository_storage_moves_by_due ON repository_storage_moves (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX repository_storage_moves_by_project ON repository_storage_moves (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX repository_storage_moves_by_snippet ON repository_storage_moves (snippet_id, id) WHERE snippet_id IS NOT NULL;
CREATE INDEX repository_storage_moves_by_group ON repository_storage_moves (group_id, id) WHERE group_id IS NOT NULL;

-- Commit statuses, which other systems report. They count for their pipeline like jobs.
ALTER TABLE jobs ADD COLUMN external INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN target_url TEXT;
ALTER TABLE jobs ADD COLUMN description TEXT;

-- Files that users attach to texts of a project. The content is apart, so that lists need not read it.
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  filename TEXT NOT NULL,
  size INTEGER NOT NULL,
  uploader_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (project_id, secret, filename)
) STRICT;
CREATE INDEX uploads_by_project ON uploads (project_id, created_at, id);
CREATE INDEX uploads_by_uploader ON uploads (uploader_id) WHERE uploader_id IS NOT NULL;
CREATE TABLE upload_contents (
  upload_id INTEGER PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;

-- Weights of storages for new repositories. Empty until an administrator sets them.
CREATE TABLE repository_storage_weights (storage TEXT PRIMARY KEY, weight INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE INDEX namespaces_by_storage ON namespaces (repository_storage, id) WHERE kind = 'group';

-- Requests to move everything of a storage. Containers with an ID up to done_to have been scheduled.
CREATE TABLE repository_storage_move_batches (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'snippet', 'group')),
  source_storage TEXT NOT NULL,
  -- Null to choose a storage for each container.
  destination_storage TEXT,
  done_to INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;

-- Public SSH keys for projects. They are only records, because the server has no SSH.
CREATE TABLE deploy_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  fingerprint_sha256 TEXT NOT NULL UNIQUE,
  public INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE TABLE deploy_key_projects (
  deploy_key_id INTEGER NOT NULL REFERENCES deploy_keys (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  can_push INTEGER NOT NULL,
  PRIMARY KEY (deploy_key_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deploy_key_projects_by_project ON deploy_key_projects (project_id, deploy_key_id);

-- Rules that protect the branches or tags of a project with a name, which can contain the wildcard *.
CREATE TABLE protected_refs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('branch', 'tag')),
  name TEXT NOT NULL,
  allow_force_push INTEGER NOT NULL,
  code_owner_approval_required INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (project_id, kind, name)
) STRICT;
CREATE INDEX protected_refs_by_project ON protected_refs (project_id, kind, id);

-- Who can do what with protected branches and tags. Levels are numbered as in the API. Exactly one grantee is set.
CREATE TABLE protected_ref_access_levels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  protected_ref_id INTEGER NOT NULL REFERENCES protected_refs (id) ON DELETE CASCADE,
  action TEXT NOT NULL CHECK (action IN ('push', 'merge', 'unprotect', 'create')),
  access_level INTEGER,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  deploy_key_id INTEGER REFERENCES deploy_keys (id) ON DELETE CASCADE,
  CHECK ((access_level IS NOT NULL) + (user_id IS NOT NULL) + (group_id IS NOT NULL) + (deploy_key_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX protected_ref_access_levels_by_ref ON protected_ref_access_levels (protected_ref_id, id);
CREATE INDEX protected_ref_access_levels_by_user ON protected_ref_access_levels (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX protected_ref_access_levels_by_group ON protected_ref_access_levels (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX protected_ref_access_levels_by_key ON protected_ref_access_levels (deploy_key_id) WHERE deploy_key_id IS NOT NULL;

-- Default branches were always protected: maintainers could push and merge.
INSERT INTO protected_refs (project_id, kind, name, allow_force_push, code_owner_approval_required, created_at)
  SELECT id, 'branch', default_branch, 0, 0, created_at FROM projects p
  WHERE EXISTS (SELECT 1 FROM repository_refs r WHERE r.project_id = p.id AND r.kind = 'branch') ORDER BY id;
INSERT INTO protected_ref_access_levels (protected_ref_id, action, access_level)
  SELECT id, action, 40 FROM protected_refs CROSS JOIN (SELECT 'push' AS action UNION ALL SELECT 'merge') ORDER BY id;

-- Tokens of projects and groups with which git clients fetch. Exactly one container is set.
CREATE TABLE deploy_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  username TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  CHECK ((project_id IS NOT NULL) + (group_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX deploy_tokens_by_project ON deploy_tokens (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX deploy_tokens_by_group ON deploy_tokens (group_id, id) WHERE group_id IS NOT NULL;
-- Refs with notes on commits, which git clients push.
CREATE TABLE refs_with_notes (
  project_id INTEGER NOT NULL REFERENCES repositories (project_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('branch', 'tag', 'note')),
  name TEXT NOT NULL,
  target TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  message TEXT,
  tagged_at INTEGER,
  PRIMARY KEY (project_id, kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO refs_with_notes SELECT project_id, kind, name, target, commit_id, committed_at, message, tagged_at FROM repository_refs;
DROP TABLE repository_refs;
ALTER TABLE refs_with_notes RENAME TO repository_refs;
CREATE INDEX repository_refs_by_time ON repository_refs (project_id, kind, coalesce(tagged_at, committed_at), name);
CREATE TRIGGER releases_end_with_tags AFTER DELETE ON repository_refs WHEN old.kind = 'tag' BEGIN
  DELETE FROM releases WHERE project_id = old.project_id AND tag = old.name;
END;

-- Commits with comments. Their notes have the number as noteable_id and the hash as commit_id. author_id: the user with the email address of
-- the author.
CREATE TABLE commented_commits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  title TEXT NOT NULL,
  message TEXT NOT NULL,
  author_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  UNIQUE (project_id, sha)
) STRICT;
CREATE INDEX commented_commits_by_author ON commented_commits (author_id) WHERE author_id IS NOT NULL;
ALTER TABLE notes ADD COLUMN commit_id TEXT;
`,
  `
-- Which projects and groups the job tokens of a project can reach (outbound), and whose job tokens can reach it (inbound).
CREATE TABLE job_token_scopes (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  inbound_enabled INTEGER NOT NULL,
  outbound_enabled INTEGER NOT NULL
) STRICT;
-- Exactly one target is set.
CREATE TABLE job_token_scope_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
  target_project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  target_group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  CHECK ((target_project_id IS NOT NULL) + (target_group_id IS NOT NULL) = 1)
) STRICT;
CREATE UNIQUE INDEX job_token_scope_entries_by_project ON job_token_scope_entries (project_id, direction, target_project_id, target_group_id);
CREATE INDEX job_token_scope_entries_by_target ON job_token_scope_entries (target_project_id) WHERE target_project_id IS NOT NULL;
CREATE INDEX job_token_scope_entries_by_group ON job_token_scope_entries (target_group_id) WHERE target_group_id IS NOT NULL;
-- Tokens of running jobs. expires_at is null for those in text format.
CREATE TABLE job_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX job_tokens_by_job ON job_tokens (job_id);
-- Top-level groups that have chosen a format of job tokens.
CREATE TABLE job_token_formats (
  namespace_id INTEGER PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
  jwt INTEGER NOT NULL
) STRICT;

-- Runners for CI jobs. A runner of a group has group_id, those of projects are in runner_projects.
CREATE TABLE runners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  runner_type TEXT NOT NULL CHECK (runner_type IN ('instance_type', 'group_type', 'project_type')),
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  is_created INTEGER NOT NULL,
  description TEXT,
  maintenance_note TEXT,
  paused INTEGER NOT NULL,
  locked INTEGER NOT NULL,
  run_untagged INTEGER NOT NULL,
  access_level TEXT NOT NULL CHECK (access_level IN ('not_protected', 'ref_protected')),
  maximum_timeout INTEGER,
  name TEXT,
  version TEXT,
  revision TEXT,
  platform TEXT,
  architecture TEXT,
  created_at INTEGER NOT NULL,
  contacted_at INTEGER,
  CHECK ((runner_type = 'group_type') = (group_id IS NOT NULL))
) STRICT;
CREATE INDEX runners_by_group ON runners (group_id, id) WHERE group_id IS NOT NULL;
CREATE TABLE runner_tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  runner_id INTEGER NOT NULL REFERENCES runners (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  UNIQUE (runner_id, name)
) STRICT;
-- The first project of a runner owns it.
CREATE TABLE runner_projects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  runner_id INTEGER NOT NULL REFERENCES runners (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  UNIQUE (runner_id, project_id)
) STRICT;
CREATE INDEX runner_projects_by_project ON runner_projects (project_id, runner_id);

-- How often a registration token of the instance (neither is set), of a group or of a project was reset. token_hash: a token of the
-- environment.
CREATE TABLE runner_registration_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
  project_id INTEGER UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
  resets INTEGER NOT NULL,
  token_hash TEXT
) STRICT;

-- Pipelines that start at certain times. The values of their variables are sealed.
CREATE TABLE pipeline_schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  description TEXT NOT NULL,
  ref TEXT NOT NULL,
  cron TEXT NOT NULL,
  cron_timezone TEXT NOT NULL,
  active INTEGER NOT NULL,
  owner_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  next_run_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pipeline_schedules_by_project ON pipeline_schedules (project_id, id);
CREATE INDEX pipeline_schedules_by_time ON pipeline_schedules (next_run_at) WHERE active = 1 AND next_run_at IS NOT NULL;
CREATE INDEX pipeline_schedules_of_owner ON pipeline_schedules (owner_id) WHERE owner_id IS NOT NULL;
CREATE TABLE pipeline_schedule_variables (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  schedule_id INTEGER NOT NULL REFERENCES pipeline_schedules (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  sealed_value TEXT NOT NULL,
  variable_type TEXT NOT NULL CHECK (variable_type IN ('env_var', 'file')),
  raw INTEGER NOT NULL,
  UNIQUE (schedule_id, key)
) STRICT;
CREATE TABLE scheduled_pipelines (
  pipeline_id INTEGER PRIMARY KEY REFERENCES pipelines (id) ON DELETE CASCADE,
  schedule_id INTEGER NOT NULL REFERENCES pipeline_schedules (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX scheduled_pipelines_by_schedule ON scheduled_pipelines (schedule_id, pipeline_id);

-- Variables of CI/CD pipelines. Exactly one container is set. The values are sealed.
CREATE TABLE ci_variables (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  sealed_value TEXT NOT NULL,
  variable_type TEXT NOT NULL CHECK (variable_type IN ('env_var', 'file')),
  environment_scope TEXT NOT NULL,
  protected INTEGER NOT NULL,
  masked INTEGER NOT NULL,
  hidden INTEGER NOT NULL,
  raw INTEGER NOT NULL,
  description TEXT,
  CHECK ((project_id IS NOT NULL) + (group_id IS NOT NULL) = 1)
) STRICT;
CREATE UNIQUE INDEX ci_variables_by_project ON ci_variables (project_id, key, environment_scope) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX ci_variables_by_group ON ci_variables (group_id, key, environment_scope) WHERE group_id IS NOT NULL;
-- Variables with which a pipeline was started.
CREATE TABLE pipeline_variables (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pipeline_id INTEGER NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  sealed_value TEXT NOT NULL,
  variable_type TEXT NOT NULL CHECK (variable_type IN ('env_var', 'file')),
  raw INTEGER NOT NULL,
  UNIQUE (pipeline_id, key)
) STRICT;

-- Calls of deprecated elements of the API. user_id and application_id are 0 if there is none.
CREATE TABLE deprecated_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  deprecation TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  user_agent TEXT NOT NULL,
  application_id INTEGER NOT NULL,
  request TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (deprecation, user_id, user_agent, application_id, request)
) STRICT;
CREATE INDEX deprecated_calls_by_last_at ON deprecated_calls (last_at);

-- Manifests and blobs of images that groups pulled from other registries.
-- The content of blobs is in files of the data folder.
CREATE TABLE dependency_proxy_blobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (group_id, digest)
) STRICT;
CREATE INDEX dependency_proxy_blobs_by_size ON dependency_proxy_blobs (group_id, size);
CREATE INDEX dependency_proxy_blobs_by_digest ON dependency_proxy_blobs (digest);
CREATE TABLE dependency_proxy_manifests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  digest TEXT NOT NULL,
  image TEXT NOT NULL,
  -- Null if it was pulled by its digest.
  tag TEXT,
  content_type TEXT NOT NULL,
  content BLOB NOT NULL,
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (group_id, file_name)
) STRICT;
CREATE INDEX dependency_proxy_manifests_by_digest ON dependency_proxy_manifests (group_id, image, digest);
CREATE INDEX dependency_proxy_manifests_by_size ON dependency_proxy_manifests (group_id, size);
-- Groups without a row have the dependency proxy turned on.
CREATE TABLE dependency_proxy_settings (
  group_id INTEGER PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL
) STRICT;
CREATE TABLE dependency_proxy_purges (
  group_id INTEGER PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
  purged_at INTEGER NOT NULL
) STRICT;

-- To-do items. note_id is the comment that mentions the user. A user has at most one pending item for each target.
CREATE TABLE todos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  target_type TEXT NOT NULL CHECK (target_type IN ('Issue', 'MergeRequest')),
  target_id INTEGER NOT NULL,
  note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  action TEXT NOT NULL CHECK (action IN ('assigned', 'mentioned', 'directly_addressed', 'review_requested')),
  state TEXT NOT NULL CHECK (state IN ('pending', 'done')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX todos_by_user ON todos (user_id, state, id);
CREATE UNIQUE INDEX todos_pending ON todos (target_type, target_id, user_id) WHERE state = 'pending';
CREATE INDEX todos_by_target ON todos (target_type, target_id);
CREATE INDEX todos_by_author ON todos (author_id);
CREATE INDEX todos_by_project ON todos (project_id);
CREATE INDEX todos_by_note ON todos (note_id) WHERE note_id IS NOT NULL;
CREATE TRIGGER todos_end_with_issues AFTER DELETE ON issues BEGIN
  DELETE FROM todos WHERE target_type = 'Issue' AND target_id = old.id;
END;
CREATE TRIGGER todos_end_with_merge_requests AFTER DELETE ON merge_requests BEGIN
  DELETE FROM todos WHERE target_type = 'MergeRequest' AND target_id = old.id;
END;

-- Size of the folder in bytes. Null if it was not measured since the last change of a ref.
ALTER TABLE repositories ADD COLUMN size INTEGER;
CREATE TRIGGER repository_grows_with_refs AFTER INSERT ON repository_refs BEGIN
  UPDATE repositories SET size = NULL WHERE project_id = new.project_id AND size IS NOT NULL;
END;
CREATE TRIGGER repository_changes_with_refs AFTER UPDATE ON repository_refs BEGIN
  UPDATE repositories SET size = NULL WHERE project_id = new.project_id AND size IS NOT NULL;
END;
CREATE TRIGGER repository_shrinks_with_refs AFTER DELETE ON repository_refs BEGIN
  UPDATE repositories SET size = NULL WHERE project_id = old.project_id AND size IS NOT NULL;
END;

-- Security settings of projects that have others than the defaults.
CREATE TABLE project_security_settings (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  secret_push_protection_enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Integrations of projects. secrets is sealed JSON.
CREATE TABLE integrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  active INTEGER NOT NULL,
  properties TEXT NOT NULL,
  secrets TEXT NOT NULL,
  events TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

-- Projects whose repositories have the security policies of projects and groups. Exactly one container is set.
CREATE TABLE security_policy_configurations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
  policy_project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  CHECK ((project_id IS NOT NULL) + (group_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX security_policy_configurations_by_policy_project ON security_policy_configurations (policy_project_id);
-- Requirements of projects. iid counts the requirements of a project, work_item_iid is shared with its issues.
CREATE TABLE requirements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  iid INTEGER NOT NULL,
  work_item_iid INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL CHECK (state IN ('OPENED', 'ARCHIVED')),
  author_id INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (project_id, iid),
  UNIQUE (project_id, work_item_iid)
) STRICT;
CREATE INDEX requirements_by_author ON requirements (author_id);

-- Subscriptions, purchases and limits of namespaces on the multi-tenant offering.
CREATE TABLE namespace_subscriptions (
  namespace_id INTEGER PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
  plan TEXT,
  seats INTEGER NOT NULL,
  max_seats_used INTEGER NOT NULL,
  start_date TEXT,
  end_date TEXT,
  auto_renew INTEGER,
  trial INTEGER NOT NULL,
  trial_ends_on TEXT
) STRICT;
CREATE TABLE namespace_limits (
  namespace_id INTEGER PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
  shared_runners_minutes_limit INTEGER,
  extra_shared_runners_minutes_limit INTEGER,
  additional_purchased_storage_size INTEGER NOT NULL,
  additional_purchased_storage_ends_on TEXT
) STRICT;
CREATE TABLE namespace_add_ons (
  namespace_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  started_on TEXT NOT NULL,
  expires_on TEXT NOT NULL,
  purchase_xid TEXT NOT NULL,
  trial INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE minute_packs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  number_of_minutes INTEGER NOT NULL,
  expires_on TEXT NOT NULL,
  purchase_xid TEXT NOT NULL,
  UNIQUE (namespace_id, purchase_xid)
) STRICT;
CREATE TABLE card_validations (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  validated_at INTEGER NOT NULL
) STRICT;
`,
];
