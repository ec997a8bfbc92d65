export const storageMovesAndProtectedRefs = `
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
`;
