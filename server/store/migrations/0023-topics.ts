export const topics = `
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
`;
