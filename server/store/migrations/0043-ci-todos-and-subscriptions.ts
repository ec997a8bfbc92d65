export const ciTodosAndSubscriptions = `
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
`;
