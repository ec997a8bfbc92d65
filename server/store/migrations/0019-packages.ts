export const packages = `
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
`;
