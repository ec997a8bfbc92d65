export const initialSchema = `
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
`;
