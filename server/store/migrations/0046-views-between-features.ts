/**
 * Each table belongs to one feature, which alone names it in its SQL. The views have the columns that other features may read
 * (docs/design/storage-and-time.md#tables-and-features).
 */
const views: Readonly<Record<string, string>> = {
  group_members: 'id, group_id, user_id, access_level, created_by, created_at, expires_at',
  issue_assignees: 'issue_id, user_id',
  issues: 'id, project_id, iid, title, description, state, author_id, confidential, due_date, milestone_id',
  merge_request_assignees: 'merge_request_id, user_id',
  merge_request_issues: 'merge_request_id, issue_id, closes',
  merge_request_reviewers: 'merge_request_id, user_id',
  merge_requests: 'id, project_id, iid, source_branch, target_branch, title, description, state, author_id',
  milestones: 'id, title, start_date, due_date, created_at, updated_at',
  namespace_ancestors: 'namespace_id, ancestor_id',
  namespaces: `id, kind, name, path, full_path, parent_id, owner_id, visibility, description, created_at, project_creation_level,
    disable_password_authentication, repository_storage, repository_read_only`,
  notes: 'id, noteable_type, noteable_id, body, author_id, system, internal, project_id, discussion_id',
  notification_decisions: 'event_id, mail_id',
  notification_events: 'id, event',
  project_access: 'project_id, user_id, access_level',
  projects: `id, namespace_id, name, path, full_path, visibility, default_branch, archived, issues_access, created_at,
    repository_storage, repository_read_only`,
  repositories: 'project_id, folder, readme_path, created_at, size',
  repository_refs: 'project_id, kind, name, commit_id',
  requirements: 'project_id, iid, work_item_iid',
  single_repositories: 'id, storage, folder, read_only',
  snippets: 'id, repository_id',
  users: 'id, username, name, email, admin, external, private_profile, state, created_at',
};

/** Personal namespaces are namespaces, which belong to groups, so a trigger keeps them as their users are. */
const personalNamespaces = `
CREATE TRIGGER users_made AFTER INSERT ON users BEGIN
  INSERT INTO namespaces (kind, name, path, full_path, owner_id, visibility, created_at)
    VALUES ('user', new.name, new.username, new.username, new.id, 'public', new.created_at);
END;
CREATE TRIGGER users_renamed AFTER UPDATE OF name, username ON users
  WHEN old.name <> new.name OR old.username <> new.username BEGIN
  UPDATE namespaces SET name = new.name, path = new.username, full_path = new.username WHERE owner_id = new.id AND kind = 'user';
END;
`;

const OPEN_ISSUES = "SELECT project_id, confidential FROM issues INDEXED BY issues_open WHERE state = 'opened'";

export const viewsBetweenFeatures = [
  personalNamespaces,
  ...Object.entries(views).map(([table, columns]) => `CREATE VIEW ${table}_view AS SELECT ${columns} FROM ${table};`),
  `CREATE VIEW open_issues_view AS ${OPEN_ISSUES};`,
].join('\n');
