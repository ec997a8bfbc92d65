/**
 * An error that is resolved in the next release has a baseline for each application, as a JSON list, in place of the newest release of the
 * project. Errors that were resolved before get the releases of the events that were received until then.
 */
export const releasesOfResolvedErrors = `
ALTER TABLE tracked_errors ADD COLUMN status_releases TEXT;
UPDATE tracked_errors SET status_releases = (
  SELECT json_group_array(version) FROM (
    SELECT version FROM app_releases WHERE id IN (
      SELECT event.app_release_id FROM tracked_groupings AS one JOIN tracked_events AS event ON event.grouping_id = one.id
      WHERE one.error_id = tracked_errors.id AND event.received_at <= tracked_errors.status_at
    ) ORDER BY first_seen_at, id
  )
) WHERE status IN ('resolved', 'resolved_in_next_release');
ALTER TABLE tracked_errors DROP COLUMN status_release;

UPDATE tracked_edits SET previous = json_set(json_remove(previous, '$.state.status_release'), '$.state.status_releases',
  CASE WHEN previous ->> '$.state.status_release' IS NOT NULL THEN json_array(previous ->> '$.state.status_release') || '' END)
WHERE kind = 'status';
UPDATE tracked_edits SET previous = json_set(previous, '$.merged', json((
  SELECT json_group_array(json_set(json_remove(value, '$.state.status_release'), '$.state.status_releases',
    CASE WHEN value ->> '$.state.status_release' IS NOT NULL THEN json_array(value ->> '$.state.status_release') || '' END))
  FROM json_each(previous, '$.merged')
))) WHERE kind = 'merge';

-- Releases that only the repository can compare with the baselines of a resolved error.
CREATE TABLE tracked_release_checks (
  error_id INTEGER NOT NULL REFERENCES tracked_errors (id) ON DELETE CASCADE,
  release TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  -- 1 once the repository has shown that the release is not newer.
  is_older INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (error_id, release)
) STRICT, WITHOUT ROWID;
CREATE INDEX tracked_release_checks_pending ON tracked_release_checks (added_at) WHERE is_older = 0;
`;
