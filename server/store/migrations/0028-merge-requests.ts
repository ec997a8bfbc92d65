export const mergeRequests = `
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
`;
