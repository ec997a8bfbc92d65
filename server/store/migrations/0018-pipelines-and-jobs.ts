export const pipelinesAndJobs = `
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
`;
