export const hooks = `
CREATE TABLE hooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  -- URL, token, values of URL variables and custom headers: sealed JSON.
  secrets TEXT NOT NULL,
  name TEXT,
  description TEXT,
  -- Events by name, as a JSON object of booleans.
  events TEXT NOT NULL,
  branch_filter TEXT NOT NULL,
  branch_filter_strategy TEXT NOT NULL CHECK (branch_filter_strategy IN ('wildcard', 'regex', 'all_branches')),
  enable_ssl_verification INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE INDEX hooks_project ON hooks (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX hooks_group ON hooks (group_id, id) WHERE group_id IS NOT NULL;

CREATE TABLE hook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hook_id INTEGER NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  event_uuid TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  payload TEXT NOT NULL,
  -- What the payload still needs of the repository, as JSON; null if it is complete.
  completion TEXT,
  created_at INTEGER NOT NULL,
  -- Null until the delivery was attempted, like the columns below.
  sent_at INTEGER,
  url TEXT,
  request_headers TEXT,
  response_status TEXT,
  response_headers TEXT,
  response_body TEXT,
  execution_duration REAL
) STRICT;
CREATE INDEX hook_deliveries_waiting ON hook_deliveries (id) WHERE sent_at IS NULL;
CREATE INDEX hook_deliveries_hook ON hook_deliveries (hook_id, id);
CREATE INDEX hook_deliveries_created_at ON hook_deliveries (created_at);
`;
