export const viewsOfProjects = `
DROP VIEW projects_view;
CREATE VIEW projects_view AS
  SELECT id, namespace_id, creator_id, name, path, full_path, description, visibility, default_branch, archived, issues_access, created_at,
    updated_at, last_activity_at, star_count, forked_from_id, import_status, mr_default_target_self, repository_storage,
    repository_read_only FROM projects;
CREATE VIEW project_redirects_view AS SELECT full_path, project_id FROM project_redirects;
CREATE VIEW project_stars_view AS SELECT project_id, user_id FROM project_stars;
CREATE VIEW project_topics_view AS SELECT project_id, topic_id, position FROM project_topics;
CREATE VIEW topics_view AS SELECT id, name FROM topics;
`;
