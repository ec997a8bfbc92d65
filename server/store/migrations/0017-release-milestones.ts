export const releaseMilestones = `
-- What a release brings.
CREATE TABLE release_milestones (
  release_id INTEGER NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  milestone_id INTEGER NOT NULL REFERENCES milestones (id) ON DELETE CASCADE,
  PRIMARY KEY (release_id, milestone_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX release_milestones_by_milestone ON release_milestones (milestone_id);
`;
