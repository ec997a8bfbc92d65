export const ingestStatistics = `
-- What SDKs send to a project and what became of it, by day, so that it can go when it is old. Client keys had counted a part of that.
CREATE TABLE tracked_arrivals (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Days since 1970, UTC.
  day INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'repeated', 'ignored', 'dropped', 'discarded', 'refused')),
  -- Type of the items, or why they were not taken.
  name TEXT NOT NULL,
  -- Of what an SDK says it has dropped; else empty.
  category TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, day, outcome, name, category)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_arrivals_by_day ON tracked_arrivals (day);
INSERT INTO tracked_arrivals (project_id, day, outcome, name, category, quantity, last_at)
  SELECT key.project_id, told.last_at / 86400000, IIF(told.reason = 'key_quota', 'refused', 'discarded'),
    IIF(told.reason = 'key_quota', 'limit', told.reason), IIF(told.reason = 'key_quota', '', told.category),
    CAST(MIN(TOTAL(told.quantity), 9007199254740991) AS INTEGER), MAX(told.last_at)
  FROM client_key_discards AS told JOIN error_tracking_client_keys AS key ON key.id = told.key_id GROUP BY 1, 2, 3, 4, 5;
DROP TABLE client_key_discards;
-- The latest request of an SDK that a project has refused. Nothing of its body.
CREATE TABLE tracked_refusals (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  reason TEXT NOT NULL,
  endpoint TEXT NOT NULL CHECK (endpoint IN ('envelope', 'store', 'stream')),
  -- The first characters of the client key, to find it by.
  key_start TEXT,
  client TEXT
) STRICT;
`;
