export const virtualRegistries = `
-- Maven virtual registries of top-level groups, the upstreams behind them in their order, and what is known of files fetched from these.
CREATE TABLE virtual_registries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (group_id, name)
) STRICT;
CREATE TABLE virtual_upstreams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  name TEXT,
  description TEXT,
  -- The password that goes with it is kept nowhere: nothing is ever fetched.
  username TEXT,
  cache_validity_hours INTEGER NOT NULL,
  metadata_cache_validity_hours INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX virtual_upstreams_by_group ON virtual_upstreams (group_id, id);
CREATE TABLE virtual_registry_upstreams (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  registry_id INTEGER NOT NULL REFERENCES virtual_registries (id) ON DELETE CASCADE,
  upstream_id INTEGER NOT NULL REFERENCES virtual_upstreams (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  UNIQUE (registry_id, upstream_id)
) STRICT;
CREATE INDEX virtual_registry_upstreams_by_upstream ON virtual_registry_upstreams (upstream_id);
CREATE TABLE virtual_cache_entries (
  upstream_id INTEGER NOT NULL REFERENCES virtual_upstreams (id) ON DELETE CASCADE,
  relative_path TEXT NOT NULL,
  file_md5 TEXT,
  file_sha1 TEXT NOT NULL,
  size INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  upstream_etag TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (upstream_id, relative_path)
) STRICT, WITHOUT ROWID;
`;
